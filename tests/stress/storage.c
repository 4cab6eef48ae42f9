/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A storage target and its busiest program, through the public API: threads whose hosts read,
 * write, come and go all the time, while the control thread takes namespaces, queues and back ends
 * away and reads statistics. What was written must be read, and nothing may fail that is all there.
 *
 *	storage [ROUNDS]
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/random.h"
#include "doca_sta.h"
#include "doca_sta_be.h"
#include "doca_sta_io.h"
#include "doca_sta_io_non_offload.h"
#include "doca_sta_io_qp.h"
#include "doca_sta_stats.h"
#include "doca_sta_subsystem.h"
#include "nvme/queue.h"
#include "softfield_sta.h"
#include "world.h"

#define THREADS	   3u
#define HOSTS	   3u /* of a thread */
#define REQUESTS   8u /* of a host */
#define NAMESPACES 3u
#define BLOCKS	   256u /* of a thread in a namespace */
#define BLOCKS_MAX 16u	/* of a request */
#define BLOCK	   512u
#define OP_READ	   0xc2 /* what the program answers, with data */

/* A namespace and what is behind it. */
struct medium {
	struct softfield_sta_disk *disk;
	struct doca_sta_be_handle *be;
	struct doca_sta_be_q_handle *be_q;
	struct doca_sta_ns_handle *ns;
	atomic_uint changes; /* odd: something is missing */
};

struct request {
	struct host *host;
	bool busy;
	uint8_t opcode;
	unsigned int ns;
	uint32_t start, count; /* blocks of the thread's part */
	unsigned int changes;  /* of the medium, when it was submitted */
	uint8_t data[BLOCKS_MAX * BLOCK];
};

/* A host and its queue pair. */
struct host {
	struct thread *thread;
	struct doca_sta_qp_handle *qp;
	struct request requests[REQUESTS];
	unsigned int busy;
	bool connected, disconnecting, disconnected;
};

/* A doca_sta_io and its hosts. It alone writes its part of every namespace. */
struct thread {
	pthread_t thread;
	uint32_t first; /* its part of a namespace */
	struct random random;
	struct doca_pe *pe;
	struct doca_sta_io *io;
	struct host hosts[HOSTS];
	uint8_t content[NAMESPACES][BLOCKS];
	bool known[NAMESPACES][BLOCKS]; /* content is: no write of it has failed */
	bool taken[NAMESPACES][BLOCKS]; /* a request is about it */
};

static unsigned int rounds = 400;
static struct doca_dev *dev;
static struct doca_sta *sta;
static struct doca_pe *control;
static struct doca_sta_subs_handle *subs;
static struct medium media[NAMESPACES];
static struct thread threads[THREADS];
static atomic_uint finished;
static atomic_bool over;

static void free_task(struct doca_sta_producer_task_send *task)
{
	doca_task_free(doca_sta_producer_send_task_as_task(task));
}

static void submit(struct doca_sta_producer_task_send *task)
{
	must(!doca_task_submit(doca_sta_producer_send_task_as_task(task)));
}

static void ignore_task(struct doca_sta_producer_task_send *task, union doca_data data)
{
	(void)data;
	free_task(task);
}

