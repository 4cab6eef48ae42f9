/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transactions of DH-HMAC-CHAP that go well, and hosts that do not go on.
 */
#include "auth_host.h"

static void F6_U1_connect_says_that_it_is_required(void **state)
{
	struct host *h = *state;

	assert_int_equal(h->req.dw0, h->admin.ctrlr->cntlid | 1u << 17);
}

static void F6_who_has_no_key_need_not(void **state)
{
	struct host *h = *state;
	struct nvmf_queue queue;

	nvmf_queue_init(&queue, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, NVME_DISCOVERY_NQN);
	assert_int_equal(run(h, &queue), 0);
	assert_int_equal(h->req.dw0, queue.ctrlr->cntlid);
	assert_int_equal(send_data(h, &queue, NEGOTIATE_SIZE), DNR(NVME_SC_INVALID_OPCODE));
	assert_int_equal(receive(h, &queue, 4096), DNR(NVME_SC_INVALID_OPCODE));
	nvmf_queue_closed(&queue);
}

static void U1_nothing_else_is_answered_before(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);
	struct nvmf_queue io;

	assert_int_equal(enable(h), REQUIRED);
	assert_int_equal(property(h, NVME_FC_PROPERTY_GET, NVME_PROP_CAP, 1, 0), REQUIRED);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), REQUIRED);
	new_cmd(h, NVME_ADMIN_KEEP_ALIVE);
	assert_int_equal(run(h, &h->admin), REQUIRED);
	new_cmd(h, 0xc0);
	assert_int_equal(run(h, &h->admin), REQUIRED);
	new_connect(h, 0, 0xffff, SUBNQN);
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SEQUENCE_ERROR));
	nvmf_queue_init(&io, h->port, "127.0.0.1");
	new_connect(h, 1, h->admin.ctrlr->cntlid, SUBNQN);
	assert_int_equal(run(h, &io), REQUIRED);
	negotiate(h, &peer);
	assert_int_equal(enable(h), REQUIRED);
	take_challenge(h, &peer);
	reply(h, &peer);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), REQUIRED);
	take_success1(h, &peer);
	assert_int_equal(enable(h), 0);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), 0);
}

static void U1_every_hash_and_group(void **state)
{
	struct host *h = *state;
	unsigned int hash, group;

	/* transactions on a queue that works are like the first one */
	for (hash = NVMF_SHA256; hash <= NVMF_SHA512; hash++) {
		for (group = 0; group < NVMF_DH_GROUPS; group++) {
			struct peer peer = peer_of(&h->admin);
			const char one_hash = (char)hash, one_group = (char)group;

			peer.t_id = (uint16_t)(hash << 8 | group);
			if (group % 2)
				peer.ctrlr_key = auth.ctrlr_key;
			put_negotiate(h, &peer, &one_hash, 1, &one_group, 1);
			assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
			take_challenge(h, &peer);
			assert_int_equal(peer.hash, hash);
			assert_int_equal(peer.group, group);
			reply(h, &peer);
			take_success1(h, &peer);
			if (group % 2)
				send_success2(h, &peer);
			assert_int_equal(enable(h), 0);
		}
	}
}

static void U1_each_queue_authenticates(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin), io = peer_of(&h->io);

	authenticate(h, &peer);
	assert_int_equal(enable(h), 0);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(h->req.dw0, h->admin.ctrlr->cntlid | 1u << 17);
	new_cmd(h, NVME_CMD_READ);
	h->req.cmd.nsid = htole32(1);
	assert_int_equal(run(h, &h->io), REQUIRED);
	new_cmd(h, NVME_CMD_WRITE);
	assert_false(nvmf_takes_data(&h->io, &h->req.cmd)); /* nobody sends for nothing */
	new_auth_cmd(h, NVME_FC_AUTH_SEND, 72);
	assert_true(nvmf_takes_data(&h->io, &h->req.cmd));
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), 0); /* of the other queue */
	io.ctrlr_key = auth.ctrlr_key;
	authenticate(h, &io);
	new_cmd(h, NVME_CMD_READ);
	h->req.cmd.nsid = htole32(1);
	run(h, &h->io);
	assert_int_equal(h->verdict, NVMF_EXECUTE);
	new_cmd(h, NVME_CMD_WRITE);
	assert_true(nvmf_takes_data(&h->io, &h->req.cmd));
}

/* it does not believe us before it has seen our response */
static void U1_both_prove_who_they_are(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	peer.ctrlr_key = auth.ctrlr_key;
	negotiate(h, &peer);
	take_challenge(h, &peer);
	reply(h, &peer);
	take_success1(h, &peer);
	assert_int_equal(enable(h), REQUIRED);
	send_success2(h, &peer);
	assert_int_equal(enable(h), 0);
}

