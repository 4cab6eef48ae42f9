/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: nodes, and which of them wait for which.
 */
#define LOG_MODULE "core"
#include "core/graph.h"

#include <stdlib.h>
#include "base/log.h"
#include "core/ctx.h"

doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
{
	struct doca_graph *made;

	if (!pe || !graph)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (!made)
		return DOCA_ERROR_NO_MEMORY;
	made->pe = pe;
	made->refs = 1;
	*graph = made;
	return DOCA_SUCCESS;
}

static void unref(struct doca_graph *graph)
{
	if (--graph->refs == 0)
		free(graph);
}

static void free_nodes(struct doca_graph *graph)
{
	struct doca_graph_node *node;

	while ((node = graph->nodes)) {
		graph->nodes = node->next;
		if (node->kind == GRAPH_NODE_SUB_GRAPH)
			unref(node->run.sub_graph);
		free(node->followers);
		free(node);
	}
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->is_started)
		return DOCA_ERROR_BAD_STATE;
	free_nodes(graph);
	unref(graph);
	return DOCA_SUCCESS;
}

/* For what changes a graph. */
static doca_error_t check_stopped(const struct doca_graph *graph)
{
	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (!graph->is_started)
		return DOCA_SUCCESS;
	LOG_ERR("graph: refused, for it is started; doca_graph_stop() comes first");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_graph_set_conf(struct doca_graph *graph,
				 doca_graph_completion_cb_t graph_completion_cb,
				 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances)
{
	doca_error_t err;

	if (!graph_completion_cb || !graph_error_cb || !num_instances)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_stopped(graph);
	if (err)
		return err;
	graph->completion_cb = graph_completion_cb;
	graph->error_cb = graph_error_cb;
	graph->max_instances = num_instances;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data)
{
	doca_error_t err = check_stopped(graph);

	if (!err)
		graph->user_data = user_data;
	return err;
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data)
{
	if (!graph || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = graph->user_data;
	return DOCA_SUCCESS;
}

/*
 * Nodes
 */

static doca_error_t add_node(struct doca_graph *graph, enum graph_node_kind kind,
			     struct doca_graph_node **ret_node)
{
	struct doca_graph_node *node = calloc(1, sizeof(*node));

	if (!node)
		return DOCA_ERROR_NO_MEMORY;
	node->graph = graph;
	node->kind = kind;
	node->index = graph->num_nodes++;
	node->next = graph->nodes;
	graph->nodes = node;
	*ret_node = node;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
					     struct doca_graph_node **node)
{
	doca_error_t err;

	if (!ctx || !node)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_stopped(graph);
	if (!err)
		err = add_node(graph, GRAPH_NODE_CTX, node);
	if (!err)
		(*node)->run.ctx = ctx;
	return err;
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
					      doca_graph_user_node_cb_t cb,
					      struct doca_graph_node **node)
{
	doca_error_t err;

	if (!cb || !node)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_stopped(graph);
	if (!err)
		err = add_node(graph, GRAPH_NODE_USER, node);
	if (!err)
		(*node)->run.cb = cb;
	return err;
}

/* What runs in a graph, and has not been seen, is to be looked at after the last one that is. */
static void see_sub_graphs(const struct doca_graph *graph, struct doca_graph **last)
{
	for (const struct doca_graph_node *node = graph->nodes; node; node = node->next) {
		struct doca_graph *sub_graph = node->run.sub_graph;

		if (node->kind != GRAPH_NODE_SUB_GRAPH || sub_graph->is_seen)
			continue;
		sub_graph->is_seen = true;
		sub_graph->todo = NULL;
		(*last)->todo = sub_graph;
		*last = sub_graph;
	}
}

/* Is it the graph itself, or one that runs in it, at whatever depth, and however often? */
static bool has_in_it(struct doca_graph *graph, const struct doca_graph *sought)
{
	struct doca_graph *last = graph, *seen;
	bool is_in_it = false;

	graph->is_seen = true;
	graph->todo = NULL;
	for (seen = graph; seen; seen = seen->todo) {
		is_in_it |= seen == sought;
		see_sub_graphs(seen, &last);
	}
	for (seen = graph; seen; seen = seen->todo)
		seen->is_seen = false;
	return is_in_it;
}

static doca_error_t check_sub_graph(const struct doca_graph *graph, struct doca_graph *sub_graph)
{
	if (has_in_it(sub_graph, graph))
		return DOCA_ERROR_NOT_PERMITTED;
	if (!sub_graph->is_started)
		return DOCA_ERROR_BAD_STATE;
	return sub_graph->pe == graph->pe ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
					       struct doca_graph *sub_graph,
					       struct doca_graph_node **node)
{
	doca_error_t err;

	if (!sub_graph || !node)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_stopped(graph);
	if (!err)
		err = check_sub_graph(graph, sub_graph);
	if (!err)
		err = add_node(graph, GRAPH_NODE_SUB_GRAPH, node);
	if (!err) {
		sub_graph->refs++;
		(*node)->run.sub_graph = sub_graph;
	}
	return err;
}

/* Does one wait for the other, directly or through others? */
static bool leads_to(struct doca_graph_node *from, const struct doca_graph_node *to)
{
	struct doca_graph_node *todo = from;

	for (struct doca_graph_node *node = from->graph->nodes; node; node = node->next)
		node->is_seen = false;
	from->is_seen = true;
	from->todo = NULL;
	while (todo) {
		struct doca_graph_node *node = todo;

		if (node == to)
			return true;
		todo = node->todo;
		for (uint32_t i = 0; i < node->num_followers; i++) {
			struct doca_graph_node *follower = node->followers[i];

			if (follower->is_seen)
				continue;
			follower->is_seen = true;
			follower->todo = todo;
			todo = follower;
		}
	}
	return false;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
				       struct doca_graph_node *to)
{
	struct doca_graph_node **followers;
	doca_error_t err;

	if (!from || !to)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_stopped(graph);
	if (err)
		return err;
	if (from->graph != graph || to->graph != graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (leads_to(to, from))
		return DOCA_ERROR_NOT_PERMITTED;
	followers = realloc(from->followers, (from->num_followers + 1) * sizeof(*followers));
	if (!followers)
		return DOCA_ERROR_NO_MEMORY;
	from->followers = followers;
	followers[from->num_followers++] = to;
	to->num_awaited++;
	return DOCA_SUCCESS;
}

/*
 * Life
 */

static bool can_run(const struct doca_graph *graph, const struct doca_graph_node *node)
{
	const struct doca_ctx *ctx = node->run.ctx;

	if (node->kind != GRAPH_NODE_CTX)
		return true;
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		LOG_ERR("graph: not started, for the context of a node does not run");
	else if (ctx->pe != graph->pe)
		LOG_ERR("graph: not started, for the context of a node is connected to another "
			"progress engine");
	else
		return true;
	return false;
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
	bool has_task = false;

	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->is_started)
		return DOCA_SUCCESS;
	if (!graph->completion_cb) {
		LOG_ERR("graph: not started, for doca_graph_set_conf() was not called");
		return DOCA_ERROR_BAD_STATE;
	}
	for (const struct doca_graph_node *node = graph->nodes; node; node = node->next) {
		if (!can_run(graph, node))
			return DOCA_ERROR_BAD_STATE;
		has_task |= node->kind != GRAPH_NODE_USER;
	}
	if (!has_task) {
		LOG_ERR("graph: not started, for none of its nodes has a context");
		return DOCA_ERROR_BAD_STATE;
	}
	graph->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->num_instances) {
		LOG_ERR("graph: not stopped, for %u of its instances are not destroyed",
			graph->num_instances);
		return DOCA_ERROR_IN_USE;
	}
	graph->is_started = false;
	return DOCA_SUCCESS;
}
