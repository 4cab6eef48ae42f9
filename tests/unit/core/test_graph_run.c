/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs: steps are run when those before them are done, and one callback tells of the end. */
#include "toy.h"

#include "doca_graph.h"

#define STEPS 4u

struct run;

/* what the function of a node is called with */
struct step {
	struct run *run;
	char name;
	doca_error_t answer;
	struct toy_task *awaited; /* it does not return before this one has ended, */
	doca_error_t status;	  /* with this */
};

/* A graph of a toy, one instance, and what was seen of it. */
struct run {
	struct toy *toy;
	struct doca_graph *graph;
	struct doca_graph_instance *instance;
	struct doca_graph_node *nodes[STEPS];
	struct toy_task *tasks[STEPS];
	struct step steps[STEPS];
	unsigned int num_steps;
	char seen[16]; /* functions, by their names; '+' and '-': the end */
	void (*on_end)(struct run *run);
};

static void note(struct run *run, char what)
{
	size_t len = strlen(run->seen);

	assert_true(len + 1 < sizeof(run->seen));
	run->seen[len] = what;
}

static void ended(struct doca_graph_instance *instance, union doca_data instance_data,
		  union doca_data graph_data, char how)
{
	struct run *run = graph_data.ptr;

	assert_ptr_equal(instance, run->instance);
	assert_ptr_equal(instance_data.ptr, run->nodes);
	note(run, how);
	if (run->on_end)
		run->on_end(run);
}

static void completed(struct doca_graph_instance *instance, union doca_data instance_data,
		      union doca_data graph_data)
{
	ended(instance, instance_data, graph_data, '+');
}

static void failed(struct doca_graph_instance *instance, union doca_data instance_data,
		   union doca_data graph_data)
{
	ended(instance, instance_data, graph_data, '-');
}

static doca_error_t step(void *cookie)
{
	struct step *it = cookie;

	note(it->run, it->name);
	if (it->awaited) {
		task_complete(&it->awaited->base, it->status);
		toy_progress(it->run->toy);
	}
	return it->answer;
}

static void begin(struct run *run, struct toy *toy)
{
	memset(run, 0, sizeof(*run));
	run->toy = toy;
	assert_ok(doca_graph_create(toy->pe, &run->graph));
	assert_ok(doca_graph_set_conf(run->graph, completed, failed, 1));
	assert_ok(doca_graph_set_user_data(run->graph, (union doca_data){.ptr = run}));
}

static struct doca_graph_node *add_task(struct run *run)
{
	struct doca_graph_node **node = &run->nodes[run->num_steps];

	run->tasks[run->num_steps++] = toy_alloc(run->toy);
	assert_ok(doca_graph_node_create_from_ctx(run->graph, &run->toy->ctx, node));
	return *node;
}

static struct doca_graph_node *add_step(struct run *run, char name)
{
	struct doca_graph_node **node = &run->nodes[run->num_steps];

	run->steps[run->num_steps++] = (struct step){.run = run, .name = name};
	assert_ok(doca_graph_node_create_from_user(run->graph, step, node));
	return *node;
}

static void after(struct run *run, struct doca_graph_node *from, struct doca_graph_node *to)
{
	assert_ok(doca_graph_add_dependency(run->graph, from, to));
}

static void make_instance(struct run *run)
{
	assert_ok(doca_graph_start(run->graph));
	assert_ok(doca_graph_instance_create(run->graph, &run->instance));
	assert_ok(doca_graph_instance_set_user_data(run->instance,
						    (union doca_data){.ptr = run->nodes}));
	for (unsigned int i = 0; i < run->num_steps; i++) {
		if (run->tasks[i])
			assert_ok(doca_graph_instance_set_ctx_node_data(
				run->instance, run->nodes[i], &run->tasks[i]->base));
		else if (run->steps[i].run)
			assert_ok(doca_graph_instance_set_user_node_data(
				run->instance, run->nodes[i], &run->steps[i]));
	}
}

static void end(struct run *run)
{
	assert_true(list_is_empty(&run->toy->pe->graph_tasks)); /* pools have their callbacks */
	if (run->instance)
		assert_ok(doca_graph_instance_destroy(run->instance));
	for (unsigned int i = 0; i < run->num_steps; i++)
		if (run->tasks[i])
			doca_task_free(&run->tasks[i]->base);
	assert_ok(doca_graph_stop(run->graph));
	assert_ok(doca_graph_destroy(run->graph));
	/* callbacks of tasks are not called for those of a graph */
	assert_int_equal(run->toy->completed + run->toy->failed, 0);
}

