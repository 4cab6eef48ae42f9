/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intrusive circular doubly linked list. The head is a node that belongs to nobody; a node that is
 * in no list points at itself, so removing it twice is harmless.
 */
#ifndef SOFTFIELD_BASE_LIST_H
#define SOFTFIELD_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_node {
	struct list_node *next, *prev;
};

/* Through void *: what a member lies in is aligned as it must be, which compilers cannot know. */
#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

static inline void list_init(struct list_node *node)
{
	node->next = node->prev = node;
}

static inline bool list_is_empty(const struct list_node *head)
{
	return head->next == head;
}

/* true when a node (not a head) is member of some list */
static inline bool list_is_linked(const struct list_node *node)
{
	return node->next != node;
}

static inline void list_add_tail(struct list_node *head, struct list_node *node)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

static inline void list_add_head(struct list_node *head, struct list_node *node)
{
	list_add_tail(head->next, node); /* before the first one */
}

static inline void list_remove(struct list_node *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

/* takes the first node out of the list; NULL when the list is empty */
static inline struct list_node *list_pop(struct list_node *head)
{
	struct list_node *node = head->next;

	if (node == head)
		return NULL;
	list_remove(node);
	return node;
}

#define list_for_each(node, head) for (node = (head)->next; node != (head); node = node->next)

/* the body may remove node, and nothing else */
#define list_for_each_safe(node, tmp, head)                                                        \
	for (node = (head)->next, tmp = node->next; node != (head); node = tmp, tmp = node->next)

#endif
