/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instances of graphs, and how they run: a step begins when all those that it waits for are done.
 *
 * The end of a task is told to its pool's callbacks, which are the program's. While tasks of graphs
 * are under way these are exchanged for one of ours, which calls the program's for all others.
 */
#define LOG_MODULE "core"
#include "core/graph.h"

#include <assert.h>
#include <stdlib.h>
#include "base/log.h"
#include "core/pe.h"
#include "core/task.h"

/* What an instance has of a node. */
struct node_data {
	struct doca_graph_instance *instance;
	const struct doca_graph_node *node;
	void *data;		/* its task, its cookie, or the instance that it runs */
	uint32_t num_awaited;	/* how many are not done yet */
	struct node_data *next; /* in instance->ready */
	/* while its task is under way */
	struct list_node pe_node;
	doca_task_completion_cb_t completion_cb, error_cb; /* those of the task's pool */
};

enum instance_state {
	INSTANCE_IDLE,
	INSTANCE_SUBMITTED,
	INSTANCE_REFUSED, /* the submit has said so, and some tasks are under way all the same */
};

struct doca_graph_instance {
	struct doca_graph *graph;
	union doca_data user_data;
	uint32_t num_users; /* for so many nodes it is what they run */
	/* the run */
	enum instance_state state;
	struct node_data *parent; /* that runs it; NULL: the program has submitted it */
	doca_error_t status;	  /* of the first step that failed */
	uint32_t num_running;
	struct node_data *ready; /* waits for nothing any more */
	struct node_data nodes[];
};

/*
 * Set-up
 */

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
					struct doca_graph_instance **graph_instance)
{
	struct doca_graph_instance *made;

