/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs: what may be built, and in which state. */
#include "toy.h"

#include "doca_graph.h"

#define INSTANCES 2u
#define DEPTH	  50u

static void told(struct doca_graph_instance *instance, union doca_data instance_data,
		 union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
}

static doca_error_t nothing(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

static struct doca_graph *graph_of(struct toy *toy)
{
	struct doca_graph *graph;

	assert_ok(doca_graph_create(toy->pe, &graph));
	assert_ok(doca_graph_set_conf(graph, told, told, INSTANCES));
	return graph;
}

static struct doca_graph_node *ctx_node(struct doca_graph *graph, struct toy *toy)
{
	struct doca_graph_node *node;

	assert_ok(doca_graph_node_create_from_ctx(graph, &toy->ctx, &node));
	return node;
}

static struct doca_graph_node *user_node(struct doca_graph *graph)
{
	struct doca_graph_node *node;

	assert_ok(doca_graph_node_create_from_user(graph, nothing, &node));
	return node;
}

static void end(struct doca_graph *graph)
{
	assert_ok(doca_graph_stop(graph));
	assert_ok(doca_graph_destroy(graph));
}

static void null_is_refused(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph = graph_of(toy);
	struct doca_graph_node *node = user_node(graph);
	union doca_data data = {0};

	assert_err(doca_graph_create(NULL, &graph), INVALID_VALUE);
	assert_err(doca_graph_create(toy->pe, NULL), INVALID_VALUE);
	assert_err(doca_graph_destroy(NULL), INVALID_VALUE);
	assert_err(doca_graph_start(NULL), INVALID_VALUE);
	assert_err(doca_graph_stop(NULL), INVALID_VALUE);
	assert_err(doca_graph_set_conf(NULL, told, told, 1), INVALID_VALUE);
	assert_err(doca_graph_set_conf(graph, NULL, told, 1), INVALID_VALUE);
	assert_err(doca_graph_set_conf(graph, told, NULL, 1), INVALID_VALUE);
	assert_err(doca_graph_set_conf(graph, told, told, 0), INVALID_VALUE);
	assert_err(doca_graph_set_user_data(NULL, data), INVALID_VALUE);
	assert_err(doca_graph_get_user_data(NULL, &data), INVALID_VALUE);
	assert_err(doca_graph_get_user_data(graph, NULL), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_ctx(NULL, &toy->ctx, &node), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_ctx(graph, NULL, &node), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_ctx(graph, &toy->ctx, NULL), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_user(NULL, nothing, &node), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_user(graph, NULL, &node), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_user(graph, nothing, NULL), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_graph(NULL, graph, &node), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_graph(graph, NULL, &node), INVALID_VALUE);
	assert_err(doca_graph_node_create_from_graph(graph, graph, NULL), INVALID_VALUE);
	assert_err(doca_graph_add_dependency(NULL, node, node), INVALID_VALUE);
	assert_err(doca_graph_add_dependency(graph, NULL, node), INVALID_VALUE);
	assert_err(doca_graph_add_dependency(graph, node, NULL), INVALID_VALUE);
	end(graph);
}

static void null_is_refused_for_instances(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph = graph_of(toy);
	struct doca_graph_node *task = ctx_node(graph, toy);
	struct doca_graph_node *user = user_node(graph);
	struct doca_graph_instance *instance;
	union doca_data data = {0};

	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_graph_start(graph));
	assert_err(doca_graph_instance_create(NULL, &instance), INVALID_VALUE);
	assert_err(doca_graph_instance_create(graph, NULL), INVALID_VALUE);
	assert_ok(doca_graph_instance_create(graph, &instance));
	assert_err(doca_graph_instance_destroy(NULL), INVALID_VALUE);
	assert_err(doca_graph_instance_set_ctx_node_data(instance, task, NULL), INVALID_VALUE);
	assert_err(doca_graph_instance_set_user_node_data(NULL, user, NULL), INVALID_VALUE);
	assert_err(doca_graph_instance_set_user_node_data(instance, NULL, NULL), INVALID_VALUE);
	assert_err(doca_graph_instance_set_sub_graph_node_data(instance, task, NULL),
		   INVALID_VALUE);
	assert_err(doca_graph_instance_submit(NULL), INVALID_VALUE);
	assert_err(doca_graph_instance_set_user_data(NULL, data), INVALID_VALUE);
	assert_err(doca_graph_instance_get_user_data(NULL, &data), INVALID_VALUE);
	assert_err(doca_graph_instance_get_user_data(instance, NULL), INVALID_VALUE);
	assert_ok(doca_graph_instance_destroy(instance));
	end(graph);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void what_is_started_does_not_change(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph = graph_of(toy);
	struct doca_graph_node *first = ctx_node(graph, toy);
	struct doca_graph_node *second = user_node(graph);
	struct doca_graph_node *node;
	union doca_data data = {.u64 = 7};

	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_graph_start(graph));
	assert_ok(doca_graph_start(graph)); /* again: nothing happens */
	assert_err(doca_graph_set_conf(graph, told, told, 1), BAD_STATE);
	assert_err(doca_graph_set_user_data(graph, data), BAD_STATE);
	assert_err(doca_graph_node_create_from_ctx(graph, &toy->ctx, &node), BAD_STATE);
	assert_err(doca_graph_node_create_from_user(graph, nothing, &node), BAD_STATE);
	assert_err(doca_graph_node_create_from_graph(graph, graph, &node), BAD_STATE);
	assert_err(doca_graph_add_dependency(graph, first, second), BAD_STATE);
	assert_err(doca_graph_destroy(graph), BAD_STATE);
	assert_ok(doca_graph_stop(graph));
	assert_ok(doca_graph_stop(graph));
	assert_ok(doca_graph_add_dependency(graph, first, second));
	assert_ok(doca_graph_destroy(graph));
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void a_start_needs_all_that_runs(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph;
	struct doca_pe *other;

	assert_ok(doca_graph_create(toy->pe, &graph));
	ctx_node(graph, toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_graph_start(graph), BAD_STATE); /* nobody would be told */
	assert_ok(doca_graph_set_conf(graph, told, told, INSTANCES));
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_err(doca_graph_start(graph), BAD_STATE); /* its context does not run */
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_graph_start(graph));
	end(graph);

	graph = graph_of(toy);
	assert_err(doca_graph_start(graph), BAD_STATE); /* empty */
	user_node(graph);
	assert_err(doca_graph_start(graph), BAD_STATE); /* none has a context */
	end(graph);

	assert_ok(doca_pe_create(&other));
	assert_ok(doca_graph_create(other, &graph));
	assert_ok(doca_graph_set_conf(graph, told, told, INSTANCES));
	ctx_node(graph, toy);
	assert_err(doca_graph_start(graph), BAD_STATE); /* another progress engine's */
	end(graph);
	assert_ok(doca_pe_destroy(other));
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void circles_are_refused(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph = graph_of(toy), *other = graph_of(toy);
	struct doca_graph_node *nodes[4];
	struct doca_graph_node *foreign = user_node(other);

	for (unsigned int i = 0; i < 4; i++)
		nodes[i] = user_node(graph);
	assert_err(doca_graph_add_dependency(graph, nodes[0], nodes[0]), NOT_PERMITTED);
	assert_ok(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	assert_err(doca_graph_add_dependency(graph, nodes[1], nodes[0]), NOT_PERMITTED);
	assert_ok(doca_graph_add_dependency(graph, nodes[0], nodes[2]));
	assert_ok(doca_graph_add_dependency(graph, nodes[1], nodes[3]));
	assert_ok(doca_graph_add_dependency(graph, nodes[2], nodes[3]));
	assert_err(doca_graph_add_dependency(graph, nodes[3], nodes[0]), NOT_PERMITTED);
	assert_ok(doca_graph_add_dependency(graph, nodes[1], nodes[2])); /* no circle */
	assert_err(doca_graph_add_dependency(graph, nodes[0], foreign), INVALID_VALUE);
	assert_err(doca_graph_add_dependency(graph, foreign, nodes[0]), INVALID_VALUE);
	end(graph);
	end(other);
}

static void circles_of_graphs_are_refused(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *outer = graph_of(toy), *middle = graph_of(toy), *inner = graph_of(toy);
	struct doca_graph_node *node;

	ctx_node(inner, toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_graph_node_create_from_graph(middle, inner, &node), BAD_STATE);
	assert_ok(doca_graph_start(inner));
	assert_ok(doca_graph_node_create_from_graph(middle, inner, &node));
	assert_ok(doca_graph_start(middle)); /* has a context in the other one */
	assert_ok(doca_graph_node_create_from_graph(outer, middle, &node));
	assert_ok(doca_graph_start(outer));
	assert_ok(doca_graph_stop(inner));
	assert_err(doca_graph_node_create_from_graph(inner, inner, &node), NOT_PERMITTED);
	assert_err(doca_graph_node_create_from_graph(inner, outer, &node), NOT_PERMITTED);
	/* in whatever order */
	end(inner);
	end(outer);
	end(middle);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

/* twice in the next one, which is twice in the next one: whoever follows each way never ends */
static void graphs_in_many_places_are_looked_at_once(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graphs[DEPTH];
	struct doca_graph_node *node;

	assert_ok(doca_ctx_start(&toy->ctx));
	for (unsigned int i = 0; i < DEPTH; i++) {
		graphs[i] = graph_of(toy);
		if (!i)
			ctx_node(graphs[i], toy);
		for (unsigned int n = 0; i && n < 2; n++)
			assert_ok(
				doca_graph_node_create_from_graph(graphs[i], graphs[i - 1], &node));
		assert_ok(doca_graph_start(graphs[i]));
	}
	assert_ok(doca_graph_stop(graphs[0]));
	for (unsigned int n = 0; n < 2; n++) /* nor does a search leave anything */
		assert_err(doca_graph_node_create_from_graph(graphs[0], graphs[DEPTH - 1], &node),
			   NOT_PERMITTED);
	for (unsigned int i = 0; i < DEPTH; i++)
		end(graphs[i]);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void a_graph_of_another_engine_is_refused(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *inner = graph_of(toy), *outer;
	struct doca_graph_node *node;
	struct doca_pe *other;

	ctx_node(inner, toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_graph_start(inner));
	assert_ok(doca_pe_create(&other));
	assert_ok(doca_graph_create(other, &outer));
	assert_err(doca_graph_node_create_from_graph(outer, inner, &node), INVALID_VALUE);
	end(outer);
	end(inner);
	assert_ok(doca_pe_destroy(other));
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void there_are_as_many_instances_as_were_asked_for(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph = graph_of(toy);
	struct doca_graph_instance *instances[INSTANCES + 1];

	ctx_node(graph, toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_graph_instance_create(graph, &instances[0]), BAD_STATE);
	assert_ok(doca_graph_start(graph));
	for (unsigned int i = 0; i < INSTANCES; i++)
		assert_ok(doca_graph_instance_create(graph, &instances[i]));
	assert_err(doca_graph_instance_create(graph, &instances[INSTANCES]), NO_MEMORY);
	assert_err(doca_graph_stop(graph), IN_USE);
	assert_ok(doca_graph_instance_destroy(instances[0]));
	assert_ok(doca_graph_instance_create(graph, &instances[0]));
	for (unsigned int i = 0; i < INSTANCES; i++)
		assert_ok(doca_graph_instance_destroy(instances[i]));
	end(graph);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void data_fits_its_node(void **state)
{
	struct toy *toy = *state;
	struct toy stranger;
	struct doca_graph *graph = graph_of(toy), *sub = graph_of(toy), *other = graph_of(toy);
	struct doca_graph_node *task, *user, *run, *foreign = ctx_node(other, toy);
	struct doca_graph_instance *instance, *inner, *wrong;
	struct toy_task *mine;

	toy_init(&stranger);
	assert_ok(doca_pe_connect_ctx(toy->pe, &stranger.ctx));
	assert_ok(doca_ctx_start(&stranger.ctx));
	assert_ok(doca_ctx_start(&toy->ctx));
	ctx_node(sub, toy);
	assert_ok(doca_graph_start(sub));
	assert_ok(doca_graph_start(other));
	task = ctx_node(graph, toy);
	user = user_node(graph);
	assert_ok(doca_graph_node_create_from_graph(graph, sub, &run));
	assert_ok(doca_graph_start(graph));
	assert_ok(doca_graph_instance_create(graph, &instance));
	assert_ok(doca_graph_instance_create(sub, &inner));
	assert_ok(doca_graph_instance_create(other, &wrong));
	mine = toy_alloc(toy);

#define SET(kind, node, data) doca_graph_instance_set_##kind##_node_data(instance, node, data)
	assert_err(SET(ctx, user, &mine->base), NOT_PERMITTED);
	assert_err(SET(ctx, foreign, &mine->base), NOT_PERMITTED);
	assert_err(SET(ctx, task, &toy_alloc(&stranger)->base), NOT_PERMITTED);
	assert_err(SET(user, task, NULL), NOT_PERMITTED);
	assert_err(SET(sub_graph, task, inner), NOT_PERMITTED);
	assert_err(SET(sub_graph, run, wrong), NOT_PERMITTED);
	assert_err(doca_graph_instance_submit(instance), BAD_STATE); /* nothing to run */
	assert_ok(SET(ctx, task, &mine->base));
	assert_err(doca_graph_instance_submit(instance), BAD_STATE);
	assert_ok(SET(sub_graph, run, inner));
	assert_ok(SET(sub_graph, run, inner)); /* again: one use */
	assert_err(doca_graph_instance_destroy(inner), IN_USE);
	assert_ok(doca_graph_instance_destroy(instance));
	assert_ok(doca_graph_instance_destroy(inner));
	assert_ok(doca_graph_instance_destroy(wrong));
	end(graph);
	end(sub);
	end(other);
	assert_ok(doca_ctx_stop(&stranger.ctx));
	toy_fini(&stranger);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void data_of_the_program_is_kept(void **state)
{
	struct toy *toy = *state;
	struct doca_graph *graph = graph_of(toy);
	struct doca_graph_instance *instance;
	union doca_data data = {.u64 = 1};

	ctx_node(graph, toy);
	assert_ok(doca_graph_get_user_data(graph, &data));
	assert_int_equal(data.u64, 0);
	assert_ok(doca_graph_set_user_data(graph, (union doca_data){.u64 = 7}));
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_graph_start(graph));
	assert_ok(doca_graph_instance_create(graph, &instance));
	assert_ok(doca_graph_instance_get_user_data(instance, &data));
	assert_int_equal(data.u64, 0);
	assert_ok(doca_graph_instance_set_user_data(instance, (union doca_data){.u64 = 8}));
	assert_ok(doca_graph_instance_get_user_data(instance, &data));
	assert_int_equal(data.u64, 8);
	assert_ok(doca_graph_get_user_data(graph, &data));
	assert_int_equal(data.u64, 7);
	assert_ok(doca_graph_instance_destroy(instance));
	end(graph);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(null_is_refused),
		TEST(null_is_refused_for_instances),
		TEST(what_is_started_does_not_change),
		TEST(a_start_needs_all_that_runs),
		TEST(circles_are_refused),
		TEST(circles_of_graphs_are_refused),
		TEST(graphs_in_many_places_are_looked_at_once),
		TEST(a_graph_of_another_engine_is_refused),
		TEST(there_are_as_many_instances_as_were_asked_for),
		TEST(data_fits_its_node),
		TEST(data_of_the_program_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