static void U1_the_target_s_order_counts(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	negotiate(h, &peer);
	take_challenge(h, &peer);
	assert_int_equal(peer.hash, NVMF_SHA256);
	assert_int_equal(peer.group, NVMF_FFDHE3072);
	reply(h, &peer);
	take_success1(h, &peer);
	auth.hash_count = 1;
	auth.hashes[0] = NVMF_SHA512;
	auth.group_count = 2;
	auth.groups[0] = NVMF_DH_NULL;
	auth.groups[1] = NVMF_FFDHE2048;
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	assert_int_equal(dropped_count, 0);
	negotiate(h, &peer);
	take_challenge(h, &peer);
	assert_int_equal(peer.hash, NVMF_SHA512);
	assert_int_equal(peer.group, NVMF_DH_NULL);
}

static void U1_challenges_are_new_each_time(void **state)
{
	struct host *h = *state;
	uint8_t before[48];
	struct peer peer = peer_of(&h->admin);

	put_negotiate(h, &peer, "\1", 1, "\0", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	take_challenge(h, &peer);
	memcpy(before, h->data, sizeof(before));
	reply(h, &peer);
	take_success1(h, &peer);
	put_negotiate(h, &peer, "\1", 1, "\0", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	take_challenge(h, &peer);
	assert_memory_equal(before, h->data, 12);
	assert_memory_not_equal(before + 12, h->data + 12, 4);
	assert_memory_not_equal(before + 16, h->data + 16, 32);
}

/* which would be for a secure channel */
static void U1_no_challenge_has_the_number_0(void **state)
{
	static const uint8_t first[4] = {1};
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	h->target->auth_seqnum = UINT32_MAX;
	put_negotiate(h, &peer, "\1", 1, "\0", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	take_challenge(h, &peer);
	assert_memory_equal(h->data + 12, first, sizeof(first));
}

static void U1_a_queue_that_works_goes_on_during_another_transaction(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	authenticate(h, &peer);
	assert_int_equal(enable(h), 0);
	negotiate(h, &peer);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), 0);
	take_challenge(h, &peer);
	reply(h, &peer);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), 0);
	take_success1(h, &peer);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), 0);
}

/*
 * Time and other hosts
 */

static void tick_to(struct host *h, uint64_t end)
{
	while (h->target->due_ns < end)
		nvmf_target_tick(h->target, h->target->due_ns);
	nvmf_target_tick(h->target, end);
}

/* as a host without a keep alive timer would else be for ever */
static void U1_silent_hosts_are_disconnected(void **state)
{
	struct host *h = *state;
	struct peer peer;

	nvmf_queue_closed(&h->admin);
	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->kato = 0;
	assert_int_equal(run(h, &h->admin), 0);
	tick_to(h, 120 * SECOND);
	assert_int_equal(dropped_count, 0);
	start_with_2048(h, &peer); /* one step further: the time begins again */
	tick_to(h, 239 * SECOND);
	assert_int_equal(dropped_count, 0);
	tick_to(h, 240 * SECOND);
	assert_int_equal(dropped_count, 1);
	assert_true(h->admin.ctrlr->csts & NVME_CSTS_CFS);
}

static void U1_who_has_proved_it_may_be_silent(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	nvmf_queue_closed(&h->admin);
	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->kato = 0;
	assert_int_equal(run(h, &h->admin), 0);
	authenticate(h, &peer);
	assert_int_equal(enable(h), 0);
	tick_to(h, 1000 * SECOND);
	assert_int_equal(dropped_count, 0);
	negotiate(h, &peer); /* and then not any more */
	tick_to(h, 1120 * SECOND);
	assert_int_equal(dropped_count, 1);
}

static void U1_time_that_we_sleep_is_not_the_host_s(void **state)
{
	struct host *h = *state;

	nvmf_queue_closed(&h->admin);
	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->kato = 0;
	assert_int_equal(run(h, &h->admin), 0);
	nvmf_target_tick(h->target, 500 * SECOND);
	assert_int_equal(dropped_count, 0);
	tick_to(h, 620 * SECOND);
	assert_int_equal(dropped_count, 1);
}

static struct nvmf_req *begin_receive(struct host *h, struct nvmf_queue *queue,
				      struct nvmf_req *req, uint8_t *data)
{
	new_auth_cmd(h, NVME_FC_AUTH_RECEIVE, 4096);
	*req = h->req;
	req->data = data;
	assert_int_equal(nvmf_execute(h->target, queue, req), NVMF_HOLD);
	return req;
}

