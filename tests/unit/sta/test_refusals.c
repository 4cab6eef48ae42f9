/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is refused: the log says why, where the code could mean several things.
 */
#include "api.h"

#include "devices.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "said.h"

static _Alignas(4096) uint8_t memory[4096];

static struct doca_mmap *map(struct doca_dev *dev, size_t size, uint32_t permissions)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_add_dev(mmap, dev));
	assert_ok(doca_mmap_set_memrange(mmap, memory, size));
	assert_ok(doca_mmap_set_permissions(mmap, permissions));
	return mmap;
}

static struct api *begin(void)
{
	struct doca_log_backend *backend;
	void *api;

	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_int_equal(api_setup(&api), 0);
	return api;
}

static void make_wrong_subsystems(struct child *parent, void *arg)
{
	struct doca_sta_subs_handle *subs;
	struct doca_sta_ns_handle *ns;
	struct api *api = begin();
	struct doca_dev *other = open_dev("03:00.1");

	(void)parent;
	(void)arg;
	assert_err(doca_sta_subsystem_create(api->sta, "", &subs), INVALID_VALUE);
	assert_err(doca_sta_subsystem_create(api->sta, API_NQN, &subs), ALREADY_EXIST);
	assert_err(doca_sta_subsystem_add_dev(api->subs, other), NOT_FOUND);
	assert_err(doca_sta_subsystem_add_ns(api->subs, 0, 512, 1, api->be, &ns), INVALID_VALUE);
	assert_err(doca_sta_subsystem_add_ns(api->subs, 2, 513, 1, api->be, &ns), INVALID_VALUE);
	assert_err(doca_sta_subsystem_add_ns(api->subs, 1, 512, 1, api->be, &ns), ALREADY_EXIST);
	assert_err(doca_sta_subsystem_destroy(api->subs), IN_USE);
	assert_err(doca_sta_be_destroy(api->be), IN_USE);
	assert_err(softfield_sta_disk_close(api->disk), IN_USE);
}

static void subsystems(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(make_wrong_subsystems, NULL, said);
	assert_non_null(strstr(said, "a subsystem's name of 0 bytes; 1 to 223 are allowed"));
	assert_non_null(strstr(said, "there is a subsystem " API_NQN " already"));
	assert_non_null(strstr(said, "the device is not one of doca_sta_add_dev()"));
	assert_non_null(strstr(said, "namespace 0 on 0x1 of a back end of this target"));
	assert_non_null(strstr(said, "namespace 2 with blocks of 513 bytes"));
	assert_non_null(strstr(said, "namespace 1 with blocks of 512 bytes"));
	assert_non_null(strstr(said, "cannot be destroyed: it has 1 namespaces and 0 queue pairs"));
	assert_non_null(strstr(said, "it has 1 queues, and 1 namespaces use it"));
	assert_non_null(strstr(said, "a disk cannot be closed: it has 1 queues and channels"));
}

static void make_wrong_queues(struct child *parent, void *arg)
{
	struct doca_sta_be_q_handle *be_q;
	struct api *api = begin();
	struct doca_mmap *three = map(api->dev, 3 * 64, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_mmap *rest = map(api->dev, 3 * 16, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_mmap *fixed = map(api->dev, 3 * 64, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);

	(void)parent;
	(void)arg;
	assert_err(doca_sta_be_add_queue(api->be, three, rest, 0, rest, rest, 4, &be_q), BAD_STATE);
	assert_ok(doca_mmap_start(three));
	assert_ok(doca_mmap_start(rest));
	assert_ok(doca_mmap_start(fixed));
	assert_err(doca_sta_be_add_queue(api->be, fixed, rest, 0, rest, rest, 4, &be_q),
		   NOT_PERMITTED);
	assert_err(doca_sta_be_add_queue(api->be, three, rest, 46, rest, rest, 4, &be_q),
		   INVALID_VALUE);
	assert_err(doca_sta_be_add_queue(api->be, three, rest, 0, rest, rest, 4, &be_q),
		   INVALID_VALUE);
}

static void queues(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(make_wrong_queues, NULL, said);
	assert_non_null(strstr(said, "a map of a queue is not started"));
	assert_non_null(strstr(said, "a map of a queue lacks DOCA_ACCESS_FLAG_LOCAL_READ_WRITE"));
	assert_non_null(strstr(said, "a doorbell at offset 46 of a map of 48 bytes"));
	assert_non_null(strstr(said, "no queue of 3 entries, which are a power of two"));
}

static void make_wrong_queue_pairs(struct child *parent, void *arg)
{
	struct doca_sta_qp_handle *qp;
	struct api *api = begin();
	struct doca_dev *other = open_dev("03:00.1");

	(void)parent;
	(void)arg;
	assert_err(softfield_sta_io_qp_connect_loop(api->io, other, NULL, &qp), INVALID_VALUE);
}

static void queue_pairs(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(make_wrong_queue_pairs, NULL, said);
	assert_non_null(strstr(said, "a queue pair on a device that is not one of"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subsystems),
		cmocka_unit_test(queues),
		cmocka_unit_test(queue_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
