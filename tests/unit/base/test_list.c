/* SPDX-License-Identifier: BSD-3-Clause */
/* The intrusive list. */
#include "test.h"

#include "base/list.h"

struct item {
	int number;
	struct list_node node;
};

static struct item items[4];

static void fill(struct list_node *head)
{
	unsigned int i;

	list_init(head);
	for (i = 0; i < ARRAY_SIZE(items); i++) {
		items[i].number = (int)i;
		list_add_tail(head, &items[i].node);
	}
}

static int sum_up(const struct list_node *head)
{
	struct list_node *node;
	int sum = 0;

	list_for_each (node, head)
		sum = sum * 10 + container_of(node, struct item, node)->number;
	return sum;
}

static void the_order_is_that_of_adding(void **state)
{
	struct list_node head;

	(void)state;
	fill(&head);
	assert_false(list_is_empty(&head));
	assert_int_equal(sum_up(&head), 123);
}

static void pop_takes_the_first(void **state)
{
	struct list_node head;
	unsigned int i;

	(void)state;
	fill(&head);
	for (i = 0; i < ARRAY_SIZE(items); i++) {
		assert_ptr_equal(list_pop(&head), &items[i].node);
		assert_false(list_is_linked(&items[i].node));
	}
	assert_true(list_is_empty(&head));
	assert_null(list_pop(&head));
}

static void removing_twice_is_harmless(void **state)
{
	struct list_node head;

	(void)state;
	fill(&head);
	list_remove(&items[1].node);
	list_remove(&items[1].node);
	assert_int_equal(sum_up(&head), 23);
}

static void a_safe_loop_may_remove_its_node(void **state)
{
	struct list_node head, *node, *tmp;

	(void)state;
	fill(&head);
	list_for_each_safe (node, tmp, &head)
		if (container_of(node, struct item, node)->number % 2)
			list_remove(node);
	assert_int_equal(sum_up(&head), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_that_of_adding),
		cmocka_unit_test(pop_takes_the_first),
		cmocka_unit_test(removing_twice_is_harmless),
		cmocka_unit_test(a_safe_loop_may_remove_its_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
