/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: tasks, functions of the program and further graphs that run one after the other, as their
 * dependencies say, with one callback at the end.
 *
 * A graph has nodes and is started. Instances of it have what each node works with, and are
 * submitted, again and again.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;

/** What has to be done, and in which order. */
struct doca_graph;

/** A step of a graph, to which it belongs. */
struct doca_graph_node;

/** What the steps of a graph work with; runs one at a time. */
struct doca_graph_instance;

/**
 * @brief An instance has come to its end.
 *
 * May submit it again or destroy it.
 *
 * @param [in] instance the instance.
 * @param [in] instance_user_data what doca_graph_instance_set_user_data() has set.
 * @param [in] graph_user_data what doca_graph_set_user_data() has set.
 */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
					   union doca_data instance_user_data,
					   union doca_data graph_user_data);

/**
 * @brief A step that the program does.
 *
 * @param [in] cookie what doca_graph_instance_set_user_node_data() has set.
 *
 * @return DOCA_SUCCESS; anything else, and the instance fails.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * @brief Creates a graph without nodes.
 *
 * @param [in] pe the progress engine of the contexts whose tasks it will run.
 * @param [out] graph give it back with doca_graph_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);

/**
 * @brief Destroys a graph and its nodes.
 *
 * @param [in] graph the graph.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL
 * - DOCA_ERROR_BAD_STATE: it is not stopped
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * @brief Sets who is told of instances, and how many of them there may be.
 *
 * @param [in] graph a graph that is not started.
 * @param [in] graph_completion_cb called when an instance has run through.
 * @param [in] graph_error_cb called when a step of an instance has failed.
 * @param [in] num_instances how many instances there may be at a time; not 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_instances is 0
 * - DOCA_ERROR_BAD_STATE: it is not stopped
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
				 doca_graph_completion_cb_t graph_completion_cb,
				 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances);

/**
 * @brief Sets what the callbacks get besides the instance.
 *
 * @param [in] graph a graph that is not started.
 * @param [in] user_data the program's own.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL
 * - DOCA_ERROR_BAD_STATE: it is not stopped
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);

/**
 * @brief Tells what doca_graph_set_user_data() has set.
 *
 * @param [in] graph the graph.
 * @param [out] user_data the program's own; zero when nothing was set.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/**
 * @brief Adds a step that is a task.
 *
 * It is done when the task has completed; the callbacks of the task are not called.
 *
 * @param [in] graph a graph that is not started.
 * @param [in] ctx the context of the task; exists whenever the graph is started, until it is
 *        stopped.
 * @param [out] node waits for nothing yet; goes with its graph.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the graph is not stopped
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
					     struct doca_graph_node **node);

/**
 * @brief Adds a step that is a call of a function.
 *
 * @param [in] graph a graph that is not started.
 * @param [in] cb called inside doca_pe_progress(), or inside doca_graph_instance_submit() when
 *             nothing comes before it; there it may call doca_pe_progress().
 * @param [out] node waits for nothing yet; goes with its graph.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the graph is not stopped
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
					      doca_graph_user_node_cb_t cb,
					      struct doca_graph_node **node);

/**
 * @brief Adds a step that is a whole graph.
 *
 * It is done when the instance has run through; the callbacks of the graph are not called.
 *
 * @param [in] graph a graph that is not started.
 * @param [in] sub_graph a graph of the same progress engine that is started.
 * @param [out] node waits for nothing yet; goes with its graph.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the progress engines differ
 * - DOCA_ERROR_BAD_STATE: graph is not stopped, or sub_graph is not started
 * - DOCA_ERROR_NOT_PERMITTED: sub_graph has graph in it
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
					       struct doca_graph *sub_graph,
					       struct doca_graph_node **node);

/**
 * @brief Makes a step wait for another one.
 *
 * @param [in] graph a graph that is not started, to which both nodes belong.
 * @param [in] from comes first.
 * @param [in] to comes after it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or a node is another graph's
 * - DOCA_ERROR_BAD_STATE: the graph is not stopped
 * - DOCA_ERROR_NOT_PERMITTED: from would have to wait for itself
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
				       struct doca_graph_node *to);

/**
 * @brief Starts a graph, after which it has instances and does not change.
 *
 * @param [in] graph the graph; started already is fine.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL
 * - DOCA_ERROR_BAD_STATE: doca_graph_set_conf() was not called, no node has a context or a graph, a
 *   context does not run, or runs on another progress engine
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/**
 * @brief Stops a graph, which can be changed and started again.
 *
 * @param [in] graph the graph; stopped already is fine.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph is NULL
 * - DOCA_ERROR_IN_USE: it has instances
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * @brief Creates an instance of a graph.
 *
 * @param [in] graph a graph that is started.
 * @param [out] graph_instance give it back with doca_graph_instance_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the graph is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for it, or there are as many as doca_graph_set_conf() allows
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
					struct doca_graph_instance **graph_instance);

/**
 * @brief Destroys an instance; its tasks are still the program's.
 *
 * @param [in] graph_instance the instance.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL
 * - DOCA_ERROR_IN_USE: it is submitted, or set for a node of another instance
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * @brief Sets the task of a node.
 *
 * @param [in] graph_instance an instance that is not submitted.
 * @param [in] node a node of its graph with a context.
 * @param [in] task a task of that context; exists for as long as the instance.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the instance is submitted
 * - DOCA_ERROR_NOT_PERMITTED: the node is another graph's or has no context, or the task is another
 *   context's
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
						   struct doca_graph_node *node,
						   struct doca_task *task);

/**
 * @brief Sets what the function of a node is called with; NULL without it.
 *
 * @param [in] graph_instance an instance that is not submitted.
 * @param [in] node a node of its graph with a function.
 * @param [in] cookie the program's own; may be NULL.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance or node is NULL
 * - DOCA_ERROR_BAD_STATE: the instance is submitted
 * - DOCA_ERROR_NOT_PERMITTED: the node is another graph's or has no function
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
						    struct doca_graph_node *node, void *cookie);

/**
 * @brief Sets the instance that a node with a graph runs.
 *
 * @param [in] graph_instance an instance that is not submitted.
 * @param [in] node a node of its graph with a graph.
 * @param [in] sub_graph_instance an instance of that one that is not submitted.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the instance is submitted
 * - DOCA_ERROR_NOT_PERMITTED: the node is another graph's or has no graph, or sub_graph_instance is
 *   another graph's or submitted
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
					    struct doca_graph_node *node,
					    struct doca_graph_instance *sub_graph_instance);

/**
 * @brief Runs an instance: the nodes that wait for nothing at once, the others after these.
 *
 * When a step fails, none begins after it, and the error callback is called when those under way
 * have come back. It is not called when doca_graph_instance_submit() itself has said so; until the
 * others are back the instance then counts as submitted. An instance cannot be stopped. If a
 * function has driven the progress engine until all was done, the completion callback is called
 * before this returns.
 *
 * @param [in] graph_instance the instance.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL
 * - DOCA_ERROR_IN_USE: it is submitted
 * - DOCA_ERROR_BAD_STATE: a node with a context or a graph has nothing to run
 * - what the submission of a first task, or a first function, has answered
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

/**
 * @brief Sets what the callbacks get with the instance.
 *
 * @param [in] graph_instance an instance that is not submitted.
 * @param [in] user_data the program's own.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: graph_instance is NULL
 * - DOCA_ERROR_IN_USE: it is submitted
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
					       union doca_data user_data);

/**
 * @brief Tells what doca_graph_instance_set_user_data() has set.
 *
 * @param [in] graph_instance the instance.
 * @param [out] user_data the program's own; zero when nothing was set.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *
 * The thread of the progress engine. Source: decision 61.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
					       union doca_data *user_data);

#ifdef __cplusplus
}
#endif

#endif
