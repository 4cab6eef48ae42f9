/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Namespaces that get the number of another one which hosts know.
 */
#include "host.h"

static struct nvmf_ns *add(struct host *h, uint8_t uuid)
{
	struct nvmf_ns_attr attr = {.nsid = 1, .block_shift = 9, .blocks = 8};
	struct nvmf_ns *ns;

	memset(attr.uuid, uuid, sizeof(attr.uuid));
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
	return ns;
}

/* the first one of a list, 0: none */
static uint32_t list(struct host *h)
{
	const le32_t *ids = (const void *)h->data;

	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 0), 0);
	return le32toh(ids[0]);
}

static uint64_t size(struct host *h)
{
	const struct nvme_id_ns *id = (const void *)h->data;

	assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
	return le64toh(id->nsze);
}

static uint16_t flush(struct host *h)
{
	new_cmd(h, NVME_CMD_FLUSH);
	h->req.cmd.nsid = htole32(1);
	return run(h, &h->io);
}

static void read_changes(struct host *h)
{
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
}

/* what Linux does: looks for what has changed, lists; in the first round it removes the old one */
static void N13_a_place_is_seen_empty_before_it_is_taken(void **state)
{
	static struct nvmf_req aer[2]; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8), 0);
	assert_int_equal(send_aer(h, &aer[0], 1), NVMF_HOLD);
	assert_int_equal(send_aer(h, &aer[1], 2), NVMF_HOLD);
	nvmf_ns_remove(h->ns);
	assert_int_equal(hidden_count, 1); /* before another one is there */
	assert_int_equal(last_hidden, 1);
	add(h, 1);
	assert_int_equal(completed_count, 1);
	assert_int_equal(size(h), 0);
	assert_int_equal(identify(h, NVME_CNS_NS_DESC, 1), DNR(NVME_SC_INVALID_NS));
	assert_int_equal(flush(h), DNR(NVME_SC_INVALID_NS));
	read_changes(h);
	assert_int_equal(list(h), 0);
	assert_int_equal(completed_count, 2); /* it has to come again */
	assert_int_equal(flush(h), DNR(NVME_SC_INVALID_NS));
	assert_int_equal(hidden_count, 1);
	read_changes(h);
	assert_int_equal(hidden_count, 0);
	assert_int_equal(list(h), 1);
	assert_int_equal(size(h), 8);
	assert_int_equal(flush(h), 0);
	assert_int_equal(h->verdict, NVMF_EXECUTE);
	assert_int_equal(completed_count, 2);
}

/* what FreeBSD does: identifies what has changed, and lists nothing */
static void N13_or_is_identified_as_empty(void **state)
{
	struct host *h = *state;

	nvmf_ns_remove(h->ns);
	add(h, 1);
	assert_int_equal(size(h), 0); /* asked before it knew: it may take that for a failure */
	read_changes(h);
	assert_int_equal(size(h), 0);
	read_changes(h);
	assert_int_equal(size(h), 8);
}

/* a host that is not told of events and looks now and then */
static void N13_or_is_listed_twice(void **state)
{
	struct host *h = *state;

	add_ns(h, 7);
	nvmf_ns_remove(h->ns);
	add(h, 1);
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 1), 0); /* not about this one */
	assert_int_equal(list(h), 7);
	assert_int_equal(list(h), 1);
}

static void N13_the_same_disk_is_back_at_once(void **state)
{
	struct host *h = *state;
	struct nvmf_ns *other;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	nvmf_ns_remove(h->ns);
	other = add(h, 1);
	nvmf_ns_remove(other); /* the host has never seen it */
	add(h, 0xa5);
	assert_int_equal(hidden_count, 0);
	assert_int_equal(size(h), 8);
	assert_int_equal(list(h), 1);
}

static void N13_new_controllers_see_what_is_there(void **state)
{
	struct host *h = *state;

	nvmf_ns_remove(h->ns);
	add(h, 1);
	assert_int_equal(set_cc(h, 0), 0);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(size(h), 8);
}

/* What comes by the old queue until it has ended must not reach the new disk. */
static void N13_a_reset_does_not_show_it_to_old_queues(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	nvmf_ns_remove(h->ns);
	add(h, 1);
	assert_int_equal(set_cc(h, CC_ENABLE & ~1u), 0);
	assert_int_equal(h->verdict, NVMF_HOLD);
	assert_int_equal(hidden_count, 1);
	close_dropped();
}

/* Its writes may be lost as before. Of another disk it has written nothing. */
static void N13_a_loss_is_told_of_the_same_disk(void **state)
{
	struct host *h = *state;
	struct nvmf_ns *ns;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	nvmf_ns_has_lost(h->ns);
	nvmf_ns_remove(h->ns);
	ns = add(h, 0xa5);
	assert_int_equal(nvmf_queue_flushed(&h->io, ns, 0), NVME_SC_WRITE_FAULT);
	nvmf_ns_has_lost(ns);
	nvmf_ns_remove(ns);
	ns = add(h, 1);
	assert_int_equal(list(h), 0);
	assert_int_equal(list(h), 1);
	assert_int_equal(nvmf_queue_flushed(&h->io, ns, 0), 0);
}

static uint64_t ana_changes(struct host *h)
{
	const struct nvme_ana_header *header = (const void *)h->data;

	assert_int_equal(get_log(h, NVME_LOG_ANA, 0, 4096, true), 0);
	return le64toh(header->chgcnt);
}

/* hosts that read it in pieces compare the count */
static void N13_the_ana_log_counts_what_is_shown(void **state)
{
	struct host *h = *state;
	uint64_t before;

	h->subsys->ana = true;
	nvmf_ns_remove(h->ns);
	add(h, 1);
	assert_int_equal(list(h), 0);
	before = ana_changes(h);
	assert_int_equal(list(h), 1);
	assert_int_equal(ana_changes(h), before + 1);
}

static void N13_a_place_may_stay_empty(void **state)
{
	struct host *h = *state;

	nvmf_ns_remove(h->ns);
	assert_int_equal(list(h), 0);
	assert_int_equal(list(h), 0);
	add(h, 1);
	assert_int_equal(list(h), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(N13_a_place_is_seen_empty_before_it_is_taken),
		CONNECTED_TEST(N13_or_is_identified_as_empty),
		CONNECTED_TEST(N13_or_is_listed_twice),
		CONNECTED_TEST(N13_the_same_disk_is_back_at_once),
		CONNECTED_TEST(N13_new_controllers_see_what_is_there),
		CONNECTED_TEST(N13_a_reset_does_not_show_it_to_old_queues),
		CONNECTED_TEST(N13_a_loss_is_told_of_the_same_disk),
		CONNECTED_TEST(N13_the_ana_log_counts_what_is_shown),
		CONNECTED_TEST(N13_a_place_may_stay_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
