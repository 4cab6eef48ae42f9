/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections over TCP, from their socket to their end.
 */
#include "tcp_host.h"

#include <fcntl.h>

static void descriptors_that_are_none(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *qp;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	close(fds[1]);
	assert_ok(sta_qp_create(rig->engine, &fabric_tcp_ops, &rig_up, &rig->inbox, &qp));
	assert_int_not_equal(fabric_tcp_set_socket(qp, fds[0]), DOCA_SUCCESS);
	sta_qp_close(qp);
	sta_qp_free(qp); /* it was never started */
	sta_engine_settle(rig->engine);
}

/* the engine must never wait for a host */
static void sockets_do_not_block(void **state)
{
	struct rig *rig = *state;
	int flags = fcntl(container_of(rig->qp, struct tcp_conn, qp)->fd, F_GETFL);

	assert_true(flags & O_NONBLOCK);
}

static void disconnecting_closes_the_socket(void **state)
{
	struct rig *rig = *state;

	rig_drop_qp(rig, rig->qp);
	rig->qp = NULL;
	host_expect_end();
	assert_int_equal(rig->failures, 0);
}

/* what is under way ends first; the host's data is not waited for */
static void disconnecting_gives_up_fetches(void **state)
{
	struct rig *rig = *state;

	host_send_rw(NVME_CMD_WRITE, 1, 1024);
	host_receive_r2t(1024);
	rig_drop_qp(rig, rig->qp);
	rig->qp = NULL;
	assert_int_equal(rig_disk_new(&rig->disk), 0); /* the teardown counts the buffers */
}

struct lingering {
	unsigned int count;
	uint64_t now_ns; /* what the EU is told; 0: it is asked only */
	bool again;
};

static void look_at_lingering(struct sta_eu *eu, void *arg)
{
	struct lingering *l = arg;

	if (l->now_ns)
		l->again = fabric_tcp_tick(eu->tcp, l->now_ns);
	l->count = eu->tcp->linger_count;
}

static unsigned int count_lingering(struct rig *rig, uint64_t now_ns)
{
	struct lingering l = {.now_ns = now_ns};

	sta_eu_call(&rig->engine->eus[0], look_at_lingering, &l);
	if (now_ns)
		assert_int_equal(l.again, l.count != 0);
	return l.count;
}

/* Whoever comes behind one that stays for ever stays, too, however long the test takes. */
static void stop_clocks(struct sta_eu *eu, void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < eu->tcp->linger_count; i++)
		eu->tcp->lingerers[i].deadline_ns = UINT64_MAX;
}

/* a connection that is ended for a reason; the host's end stays open */
static int terminate_one(struct rig *rig)
{
	struct pdu_ic ic = make_icreq(0);
	unsigned int before = rig->failures;
	struct pdu_term term;

	host_open(rig);
	ic.pfv = htole16(1);
	host_send(&ic, sizeof(ic));
	host_receive(&term, sizeof(term));
	assert_int_equal(term.hdr.type, PDU_C2H_TERM);
	RIG_UNTIL(rig, rig->failures > before);
	rig_drop_qp(rig, rig->qp);
	rig->qp = NULL;
	return host_fd;
}

static int setup_empty(void **state)
{
	*state = rig_create(1);
	return 0;
}

/* a reset must not overtake the reason: the socket stays for a while, the queue pair does not */
static void terminated_connections_linger(void **state)
{
	struct rig *rig = *state;
	int fd = terminate_one(rig);

	assert_int_equal(count_lingering(rig, 0), 1);
	assert_int_equal(send(fd, "late", 4, MSG_NOSIGNAL), 4); /* nobody minds */
	assert_int_equal(count_lingering(rig, 1), 1);
	assert_int_equal(count_lingering(rig, UINT64_MAX), 0);
	assert_int_equal(send(fd, "later", 5, MSG_NOSIGNAL), -1);
	close(fd);
}