static void finish(struct run *run, struct toy_task *task, doca_error_t status)
{
	assert_int_equal(task->base.state, TASK_SUBMITTED);
	task_complete(&task->base, status);
	toy_progress(run->toy);
}

static void expect_idle(const struct toy_task *task)
{
	assert_true(task->base.state == TASK_IDLE || task->base.state == TASK_HELD);
}

static int start_toy(void **state)
{
	int failure = toy_setup(state);
	struct toy *toy = *state;

	return failure ? failure : doca_ctx_start(&toy->ctx) != DOCA_SUCCESS;
}

static int stop_toy(void **state)
{
	struct toy *toy = *state;

	if (toy->ctx.state != DOCA_CTX_STATE_IDLE)
		assert_ok(doca_ctx_stop(&toy->ctx));
	return toy_teardown(state);
}

#define STARTED_TEST(name) cmocka_unit_test_setup_teardown(name, start_toy, stop_toy)

/* Two tasks, then a function: as the public sample has it. */
static void a_function_waits_for_all_before_it(void **state)
{
	struct toy *toy = *state;
	struct doca_graph_node *a, *b, *last;
	struct run run;

	begin(&run, toy);
	last = add_step(&run, 'l');
	a = add_task(&run);
	b = add_task(&run);
	after(&run, a, last);
	after(&run, b, last);
	make_instance(&run);
	for (unsigned int round = 0; round < 3; round++) {
		memset(run.seen, 0, sizeof(run.seen));
		assert_ok(doca_graph_instance_submit(run.instance));
		finish(&run, run.tasks[2], DOCA_SUCCESS);
		assert_string_equal(run.seen, "");
		finish(&run, run.tasks[1], DOCA_SUCCESS);
		assert_string_equal(run.seen, "l+");
	}
	end(&run);
}

static void a_task_waits_for_what_is_before_it(void **state)
{
	struct toy *toy = *state;
	struct doca_graph_node *first, *a, *between, *b;
	struct run run;

	begin(&run, toy);
	first = add_step(&run, 'f');
	a = add_task(&run);
	between = add_step(&run, 'b');
	b = add_task(&run);
	after(&run, first, a);
	after(&run, a, between);
	after(&run, between, b);
	after(&run, a, b); /* said twice, in a way */
	make_instance(&run);
	assert_ok(doca_graph_instance_submit(run.instance));
	assert_string_equal(run.seen, "f"); /* what waits for nothing is run at once */
	expect_idle(run.tasks[3]);
	finish(&run, run.tasks[1], DOCA_SUCCESS);
	assert_string_equal(run.seen, "fb");
	finish(&run, run.tasks[3], DOCA_SUCCESS);
	assert_string_equal(run.seen, "fb+");
	end(&run);
}

static void what_runs_is_not_touched(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin(&run, toy);
	add_task(&run);
	add_step(&run, 's');
	make_instance(&run);
	assert_ok(doca_graph_instance_submit(run.instance));
	assert_err(doca_graph_instance_submit(run.instance), IN_USE);
	assert_err(doca_graph_instance_destroy(run.instance), IN_USE);
	assert_err(doca_graph_instance_set_user_data(run.instance, (union doca_data){0}), IN_USE);
	assert_err(doca_graph_instance_set_user_node_data(run.instance, run.nodes[1], NULL),
		   BAD_STATE);
	assert_err(doca_graph_instance_set_ctx_node_data(run.instance, run.nodes[0],
							 &run.tasks[0]->base),
		   BAD_STATE);
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	assert_string_equal(run.seen, "s+");
	end(&run);
}

/* What is under way comes back first; nothing else begins. */
static void a_failed_task_ends_the_run(void **state)
{
	struct toy *toy = *state;
	struct doca_graph_node *a, *last;
	struct run run;

	begin(&run, toy);
	a = add_task(&run);
	add_task(&run);
	last = add_step(&run, 'l');
	after(&run, a, last);
	make_instance(&run);
	assert_ok(doca_graph_instance_submit(run.instance));
	finish(&run, run.tasks[0], DOCA_ERROR_IO_FAILED);
	assert_string_equal(run.seen, "");
	finish(&run, run.tasks[1], DOCA_SUCCESS);
	assert_string_equal(run.seen, "-");
	/* and the next run knows nothing of it */
	assert_ok(doca_graph_instance_submit(run.instance));
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	finish(&run, run.tasks[1], DOCA_SUCCESS);
	assert_string_equal(run.seen, "-l+");
	end(&run);
}