	if (!graph || !graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (!graph->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (graph->num_instances == graph->max_instances) {
		LOG_ERR("graph: it has all of the %u instances that doca_graph_set_conf() allows",
			graph->max_instances);
		return DOCA_ERROR_NO_MEMORY;
	}
	made = calloc(1, sizeof(*made) + graph->num_nodes * sizeof(made->nodes[0]));
	if (!made)
		return DOCA_ERROR_NO_MEMORY;
	made->graph = (struct doca_graph *)graph; /* it counts them */
	made->graph->num_instances++;
	for (const struct doca_graph_node *node = graph->nodes; node; node = node->next) {
		made->nodes[node->index].instance = made;
		made->nodes[node->index].node = node;
	}
	*graph_instance = made;
	return DOCA_SUCCESS;
}

static void drop_sub_instance(struct node_data *data)
{
	struct doca_graph_instance *sub = data->data;

	if (data->node->kind == GRAPH_NODE_SUB_GRAPH && sub)
		sub->num_users--;
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
	if (!graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph_instance->state != INSTANCE_IDLE || graph_instance->num_users)
		return DOCA_ERROR_IN_USE;
	for (uint32_t i = 0; i < graph_instance->graph->num_nodes; i++)
		drop_sub_instance(&graph_instance->nodes[i]);
	graph_instance->graph->num_instances--;
	free(graph_instance);
	return DOCA_SUCCESS;
}

static doca_error_t find_node(struct doca_graph_instance *instance,
			      const struct doca_graph_node *node, enum graph_node_kind kind,
			      struct node_data **ret_data)
{
	if (!instance || !node)
		return DOCA_ERROR_INVALID_VALUE;
	if (instance->state != INSTANCE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (node->graph != instance->graph || node->kind != kind)
		return DOCA_ERROR_NOT_PERMITTED;
	*ret_data = &instance->nodes[node->index];
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
						   struct doca_graph_node *node,
						   struct doca_task *task)
{
	struct node_data *data;
	doca_error_t err;

	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	err = find_node(graph_instance, node, GRAPH_NODE_CTX, &data);
	if (err)
		return err;
	if (task->pool->ctx != node->run.ctx)
		return DOCA_ERROR_NOT_PERMITTED;
	data->data = task;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
						    struct doca_graph_node *node, void *cookie)
{
	struct node_data *data;
	doca_error_t err = find_node(graph_instance, node, GRAPH_NODE_USER, &data);

	if (!err)
		data->data = cookie;
	return err;
}

doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
					    struct doca_graph_node *node,
					    struct doca_graph_instance *sub_graph_instance)
{
	struct node_data *data;
	doca_error_t err;

	if (!sub_graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	err = find_node(graph_instance, node, GRAPH_NODE_SUB_GRAPH, &data);
	if (err)
		return err;
	if (sub_graph_instance->graph != node->run.sub_graph ||
	    sub_graph_instance->state != INSTANCE_IDLE)
		return DOCA_ERROR_NOT_PERMITTED;
	drop_sub_instance(data);
	sub_graph_instance->num_users++;
	data->data = sub_graph_instance;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
					       union doca_data user_data)
{
	if (!graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph_instance->state != INSTANCE_IDLE)
		return DOCA_ERROR_IN_USE;
	graph_instance->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
					       union doca_data *user_data)
{
	if (!graph_instance || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = graph_instance->user_data;
	return DOCA_SUCCESS;
}

/*
 * Steps
 */

static void make_ready(struct node_data *data)
{
	data->next = data->instance->ready;
	data->instance->ready = data;
}

/* Those that wait for it no longer do; the first one is the next to run. */
static void release_followers(const struct node_data *data)
{
	for (uint32_t i = data->node->num_followers; i-- > 0;) {
		struct node_data *follower =
			&data->instance->nodes[data->node->followers[i]->index];

		if (--follower->num_awaited == 0)
			make_ready(follower);
	}
}

static void run_ready(struct doca_graph_instance *instance);

static void end(struct doca_graph_instance *instance);

/* A step that took its time. */
static void finish(const struct node_data *data, doca_error_t status)
{
	struct doca_graph_instance *instance = data->instance;

	instance->num_running--;
	if (!status)
		release_followers(data);
	else if (!instance->status)
		instance->status = status;
	run_ready(instance);
	if (!instance->num_running)
		end(instance);
}

/* The program, after which it may be no more. */
static void tell_end(struct doca_graph_instance *instance)
{
	const struct doca_graph *graph = instance->graph;

	(instance->status ? graph->error_cb : graph->completion_cb)(instance, instance->user_data,
								    graph->user_data);
}

/* Nothing of it is under way. Tells whoever waits for it, after which it may be no more. */
static void end(struct doca_graph_instance *instance)
{
	const struct node_data *parent = instance->parent;
	enum instance_state state = instance->state;

	instance->state = INSTANCE_IDLE;
	instance->parent = NULL;
	if (state == INSTANCE_REFUSED)
		return;
	if (parent)
		finish(parent, instance->status);
	else
		tell_end(instance);
}

/*
 * false: nothing of it is under way. It has failed, or has run through: a function may have called
 * doca_pe_progress(), which finishes others. So it counts itself as running until all has begun.
 */
static bool begin(struct doca_graph_instance *instance, struct node_data *parent)
{
	instance->state = INSTANCE_SUBMITTED;
	instance->parent = parent;
	instance->status = DOCA_SUCCESS;
	instance->ready = NULL;
	instance->num_running = 1;
	for (uint32_t i = instance->graph->num_nodes; i-- > 0;) {
		struct node_data *data = &instance->nodes[i];

		data->num_awaited = data->node->num_awaited;
		if (!data->num_awaited)
			make_ready(data);
	}
	run_ready(instance);
	if (--instance->num_running)
		return true;
	instance->state = INSTANCE_IDLE;
	instance->parent = NULL;
	return false;
}

/* May it begin? */
static doca_error_t check_begin(const struct doca_graph_instance *instance)
{
	if (instance->state != INSTANCE_IDLE)
		return DOCA_ERROR_IN_USE;
	for (uint32_t i = 0; i < instance->graph->num_nodes; i++) {
		const struct node_data *data = &instance->nodes[i];

		if (data->data || data->node->kind == GRAPH_NODE_USER)
			continue;
		LOG_ERR("graph: not run, for a node has no %s",
			data->node->kind == GRAPH_NODE_CTX ? "task" : "instance");
		return DOCA_ERROR_BAD_STATE;
	}
	return DOCA_SUCCESS;
}

/*
 * Tasks
 */

static struct task_pool *pool_of(const struct node_data *data)
{
	return ((const struct doca_task *)data->data)->pool;
}

/* One whose task is under way and is from the pool; NULL: none */
static struct node_data *find_under_way(const struct doca_pe *pe, const struct task_pool *pool,
					const struct doca_task *task)
{
	struct list_node *node;

	list_for_each (node, &pe->graph_tasks) {
		struct node_data *data = container_of(node, struct node_data, pe_node);

		if (pool_of(data) == pool && (!task || data->data == task))
			return data;
	}
	return NULL;
}

/* Gives its callbacks back to the pool, when this was the last one. */
static void unwatch(struct doca_pe *pe, struct node_data *data)
{
	struct task_pool *pool = pool_of(data);

	list_remove(&data->pe_node);
	if (find_under_way(pe, pool, NULL))
		return;
	pool->completion_cb = data->completion_cb;
	pool->error_cb = data->error_cb;
}

/* Called for all tasks of a pool of which some are graphs'. */
static void told(struct doca_task *task, union doca_data task_user_data,
		 union doca_data ctx_user_data)
{
	struct task_pool *pool = task->pool;
	struct doca_pe *pe = pool->ctx->pe;
	doca_error_t status = task->status;
	struct node_data *data = find_under_way(pe, pool, task);

	if (data) {
		unwatch(pe, data);
		finish(data, status);
		return;
	}
	data = find_under_way(pe, pool, NULL);
	assert(data); /* or the callbacks would be the program's */
	(status ? data->error_cb : data->completion_cb)(task, task_user_data, ctx_user_data);
}

static void watch(struct doca_pe *pe, struct node_data *data)
{
	struct task_pool *pool = pool_of(data);
	const struct node_data *other;

	if (pool->completion_cb == told) {
		other = find_under_way(pe, pool, NULL);
		assert(other);
		data->completion_cb = other->completion_cb;
		data->error_cb = other->error_cb;
	} else {
		data->completion_cb = pool->completion_cb;
		data->error_cb = pool->error_cb;
		pool->completion_cb = told;
		pool->error_cb = told;
	}
	list_add_tail(&pe->graph_tasks, &data->pe_node);
}

static doca_error_t run_task(struct node_data *data)
{
	struct doca_pe *pe = data->instance->graph->pe;
	doca_error_t err;

	watch(pe, data);
	err = priv_task_submit(data->data);
	if (err)
		unwatch(pe, data);
	else
		data->instance->num_running++;
	return err;
}

static doca_error_t run_sub_graph(struct node_data *data)
{
	struct doca_graph_instance *sub = data->data;
	doca_error_t err = check_begin(sub);

	if (err)
		return err;
	if (begin(sub, data)) {
		data->instance->num_running++;
		return DOCA_SUCCESS;
	}
	if (!sub->status)
		release_followers(data);
	return sub->status;
}

static doca_error_t run_user(struct node_data *data)
{
	doca_error_t err = data->node->run.cb(data->data);

	if (!err)
		release_followers(data);
	return err;
}

static doca_error_t (*const run[])(struct node_data *data) = {
	[GRAPH_NODE_CTX] = run_task,
	[GRAPH_NODE_USER] = run_user,
	[GRAPH_NODE_SUB_GRAPH] = run_sub_graph,
};

/* Begins what waits for nothing any more, until a step fails. */
static void run_ready(struct doca_graph_instance *instance)
{
	doca_error_t err;

	while (!instance->status && instance->ready) {
		struct node_data *data = instance->ready;

		instance->ready = data->next;
		err = run[data->node->kind](data);
		if (!instance->status) /* a function may have waited for one that has failed */
			instance->status = err;
	}
}

doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance)
{
	bool is_under_way;
	doca_error_t err;

	if (!graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_begin(graph_instance);
	if (err)
		return err;
	is_under_way = begin(graph_instance, NULL);
	err = graph_instance->status;
	if (err && is_under_way)
		graph_instance->state = INSTANCE_REFUSED;
	if (!err && !is_under_way)
		tell_end(graph_instance);
	return err;
}