static void lingering_ones_are_limited(void **state)
{
	struct rig *rig = *state;
	int fds[LINGERERS + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = terminate_one(rig);
		sta_eu_call(&rig->engine->eus[0], stop_clocks, NULL);
	}
	assert_int_equal(count_lingering(rig, 0), LINGERERS);
	assert_int_equal(send(fds[0], "x", 1, MSG_NOSIGNAL), -1); /* the oldest has gone */
	assert_int_equal(send(fds[1], "x", 1, MSG_NOSIGNAL), 1);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

/* one of two connections fails while both have something for the engine */
static void others_are_not_disturbed(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *first = rig->qp;
	int first_fd = host_fd;
	struct pdu_ic ic = make_icreq(0);
	struct pdu_term term;

	host_open(rig);
	ic.pfv = htole16(1);
	host_send(&ic, sizeof(ic));
	host_receive(&term, sizeof(term));
	RIG_UNTIL(rig, rig->failures == 1);
	rig_drop_qp(rig, rig->qp);
	close(host_fd);
	rig->qp = first;
	host_fd = first_fd;
	host_initialize(0);
	host_connect(rig, 0, false);
	assert_int_equal(rig->failures, 1);
}

#define LEAVERS 3u /* one of them is the one that talked last */

struct farewell {
	int fds[LEAVERS];
	struct pdu_common last; /* of a PDU whose rest never comes */
	unsigned int said;
};

/* in the EU's thread: everything is there before it looks */
static void send_and_end(struct sta_eu *eu, void *arg)
{
	struct farewell *f = arg;

	(void)eu;
	for (unsigned int i = 0; i < LEAVERS; i++)
		f->said += send(f->fds[i], &f->last, sizeof(f->last), MSG_NOSIGNAL) ==
				   sizeof(f->last) &&
			   shutdown(f->fds[i], SHUT_WR) == 0;
}

/* no event tells of the end again once the bytes before it have been taken */
static void the_end_comes_with_the_last_bytes(void **state)
{
	struct rig *rig = *state;
	struct farewell f = {.last = pdu_header(PDU_CAPSULE_CMD, sizeof(struct pdu_cmd), 0)};
	struct sta_qp *qps[LEAVERS];
	unsigned int i;

	for (i = 0; i < LEAVERS; i++) {
		host_open(rig);
		host_initialize(0);
		f.fds[i] = host_fd;
		qps[i] = rig->qp;
	}
	sta_eu_call(&rig->engine->eus[0], send_and_end, &f);
	assert_int_equal(f.said, LEAVERS);
	RIG_UNTIL(rig, rig->failures == LEAVERS);
	for (i = 0; i < LEAVERS; i++) {
		rig_drop_qp(rig, qps[i]);
		close(f.fds[i]);
	}
	rig->qp = NULL;
}

/* a connection that nobody expects to say something, beside one that does all the talking */
static void the_silent_one_is_heard(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *first = rig->qp;
	int first_fd = host_fd, silent_fd;

	host_open(rig);
	host_initialize(0);
	host_connect(rig, 0, false);
	silent_fd = host_fd;
	host_fd = first_fd;
	for (uint16_t cid = 1; cid < 100; cid++) {
		host_send_rw(NVME_CMD_READ, cid, RIG_BLOCK);
		rig_disk_complete(&rig->disk, rig_disk_take(rig, &rig->disk).cid,
				  NVME_SC_INTERNAL_ERROR);
		assert_int_equal(host_receive_status(), NVME_SC_INTERNAL_ERROR);
	}
	host_fd = silent_fd;
	host_send_rw(NVME_CMD_READ, 1, RIG_BLOCK);
	rig_disk_complete(&rig->disk, rig_disk_take(rig, &rig->disk).cid, NVME_SC_INTERNAL_ERROR);
	assert_int_equal(host_receive_status(), NVME_SC_INTERNAL_ERROR);
	rig_drop_qp(rig, rig->qp);
	close(host_fd);
	rig->qp = first;
	host_fd = first_fd;
}

#define FRESH(test)	cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)
#define CONNECTED(test) cmocka_unit_test_setup_teardown(test, host_setup_connected, host_teardown)
#define EMPTY(test)	cmocka_unit_test_setup_teardown(test, setup_empty, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EMPTY(descriptors_that_are_none),
		FRESH(sockets_do_not_block),
		CONNECTED(disconnecting_closes_the_socket),
		CONNECTED(disconnecting_gives_up_fetches),
		EMPTY(terminated_connections_linger),
		EMPTY(lingering_ones_are_limited),
		FRESH(others_are_not_disturbed),
		EMPTY(the_end_comes_with_the_last_bytes),
		CONNECTED(the_silent_one_is_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