static void a_failed_function_ends_the_run(void **state)
{
	struct toy *toy = *state;
	struct doca_graph_node *a, *s, *b;
	struct run run;

	begin(&run, toy);
	a = add_task(&run);
	s = add_step(&run, 's');
	b = add_task(&run);
	after(&run, a, s);
	after(&run, s, b);
	make_instance(&run);
	run.steps[1].answer = DOCA_ERROR_NOT_FOUND;
	assert_ok(doca_graph_instance_submit(run.instance));
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	assert_string_equal(run.seen, "s-");
	expect_idle(run.tasks[2]);
	end(&run);
}

/* Whoever submits is told, and nobody else. */
static void a_first_step_that_fails_is_told_at_once(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin(&run, toy);
	add_task(&run);
	make_instance(&run);
	toy->submit_answer = DOCA_ERROR_NOT_CONNECTED;
	assert_err(doca_graph_instance_submit(run.instance), NOT_CONNECTED);
	toy->submit_answer = DOCA_SUCCESS;
	assert_ok(doca_graph_instance_submit(run.instance)); /* nothing was left behind */
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	assert_string_equal(run.seen, "+");
	end(&run);
}

static void the_rest_of_a_refused_run_comes_back(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin(&run, toy);
	add_task(&run);
	add_step(&run, 's');
	make_instance(&run);
	run.steps[1].answer = DOCA_ERROR_FULL;
	assert_err(doca_graph_instance_submit(run.instance), FULL);
	assert_err(doca_graph_instance_submit(run.instance), IN_USE);
	assert_err(doca_graph_instance_destroy(run.instance), IN_USE);
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	assert_string_equal(run.seen, "s");
	end(&run);
}