/* however many there are: who has a command waits for one power, not for all */
static void U1_one_power_at_a_time(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin), other = peer;
	static uint8_t data[3][4096];
	struct nvmf_queue queue;
	struct nvmf_req reqs[3];

	nvmf_queue_init(&queue, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	assert_int_equal(run(h, &queue), 0);
	other.queue = &queue;
	negotiate(h, &peer);
	negotiate(h, &other);
	begin_receive(h, &queue, &reqs[0], data[0]);
	begin_receive(h, &h->admin, &reqs[1], data[1]);
	begin_receive(h, &h->admin, &reqs[2], data[2]);
	assert_int_equal(enable(h), REQUIRED); /* answered at once */
	assert_int_equal(completed_count, 0);
	nvmf_queue_closed(&queue); /* its work is not done any more */
	assert_true(nvmf_target_work(h->target));
	assert_int_equal(completed_count, 1);
	assert_ptr_equal(completed[0], &reqs[1]);
	assert_int_equal(data[1][1], 1);
	assert_false(nvmf_target_work(h->target));
	assert_ptr_equal(completed[1], &reqs[2]); /* the challenge was for the other one */
	assert_int_equal(reqs[2].status, DNR(NVME_SC_SEQUENCE_ERROR));
	assert_false(nvmf_target_work(h->target));
	assert_int_equal(completed_count, 2);
}

static void U1_work_of_a_queue_that_ends(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);
	static uint8_t data[4096];
	struct nvmf_req req;

	negotiate(h, &peer);
	begin_receive(h, &h->admin, &req, data);
	h->admin.closing = true;
	assert_false(nvmf_target_work(h->target));
	assert_ptr_equal(completed[0], &req);
	assert_int_equal(req.status, NVME_SC_ABORT_SQ_DELETED);
}

/* 5 s are promised: from the proof on */
static void U1_K2_the_keep_alive_timer_waits_for_the_proof(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	tick_to(h, 100 * SECOND);
	assert_int_equal(dropped_count, 0);
	negotiate(h, &peer);
	take_challenge(h, &peer);
	tick_to(h, 200 * SECOND);
	reply(h, &peer);
	take_success1(h, &peer);
	tick_to(h, 205 * SECOND);
	assert_int_equal(dropped_count, 0);
	tick_to(h, 206 * SECOND);
	assert_int_equal(dropped_count, 1);
}

/* 120 s of an I/O queue that says nothing, while the other queue keeps its promise. */
static void wait_for_io_queue(struct host *h, bool is_closing)
{
	struct peer peer = peer_of(&h->admin);
	uint64_t now;

	authenticate(h, &peer);
	assert_int_equal(enable(h), 0);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	h->io.closing = is_closing;
	for (now = 2; now < 121; now++) {
		tick_to(h, now * SECOND);
		assert_int_equal(dropped_count, 0);
		new_cmd(h, NVME_ADMIN_KEEP_ALIVE);
		assert_int_equal(run(h, &h->admin), 0);
	}
	tick_to(h, 121 * SECOND);
}

static void U1_a_silent_io_queue_ends_the_association(void **state)
{
	wait_for_io_queue(*state, false);
	assert_int_equal(dropped_count, 2);
}

/* its host has taken it back, and commands of it may be on the disk for long */
static void U1_one_that_is_being_closed_owes_nothing(void **state)
{
	wait_for_io_queue(*state, true);
	assert_int_equal(dropped_count, 0);
}

static void U1_a_new_key_ends_what_nobody_has_proved(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	authenticate(h, &peer);
	auth.key.bytes[0] ^= 1;
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	assert_int_equal(dropped_count, 0); /* another key counts from the next time on */
	assert_int_equal(enable(h), 0);
	auth.key.size = 0;
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	assert_int_equal(dropped_count, 0);
	auth.key.size = 32;
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	assert_int_equal(dropped_count, 1);
	assert_err(nvmf_subsys_set_host_auth(h->subsys, "nqn.2024-01.example:x", &auth), NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(F6_U1_connect_says_that_it_is_required),
		TEST(F6_who_has_no_key_need_not),
		TEST(U1_nothing_else_is_answered_before),
		TEST(U1_every_hash_and_group),
		TEST(U1_each_queue_authenticates),
		TEST(U1_both_prove_who_they_are),
		TEST(U1_the_target_s_order_counts),
		TEST(U1_challenges_are_new_each_time),
		TEST(U1_no_challenge_has_the_number_0),
		TEST(U1_a_queue_that_works_goes_on_during_another_transaction),
		TEST(U1_silent_hosts_are_disconnected),
		TEST(U1_who_has_proved_it_may_be_silent),
		TEST(U1_time_that_we_sleep_is_not_the_host_s),
		TEST(U1_one_power_at_a_time),
		TEST(U1_work_of_a_queue_that_ends),
		TEST(U1_K2_the_keep_alive_timer_waits_for_the_proof),
		TEST(U1_a_silent_io_queue_ends_the_association),
		TEST(U1_one_that_is_being_closed_owes_nothing),
		TEST(U1_a_new_key_ends_what_nobody_has_proved),
	};

	if (!nvmf_crypto_is_there()) {
		puts("built without libcrypto");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