static void stop_ctx(struct doca_ctx *ctx, struct doca_pe *pe)
{
	enum doca_ctx_states state;

	doca_ctx_stop(ctx);
	do {
		doca_pe_progress(pe);
		must(!doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}

/*
 * Commands of the program
 */

static void answer(struct host *host, le16_t cid, union doca_data token, bool with_data)
{
	struct nvme_cqe cqe = {.cid = cid};
	struct doca_sta_io *io = host->thread->io;
	struct doca_sta_producer_task_send *task;
	union doca_data none = {0};
	doca_sta_nvme_completion_t bytes;

	memcpy(bytes, &cqe, sizeof(bytes));
	if (with_data)
		must(!doca_sta_io_task_non_offload_rdma_write_send_alloc_init(io, none, host->qp,
									      bytes, token, &task));
	else
		must(!doca_sta_io_task_non_offload_rdma_send_alloc_init(io, none, host->qp, bytes,
									token, &task));
	submit(task);
}

static void on_command(struct doca_sta_qp_handle *qp, union doca_data user_data,
		       const uint8_t *bytes, uint8_t *payload, uint32_t size, bool valid,
		       union doca_data token)
{
	union doca_data data;
	struct nvme_cmd cmd;
	struct host *host;

	(void)valid;
	memcpy(&cmd, bytes, sizeof(cmd));
	must(!doca_sta_io_qp_get_user_data(qp, &data));
	host = data.ptr;
	must(host->thread == user_data.ptr && !host->disconnected);
	if (cmd.opcode == NVME_CMD_FABRICS) {
		must(!doca_sta_io_qp_add_subsystem(host->thread->io, subs, qp));
		must(!doca_sta_io_qp_connect_set_sq_size(host->thread->io, qp, REQUESTS));
	}
	if (cmd.opcode == OP_READ)
		memset(payload, OP_READ, size);
	answer(host, cmd.cid, token, cmd.opcode == OP_READ);
}

/*
 * Hosts
 */

static void mark(const struct request *r, bool array[NAMESPACES][BLOCKS], bool value)
{
	memset(&array[r->ns][r->start], value, r->count);
}

static bool is_rw(const struct request *r)
{
	return r->opcode == NVME_CMD_READ || r->opcode == NVME_CMD_WRITE;
}

static void check_content(const struct thread *t, const struct request *r)
{
	uint32_t i;

	for (i = 0; i < r->count; i++) {
		const uint8_t *block = r->data + (size_t)i * BLOCK;

		must(!t->known[r->ns][r->start + i] ||
		     (block[0] == t->content[r->ns][r->start + i] &&
		      !memcmp(block, block + 1, BLOCK - 1)));
	}
}

static void rw_done(struct thread *t, struct request *r, uint16_t status)
{
	uint32_t i;

	mark(r, t->taken, false);
	if (status) {
		must(status == (NVME_SC_INVALID_NS | NVME_SC_DNR) ||
		     status == NVME_SC_ABORT_SQ_DELETED || status == NVME_SC_NS_NOT_READY);
		must(r->changes % 2 || r->changes != atomic_load(&media[r->ns].changes));
		if (r->opcode == NVME_CMD_WRITE)
			mark(r, t->known, false);
	} else if (r->opcode == NVME_CMD_READ) {
		check_content(t, r);
	} else {
		for (i = 0; i < r->count; i++)
			t->content[r->ns][r->start + i] = r->data[(size_t)i * BLOCK];
		mark(r, t->known, true);
	}
}

static void on_completion(const uint8_t *bytes, union doca_data data)
{
	struct request *r = data.ptr;
	struct nvme_cqe cqe;

	must(bytes); /* these hosts disconnect properly */
	memcpy(&cqe, bytes, sizeof(cqe));
	r->busy = false;
	r->host->busy--;
	atomic_fetch_add_explicit(&finished, 1, memory_order_relaxed);
	if (is_rw(r)) {
		rw_done(r->host->thread, r, nvme_cqe_status(&cqe));
		return;
	}
	must(!nvme_cqe_status(&cqe));
	must(r->opcode != OP_READ || r->data[BLOCK - 1] == OP_READ);
	r->host->connected |= r->opcode == NVME_CMD_FABRICS;
}

/* what was under way when the queue pair ended is not answered */
static void forget_requests(struct host *host)
{
	struct thread *t = host->thread;
	unsigned int i;

	for (i = 0; i < REQUESTS; i++) {
		struct request *r = &host->requests[i];

		if (r->busy && is_rw(r)) {
			mark(r, t->taken, false);
			if (r->opcode == NVME_CMD_WRITE)
				mark(r, t->known, false);
		}
		r->busy = false;
	}
	host->busy = 0;
}

static void send_request(struct request *r, struct nvme_cmd *cmd, uint32_t size)
{
	cmd->opcode = r->opcode;
	cmd->flags = NVME_FLAG_PSDT_SGL;
	cmd->cid = htole16((uint16_t)(r - r->host->requests));
	if (softfield_sta_io_qp_loop_submit(r->host->qp, (const uint8_t *)cmd, r->data, size,
					    on_completion, (union doca_data){.ptr = r}))
		return; /* full: slots come back a moment after the answers */
	r->busy = true;
	r->host->busy++;
	if (is_rw(r))
		mark(r, r->host->thread->taken, true);
}

static void send_connect(struct request *r)
{
	const struct nvmf_connect_cmd connect = {
		.fctype = NVME_FC_CONNECT, .qid = htole16(1), .sqsize = htole16(REQUESTS)};
	struct nvme_cmd cmd;

	memcpy(&cmd, &connect, sizeof(cmd));
	r->opcode = NVME_CMD_FABRICS;
	send_request(r, &cmd, 1024);
}

static void send_rw(struct request *r)
{
	struct thread *t = r->host->thread;
	struct nvme_cmd cmd = {0};
	uint32_t i;

	r->ns = (unsigned int)random_below(&t->random, NAMESPACES);
	r->count = 1 + (uint32_t)random_below(&t->random, BLOCKS_MAX);
	r->start = (uint32_t)random_below(&t->random, BLOCKS - r->count);
	r->changes = atomic_load(&media[r->ns].changes);
	if (memchr(&t->taken[r->ns][r->start], true, r->count))
		return;
	for (i = 0; i < r->count; i++)
		memset(r->data + (size_t)i * BLOCK, (int)random_next(&t->random), BLOCK);
	cmd.nsid = htole32(r->ns + 1);
	cmd.cdw10 = htole32(t->first + r->start);
	cmd.cdw12 = htole32(r->count - 1);
	send_request(r, &cmd, r->count * BLOCK);
}

static void work_as_host(struct host *host)
{
	static const uint8_t opcodes[] = {NVME_CMD_READ, NVME_CMD_WRITE, NVME_CMD_READ,
					  NVME_CMD_WRITE, OP_READ};
	struct nvme_cmd cmd = {0};
	struct request *r;
	unsigned int i;

	for (i = 0; i < REQUESTS && host->requests[i].busy; i++)
		;
	if (i == REQUESTS || (!host->connected && host->busy))
		return;
	r = &host->requests[i];
	r->host = host;
	if (!host->connected) {
		send_connect(r);
		return;
	}
	r->opcode = opcodes[random_below(&host->thread->random, ARRAY_SIZE(opcodes))];
	if (is_rw(r))
		send_rw(r);
	else
		send_request(r, &cmd, BLOCK);
}

/*
 * Threads
 */

static void on_disconnected(struct doca_sta_producer_task_send *task, union doca_data data)
{
	((struct host *)data.ptr)->disconnected = true;
	free_task(task);
}

static void disconnect(struct host *host)
{
	struct doca_sta_producer_task_send *task;

	must(!doca_sta_io_task_disconnect_alloc_init(
		host->thread->io, (union doca_data){.ptr = host}, host->qp, &task));
	submit(task);
	host->disconnecting = true;
}

static void begin(struct host *host)
{
	struct thread *t = host->thread;

	must(!softfield_sta_io_qp_connect_loop(t->io, dev, NULL, &host->qp));
	must(!doca_sta_io_qp_set_user_data(t->io, host->qp, (union doca_data){.ptr = host}));
}

static void end(struct host *host)
{
	must(!doca_sta_io_qp_destroy(host->thread->io, host->qp));
	forget_requests(host);
	host->qp = NULL;
	host->connected = host->disconnecting = host->disconnected = false;
}

static void start_io(struct thread *t)
{
	struct doca_ctx *ctx;

	must(!doca_sta_io_create(sta, &t->io));
	ctx = doca_sta_io_as_ctx(t->io);
	must(!doca_pe_create(&t->pe));
	must(!doca_pe_connect_ctx(t->pe, ctx));
	must(!doca_sta_io_task_disconnect_set_conf(t->io, on_disconnected, on_disconnected));
	must(!doca_sta_io_task_non_offload_set_rdma_write_send_conf(t->io, ignore_task,
								    ignore_task));
	must(!doca_sta_io_task_non_offload_set_rdma_read_conf(t->io, ignore_task, ignore_task));
	must(!doca_sta_io_non_offload_register_cb(t->io, on_command, (union doca_data){.ptr = t}));
	must(!doca_ctx_start(ctx));
}

/* with all hosts still working: it disconnects them itself */
static void stop_io(struct thread *t)
{
	unsigned int i;

	stop_ctx(doca_sta_io_as_ctx(t->io), t->pe);
	for (i = 0; i < HOSTS; i++)
		if (t->hosts[i].qp)
			end(&t->hosts[i]);
	must(!doca_sta_io_destroy(t->io));
	must(!doca_pe_destroy(t->pe));
}

static void *run(void *arg)
{
	struct thread *t = arg;

	start_io(t);
	while (!atomic_load(&over)) {
		struct host *host = &t->hosts[random_below(&t->random, HOSTS)];

		if (!host->qp)
			begin(host);
		else if (host->disconnected)
			end(host);
		else if (!host->disconnecting && !random_below(&t->random, 1000))
			disconnect(host);
		else if (!host->disconnecting)
			work_as_host(host);
		doca_pe_progress(t->pe);
		if (!random_below(&t->random, 20000)) {
			stop_io(t);
			start_io(t);
		}
	}
	stop_io(t);
	return NULL;
}

/*
 * Control: a task that fails changes nothing, so that what comes next fails, too.
 */

static void on_flag(struct doca_sta_producer_task_send *task, union doca_data data)
{
	*(bool *)data.ptr = true;
	free_task(task);
}

static void run_task(struct doca_sta_producer_task_send *task, const bool *done)
{
	submit(task);
	while (!*done)
		doca_pe_progress(control);
}

static void add_ns(struct medium *m)
{
	must(!doca_sta_subsystem_add_ns(subs, (uint32_t)(m - media) + 1, BLOCK, 1, m->be, &m->ns));
}

static void remove_ns(struct medium *m)
{
	struct doca_sta_producer_task_send *task;
	bool done = false;

	must(!doca_sta_subsystem_task_rm_ns_alloc_init(subs, m->ns, (union doca_data){.ptr = &done},
						       &task));
	run_task(task, &done);
}

static void add_queue(struct medium *m)
{
	must(!softfield_sta_be_add_disk_queue(m->be, m->disk, &m->be_q));
}

static void destroy_queue(struct doca_sta_be_q_handle *be_q)
{
	struct doca_sta_producer_task_send *task;
	bool done = false;

	must(!doca_sta_be_destroy_queue_task_alloc_init(be_q, (union doca_data){.ptr = &done},
							&task));
	run_task(task, &done);
}

static void replace_ns(struct medium *m)
{
	remove_ns(m);
	add_ns(m);
	must(!doca_sta_subsystem_rm_ns(subs, m->ns)); /* the same without a task */
	add_ns(m);
}

static void replace_queue(struct medium *m)
{
	destroy_queue(m->be_q);
	add_queue(m);
}

static void go_over_to_another_queue(struct medium *m)
{
	struct doca_sta_be_q_handle *old = m->be_q;

	add_queue(m);
	destroy_queue(old);
}

static void replace_everything(struct medium *m)
{
	remove_ns(m);
	destroy_queue(m->be_q);
	must(!doca_sta_be_destroy(m->be));
	must(!doca_sta_be_create(sta, &m->be));
	add_queue(m);
	add_ns(m);
}

static void look_at_statistics(struct medium *m)
{
	const struct doca_sta_eu_ctr_entry *entries;
	struct doca_sta_qp_handle *qps[THREADS * HOSTS * 2];
	struct doca_sta_eu_handle *eus[16];
	uint32_t i, eu_count = ARRAY_SIZE(eus);
	uint16_t count;

	must(!doca_sta_get_eu_handle(sta, eus, &eu_count));
	for (i = 0; i < eu_count; i++) {
		must(!doca_sta_get_eu_stats(eus[i], &entries, &count));
		count = ARRAY_SIZE(qps);
		must(!doca_sta_get_eu_connect_qp_stats(eus[i], qps, &count));
	}
	must(!doca_sta_get_ns_stats(subs, m->ns, &entries, &count));
	must(!doca_sta_get_be_queue_stats(m->be, m->be_q, &entries, &count));
	must(!doca_sta_eu_reset_stats_type(sta, DOCA_STA_EU_MAX));
}

static void disturb(struct random *random)
{
	static void (*const ways[])(struct medium * m) = {
		replace_ns,	    replace_queue,	go_over_to_another_queue,
		replace_everything, look_at_statistics,
	};
	struct medium *m = &media[random_below(random, NAMESPACES)];
	unsigned int before = atomic_load(&finished);

	atomic_fetch_add(&m->changes, 1);
	ways[random_below(random, ARRAY_SIZE(ways))](m);
	atomic_fetch_add(&m->changes, 1);
	while (atomic_load(&finished) - before < 100) { /* the hosts are busy again */
		doca_pe_progress(control);
		sched_yield();
	}
}

static void set_up(uint16_t eus)
{
	const struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY,
						     .size = THREADS * BLOCKS * BLOCK};
	struct medium *m;

	dev = open_dev(DPU_PF0);
	must(!doca_sta_create(dev, &sta));
	must(!doca_sta_add_dev(sta, dev));
	must(!softfield_sta_set_num_eus(sta, eus));
	must(!doca_sta_subsystem_task_rm_ns_set_conf(sta, on_flag, on_flag));
	must(!doca_sta_be_task_destroy_queue_set_conf(sta, on_flag, on_flag));
	must(!doca_pe_create(&control));
	must(!doca_pe_connect_ctx(control, doca_sta_as_ctx(sta)));
	must(!doca_ctx_start(doca_sta_as_ctx(sta)));
	must(!doca_sta_subsystem_create(sta, "nqn.2025-11.org.example:storage", &subs));
	must(!doca_sta_subsystem_add_dev(subs, dev));
	for (m = media; m < media + NAMESPACES; m++) {
		must(!softfield_sta_disk_open(sta, &attr, &m->disk));
		must(!doca_sta_be_create(sta, &m->be));
		add_queue(m);
		add_ns(m);
	}
}

static void tear_down(void)
{
	struct medium *m;

	for (m = media; m < media + NAMESPACES; m++) {
		remove_ns(m);
		destroy_queue(m->be_q);
		must(!doca_sta_be_destroy(m->be));
		must(!softfield_sta_disk_close(m->disk));
	}
	must(!doca_sta_subsystem_destroy(subs));
	stop_ctx(doca_sta_as_ctx(sta), control);
	must(!doca_sta_destroy(sta));
	must(!doca_pe_destroy(control));
	must(!doca_dev_close(dev));
}

static void run_all(uint16_t eus)
{
	struct random random = {.state = eus};
	unsigned int i, k;

	memset(threads, 0, sizeof(threads));
	set_up(eus);
	atomic_store(&over, false);
	for (i = 0; i < THREADS; i++) {
		threads[i].first = i * BLOCKS;
		threads[i].random.state = eus * 100 + i + 1;
		for (k = 0; k < HOSTS; k++)
			threads[i].hosts[k].thread = &threads[i];
		must(!pthread_create(&threads[i].thread, NULL, run, &threads[i]));
	}
	for (i = 0; i < rounds; i++)
		disturb(&random);
	atomic_store(&over, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i].thread, NULL);
	tear_down();
}

int main(int argc, char **argv)
{
	struct leak before = leak_count();

	if (argc > 1)
		rounds = (unsigned int)strtoul(argv[1], NULL, 0);
	run_all(1);
	run_all(2);
	return leak_check(&before) ? 0 : 1;
}
