/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of exports that importers cannot map, and which limits there are.
 */
#include "takeovertest.h"

#include <pthread.h>
#include <sys/prctl.h>
#include "link/region_pages.h"

#define PAGE ((size_t)4096)

/*
 * Where no thread can be kept out
 */

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* exit status: which step was wrong */
static void live_without_guard(struct child *parent, void *arg)
{
	struct region_pages pages[2], again;
	char *memory = map_plain(2 * PAGE);
	pthread_t thread;

	(void)parent;
	(void)arg;
	become_nobody();
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* or it could not see its own mappings */
	for (size_t i = 0; i < 2; i++) {
		enum takeover obstacle =
			region_pages_add(&pages[i], memory + i * PAGE, PAGE, TAKEOVER_DONE);

		if (obstacle) /* A sanitizer has a thread of its own. */
			_exit(obstacle == TAKEOVER_THREADS ? SKIP : 1);
	}
	fill(memory, 2 * PAGE);
	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		_exit(SKIP);
	region_pages_remove(&pages[0]);
	if (!is_filled(memory, 2 * PAGE))
		_exit(2);
	/* It is the program's own, though still a mapping of the file. */
	if (!region_pages_add(&again, memory, PAGE, TAKEOVER_DONE))
		_exit(3);
	region_pages_remove(&again);
	_exit(is_filled(memory, 2 * PAGE) ? 0 : 4);
}

static void what_was_given_back_is_not_shared(void **state)
{
	struct child child = child_start(live_without_guard, NULL);
	int status = child_join(&child);

	(void)state;
	if (status == SKIP)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_given_back_is_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