/* The pool is the program's as well, during a run and after it. */
static void other_tasks_have_their_own_callbacks(void **state)
{
	struct toy *toy = *state;
	struct toy_task *own;
	struct run run;

	toy->hold = true;
	begin(&run, toy);
	add_task(&run);
	add_task(&run);
	make_instance(&run);
	own = toy_send(toy);
	assert_ok(doca_graph_instance_submit(run.instance));
	task_complete(&own->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_ok(doca_task_submit(&own->base));
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	task_complete(&own->base, DOCA_ERROR_IO_FAILED);
	toy_progress(toy);
	assert_int_equal(toy->failed, 1);
	finish(&run, run.tasks[1], DOCA_SUCCESS);
	assert_string_equal(run.seen, "+");
	assert_ok(doca_task_submit(&own->base));
	task_complete(&own->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 2);
	doca_task_free(&own->base);
	toy->completed = toy->failed = 0;
	end(&run);
}

static void destroy_it(struct run *run)
{
	assert_ok(doca_graph_instance_destroy(run->instance));
	run->instance = NULL;
	doca_task_free(&run->tasks[0]->base);
	run->tasks[0] = NULL;
	assert_ok(doca_graph_stop(run->graph));
}

static void an_instance_may_be_destroyed_at_its_end(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin(&run, toy);
	add_task(&run);
	make_instance(&run);
	run.on_end = destroy_it;
	assert_ok(doca_graph_instance_submit(run.instance));
	finish(&run, run.tasks[0], DOCA_SUCCESS);
	assert_string_equal(run.seen, "+");
	end(&run);
}

static void submit_it(struct run *run)
{
	if (strlen(run->seen) < 3)
		assert_ok(doca_graph_instance_submit(run->instance));
}

static void an_instance_may_be_submitted_at_its_end(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin(&run, toy);
	add_task(&run);
	make_instance(&run);
	run.on_end = submit_it;
	assert_ok(doca_graph_instance_submit(run.instance));
	for (unsigned int i = 0; i < 3; i++)
		finish(&run, run.tasks[0], DOCA_SUCCESS);
	assert_string_equal(run.seen, "+++");
	end(&run);
}

/* a task, a function that waits for its end, and one that comes after the task */
static void begin_to_wait(struct run *run, struct toy *toy)
{
	struct doca_graph_node *a;

	begin(run, toy);
	a = add_task(run);
	add_step(run, 'w');
	run->steps[1].awaited = run->tasks[0];
	after(run, a, add_step(run, 'l'));
	make_instance(run);
}

static void a_function_may_drive_the_engine(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin_to_wait(&run, toy);
	run.steps[1].status = DOCA_ERROR_IO_FAILED;
	assert_err(doca_graph_instance_submit(run.instance), IO_FAILED);
	assert_string_equal(run.seen, "w");
	run.steps[1].status = DOCA_SUCCESS;
	run.on_end = destroy_it;
	assert_ok(doca_graph_instance_submit(run.instance));
	assert_string_equal(run.seen, "wwl+");
	end(&run);
}

/* A context that stops takes its tasks back with an error. */
static void a_context_that_stops_ends_the_run(void **state)
{
	struct toy *toy = *state;
	struct run run;

	begin(&run, toy);
	add_task(&run);
	make_instance(&run);
	assert_ok(doca_graph_instance_submit(run.instance));
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	finish(&run, run.tasks[0], DOCA_ERROR_IO_FAILED);
	assert_string_equal(run.seen, "-");
	end(&run);
	priv_ctx_stopped(&toy->ctx);
	toy_progress(toy);
	toy->stop_answer = DOCA_SUCCESS;
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
}

/* inner: a task. outer: a function, the inner one, a function */
static void build_nested(struct run *outer, struct run *inner, struct toy *toy)
{
	struct doca_graph_node *first, *last, **sub;

	begin(inner, toy);
	add_task(inner);
	make_instance(inner);
	begin(outer, toy);
	first = add_step(outer, 'f');
	sub = &outer->nodes[outer->num_steps++];
	assert_ok(doca_graph_node_create_from_graph(outer->graph, inner->graph, sub));
	last = add_step(outer, 'l');
	after(outer, first, *sub);
	after(outer, *sub, last);
	make_instance(outer);
	assert_ok(doca_graph_instance_set_sub_graph_node_data(outer->instance, *sub,
							      inner->instance));
}

static void a_graph_is_a_step_of_another(void **state)
{
	struct toy *toy = *state;
	struct run outer, inner;

	build_nested(&outer, &inner, toy);
	assert_ok(doca_graph_instance_submit(outer.instance));
	assert_string_equal(outer.seen, "f");
	assert_err(doca_graph_instance_submit(inner.instance), IN_USE);
	finish(&inner, inner.tasks[0], DOCA_SUCCESS);
	assert_string_equal(outer.seen, "fl+");
	assert_string_equal(inner.seen, ""); /* its callbacks are not called */
	assert_ok(doca_graph_instance_submit(outer.instance));
	finish(&inner, inner.tasks[0], DOCA_ERROR_IO_FAILED);
	assert_string_equal(outer.seen, "fl+f-");
	/* alone it is like any other, and the step fails meanwhile */
	assert_ok(doca_graph_instance_submit(inner.instance));
	assert_err(doca_graph_instance_submit(outer.instance), IN_USE);
	assert_string_equal(outer.seen, "fl+f-f");
	finish(&inner, inner.tasks[0], DOCA_SUCCESS);
	assert_string_equal(inner.seen, "+");
	end(&outer);
	end(&inner);
}

static void a_step_may_have_run_through_at_once(void **state)
{
	struct toy *toy = *state;
	struct doca_graph_node **sub;
	struct run outer, inner;

	begin_to_wait(&inner, toy);
	begin(&outer, toy);
	sub = &outer.nodes[outer.num_steps++];
	assert_ok(doca_graph_node_create_from_graph(outer.graph, inner.graph, sub));
	after(&outer, *sub, add_step(&outer, 'l'));
	make_instance(&outer);
	assert_ok(
		doca_graph_instance_set_sub_graph_node_data(outer.instance, *sub, inner.instance));
	assert_ok(doca_graph_instance_submit(outer.instance));
	assert_string_equal(inner.seen, "wl");
	assert_string_equal(outer.seen, "l+");
	end(&outer);
	end(&inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STARTED_TEST(a_function_waits_for_all_before_it),
		STARTED_TEST(a_task_waits_for_what_is_before_it),
		STARTED_TEST(what_runs_is_not_touched),
		STARTED_TEST(a_failed_task_ends_the_run),
		STARTED_TEST(a_failed_function_ends_the_run),
		STARTED_TEST(a_first_step_that_fails_is_told_at_once),
		STARTED_TEST(the_rest_of_a_refused_run_comes_back),
		STARTED_TEST(other_tasks_have_their_own_callbacks),
		STARTED_TEST(an_instance_may_be_destroyed_at_its_end),
		STARTED_TEST(an_instance_may_be_submitted_at_its_end),
		STARTED_TEST(a_function_may_drive_the_engine),
		STARTED_TEST(a_context_that_stops_ends_the_run),
		STARTED_TEST(a_graph_is_a_step_of_another),
		STARTED_TEST(a_step_may_have_run_through_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
