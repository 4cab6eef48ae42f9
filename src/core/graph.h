/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: what graph.c builds, and graph_instance.c runs. All of it is used by the one thread of
 * its progress engine.
 */
#ifndef SOFTFIELD_CORE_GRAPH_H
#define SOFTFIELD_CORE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include "doca_graph.h"

enum graph_node_kind {
	GRAPH_NODE_CTX,
	GRAPH_NODE_USER,
	GRAPH_NODE_SUB_GRAPH,
};

struct doca_graph_node {
	struct doca_graph *graph;
	struct doca_graph_node *next; /* of the graph's */
	enum graph_node_kind kind;
	union {
		const struct doca_ctx *ctx;
		doca_graph_user_node_cb_t cb;
		struct doca_graph *sub_graph; /* holds a reference */
	} run;
	uint32_t index;	      /* in the nodes of an instance */
	uint32_t num_awaited; /* for how many it waits */
	struct doca_graph_node **followers;
	uint32_t num_followers;
	/* while paths are looked for */
	bool is_seen;
	struct doca_graph_node *todo;
};

struct doca_graph {
	struct doca_pe *pe;
	uint32_t refs; /* the program's, until it destroys it, and one for each node that runs it */
	bool is_started;
	doca_graph_completion_cb_t completion_cb, error_cb;
	union doca_data user_data;
	uint32_t max_instances, num_instances;
	struct doca_graph_node *nodes;
	uint32_t num_nodes;
	/* while circles are looked for */
	bool is_seen;
	struct doca_graph *todo;
};

#endif
