/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening, counting and closing of devices and representors. */
#include "devtest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/dev.h"
#include "doca_log.h"
#include "said.h"

static void opening_twice_gives_one_object_and_needs_two_closes(void **state)
{
	struct doca_dev *first = open_dev("03:00.0"), *second = open_dev("0000:03:00.0");

	(void)state;
	assert_non_null(first);
	assert_ptr_equal(first, second);
	assert_int_equal(doca_dev_close(first), DOCA_SUCCESS);
	assert_string_equal(priv_dev_function(second)->pci_addr, "0000:03:00.0");
	assert_int_equal(doca_dev_close(second), DOCA_SUCCESS);
}

static void different_devices_are_different_objects(void **state)
{
	struct doca_dev *dpu = open_dev("03:00.0"), *host = open_dev("b1:00.0");

	(void)state;
	assert_ptr_not_equal(dpu, host);
	assert_int_equal(priv_dev_function(dpu)->side, TOPO_DPU);
	assert_int_equal(priv_dev_function(host)->side, TOPO_HOST);
	assert_int_equal(doca_dev_close(dpu), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(host), DOCA_SUCCESS);
}

static void device_outlives_its_list(void **state)
{
	struct doca_dev *dev = open_dev("b1:00.2");
	struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_dev *again;

	(void)state;
	assert_int_equal(doca_devinfo_get_ibdev_name(devinfo, name, sizeof(name)), DOCA_SUCCESS);
	assert_string_equal(name, "mlx5_4");
	assert_int_equal(doca_dev_open(devinfo, &again), DOCA_SUCCESS);
	assert_ptr_equal(again, dev);
	assert_int_equal(doca_dev_close(again), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void last_close_is_refused_while_in_use(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");

	(void)state;
	assert_ptr_equal(open_dev("03:00.0"), dev);
	priv_dev_use(dev);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS); /* not the last */
	assert_int_equal(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	assert_int_equal(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	priv_dev_release(dev);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

/* As several programs do at their end. */
static void representor_may_be_closed_after_its_device(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_dev_rep *rep = open_rep(dev, "b1:00.3"), *again;
	uint8_t is_equal = 0;

	(void)state;
	assert_ptr_equal(priv_dev_rep_topo(rep)->dpu, priv_dev_function(dev));
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_rep_is_equal_pci_addr(doca_dev_rep_as_devinfo(rep), "b1:00.3",
							    &is_equal),
			 DOCA_SUCCESS);
	assert_int_equal(is_equal, 1);
	assert_int_equal(doca_dev_rep_open(doca_dev_rep_as_devinfo(rep), &again),
			 DOCA_ERROR_INVALID_VALUE);
	dev = open_dev("03:00.0");
	again = open_rep(dev, "b1:00.3");
	assert_ptr_equal(again, rep);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
	assert_int_equal(doca_dev_rep_close(again), DOCA_SUCCESS);
	assert_int_equal(doca_dev_rep_close(rep), DOCA_SUCCESS);
}

static void representor_is_counted_like_a_device(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_dev_rep *rep = open_rep(dev, "b1:00.0"), *again = open_rep(dev, "b1:00.0");
	uint8_t is_equal = 0;

	(void)state;
	assert_ptr_equal(rep, again);
	assert_int_equal(doca_dev_rep_close(again), DOCA_SUCCESS);
	priv_dev_rep_use(rep);
	assert_int_equal(doca_dev_rep_close(rep), DOCA_ERROR_IN_USE);
	assert_int_equal(doca_devinfo_rep_is_equal_pci_addr(doca_dev_rep_as_devinfo(rep), "b1:00.0",
							    &is_equal),
			 DOCA_SUCCESS);
	assert_int_equal(is_equal, 1);
	priv_dev_rep_release(rep);
	assert_int_equal(doca_dev_rep_close(rep), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void close_too_early(struct child *parent, void *arg)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_dev_rep *rep = open_rep(dev, "b1:00.0");
	struct doca_log_backend *backend;

	(void)parent;
	(void)arg;
	assert_int_equal(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend),
			 DOCA_SUCCESS);
	priv_dev_use(dev);
	assert_int_equal(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	priv_dev_rep_use(rep);
	assert_int_equal(doca_dev_rep_close(rep), DOCA_ERROR_IN_USE);
}

static void what_may_use_them_is_told_of(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(close_too_early, NULL, said);
	assert_non_null(strstr(said, "0000:03:00.0 cannot be closed: 1 contexts, memory maps"));
	assert_non_null(strstr(said, "0000:b1:00.0 cannot be closed: 1 servers"));
}

static void representor_of_a_closed_device_cannot_be_opened(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint32_t count;

	(void)state;
	assert_int_equal(doca_devinfo_rep_create_list(dev, 0, &list, &count), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
	assert_int_equal(doca_dev_rep_open(list[0], &rep), DOCA_ERROR_INVALID_VALUE);
	assert_null(rep);
	assert_int_equal(doca_devinfo_rep_destroy_list(list), DOCA_SUCCESS);
}

static void closing_no_device_is_done_at_once(void **state)
{
	(void)state;
	assert_int_equal(doca_dev_close(NULL), DOCA_SUCCESS);
}

static void null_is_refused(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0"), *out_dev = NULL;
	struct doca_dev_rep *out_rep = NULL;

	(void)state;
	assert_int_equal(doca_dev_rep_close(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_dev_open(NULL, &out_dev), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_dev_open(doca_dev_as_devinfo(dev), NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_dev_rep_open(NULL, &out_rep), DOCA_ERROR_INVALID_VALUE);
	assert_null(doca_dev_as_devinfo(NULL));
	assert_null(doca_dev_rep_as_devinfo(NULL));
	assert_int_equal(doca_dev_accelerate_resource_reclaim(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_dev_accelerate_resource_reclaim(dev), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void *open_and_close(void *arg)
{
	(void)arg;
	for (int i = 0; i < 500; i++) {
		struct doca_dev *dev = open_dev("b1:00.1");

		assert_string_equal(priv_dev_function(dev)->ibdev_name, "mlx5_3");
		assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
	}
	return NULL;
}

static void threads_may_open_and_close_at_once(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static atomic_bool stop_opening;

static void *open_until_stopped(void *arg)
{
	while (!atomic_load(&stop_opening))
		open_and_close(arg);
	return NULL;
}

static void run_child(void)
{
	struct doca_dev *dev = open_dev("b1:00.0");

	_exit(!dev || doca_dev_close(dev));
}

/* They may be anywhere when it is forked; it does not wait for them. */
static void child_of_busy_parent_can_open_and_close(void **state)
{
	pthread_t threads[2];

	(void)state;
	atomic_store(&stop_opening, false);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_until_stopped, NULL), 0);
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			run_child();
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	atomic_store(&stop_opening, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opening_twice_gives_one_object_and_needs_two_closes),
		cmocka_unit_test(different_devices_are_different_objects),
		cmocka_unit_test(device_outlives_its_list),
		cmocka_unit_test(last_close_is_refused_while_in_use),
		cmocka_unit_test(representor_may_be_closed_after_its_device),
		cmocka_unit_test(representor_is_counted_like_a_device),
		cmocka_unit_test(what_may_use_them_is_told_of),
		cmocka_unit_test(representor_of_a_closed_device_cannot_be_opened),
		cmocka_unit_test(closing_no_device_is_done_at_once),
		cmocka_unit_test(null_is_refused),
		cmocka_unit_test(threads_may_open_and_close_at_once),
		cmocka_unit_test(child_of_busy_parent_can_open_and_close),
	};

	unsetenv("SOFTFIELD_TOPOLOGY");
	unsetenv("SOFTFIELD_ROLE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
