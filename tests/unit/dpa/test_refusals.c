/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is refused: the log says why, where the code could mean several things.
 */
#include "test.h"

#include "doca_log.h"
#include "rig.h"
#include "said.h"

static void do_nothing(uint64_t arg)
{
	(void)arg;
}
GLOBAL(nothing, do_nothing)

static const struct softfield_dpa_func funcs[] = {GLOBAL_ROW(nothing)};

static void ask_for_the_impossible(struct child *parent, void *arg)
{
	struct doca_dpa_completion *completion;
	struct doca_log_backend *backend;
	struct doca_dpa_tg *group, *other;
	struct doca_dpa_async_ops *ops;
	struct doca_dpa_thread *thread;
	doca_dpa_dev_uintptr_t ptr;
	struct rig rig;

	(void)parent;
	(void)arg;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	rig_init(&rig, funcs, 1);
	assert_err(doca_dpa_completion_create(rig.dpa, 65537, &completion), INVALID_VALUE);
	assert_err(doca_dpa_async_ops_create(rig.dpa, 0, 0, &ops), INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_set(rig.dpa, NULL, 0, NULL, 0, 129, nothing,
						     (uint64_t)0),
		   INVALID_VALUE);
	assert_err(doca_dpa_mem_alloc(rig.dpa, SIZE_MAX, &ptr), NO_MEMORY);
	assert_err(doca_dpa_set_log_level(rig.dpa, 11), INVALID_VALUE);
	thread = add_thread(&rig, nothing, 0);
	assert_ok(doca_dpa_thread_group_create(rig.dpa, 1, &group));
	assert_ok(doca_dpa_thread_group_create(rig.dpa, 1, &other));
	assert_ok(doca_dpa_thread_group_set_thread(group, thread, 0));
	assert_err(doca_dpa_thread_group_set_thread(other, thread, 0), IN_USE);
}

static void the_log_says_why(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(ask_for_the_impossible, NULL, said);
	assert_non_null(strstr(said, "a DPA completion with 65537 entries; 1 to 65536"));
	assert_non_null(strstr(said, "asynchronous operations with 0 entries; 1 to 65536"));
	assert_non_null(strstr(said, "a kernel of 129 threads; 1 to 128 are possible"));
	assert_non_null(strstr(said, " bytes of DPA memory are not to be had"));
	assert_non_null(strstr(said, "there is no level 11 of the DPA's log"));
	assert_non_null(strstr(said, "DPA thread 0 is in another group"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_log_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
