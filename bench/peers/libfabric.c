/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: libfabric reliable datagrams, tagged messages, over its shared-memory provider.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <string.h>
#include <unistd.h>
#include "pair.h"
#include "window.h"

#define TAG	     5
#define QUEUE_LENGTH 1024
#define NAME_SIZE    256

static struct fid_ep *endpoint;
static struct fid_cq *send_queue, *recv_queue;
static fi_addr_t other;
static struct fi_context2 send_context[WINDOW_SIZE], recv_context[WINDOW_SIZE];

static void check(long result, const char *what)
{
	if (result)
		bench_fail("%s: %s", what, fi_strerror((int)-result));
}

static void wait_completions(struct fid_cq *queue, unsigned int count)
{
	struct fi_cq_entry entry[16];
	size_t most = sizeof(entry) / sizeof(entry[0]);

	while (count > 0) {
		ssize_t done = fi_cq_read(queue, entry, count < most ? count : most);

		if (done > 0)
			count -= (unsigned int)done;
		else if (done != -FI_EAGAIN)
			check(done, "fi_cq_read");
	}
}

static void progress(void)
{
	fi_cq_read(send_queue, NULL, 0);
	fi_cq_read(recv_queue, NULL, 0);
}

static void start_send(const void *message, size_t size, unsigned int slot)
{
	while (fi_tsend(endpoint, message, size, NULL, other, TAG, &send_context[slot]) ==
	       -FI_EAGAIN)
		progress();
}

static void start_recv(void *buffer, size_t size, unsigned int slot)
{
	while (fi_trecv(endpoint, buffer, size, NULL, FI_ADDR_UNSPEC, TAG, 0,
			&recv_context[slot]) == -FI_EAGAIN)
		progress();
}

static void wait_sends(unsigned int count)
{
	wait_completions(send_queue, count);
}

static void wait_recvs(unsigned int count)
{
	wait_completions(recv_queue, count);
}

static struct fi_info *find_provider(void)
{
	struct fi_info *hints = fi_allocinfo(), *info;

	if (!hints)
		bench_fail("no memory for hints");
	hints->fabric_attr->prov_name = strdup("shm");
	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_TAGGED | FI_MSG;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	check(fi_getinfo(FI_VERSION(1, 15), NULL, NULL, 0, hints, &info), "provider shm");
	fi_freeinfo(hints);
	return info;
}

static struct fid_av *open_endpoint(void)
{
	struct fi_info *info = find_provider();
	struct fi_cq_attr queue = {.size = QUEUE_LENGTH, .format = FI_CQ_FORMAT_CONTEXT};
	struct fi_av_attr addresses = {.type = FI_AV_TABLE, .count = 8};
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *vector;

	check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
	check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
	check(fi_cq_open(domain, &queue, &send_queue, NULL), "fi_cq_open");
	check(fi_cq_open(domain, &queue, &recv_queue, NULL), "fi_cq_open");
	check(fi_av_open(domain, &addresses, &vector, NULL), "fi_av_open");
	check(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
	check(fi_ep_bind(endpoint, &vector->fid, 0), "fi_ep_bind");
	check(fi_ep_bind(endpoint, &send_queue->fid, FI_TRANSMIT), "fi_ep_bind");
	check(fi_ep_bind(endpoint, &recv_queue->fid, FI_RECV), "fi_ep_bind");
	check(fi_enable(endpoint), "fi_enable");
	return vector;
}

struct run {
	const struct bench_options *options;
	int name_pipe[2][2]; /* by the side that writes its name */
};

static void run_side(struct run *run, enum side side)
{
	struct window window = {
		.name = "libfabric_shm",
		.start_send = start_send,
		.start_recv = start_recv,
		.wait_sends = wait_sends,
		.wait_recvs = wait_recvs,
	};
	struct fid_av *vector = open_endpoint();
	char name[NAME_SIZE] = {0};
	size_t size = sizeof(name);

	check(fi_getname(&endpoint->fid, name, &size), "fi_getname");
	if (write(run->name_pipe[side][1], name, sizeof(name)) != sizeof(name) ||
	    read(run->name_pipe[!side][0], name, sizeof(name)) != sizeof(name))
		bench_fail("cannot exchange names");
	if (fi_av_insert(vector, name, 1, &other, 0, NULL) != 1)
		bench_fail("cannot add the other side's name");
	window_bench(&window, side, run->options);
	fi_close(&endpoint->fid); /* removes the provider's named segment */
}

static void answer(void *arg)
{
	run_side(arg, SIDE_ANSWERS);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct run run = {.options = &options};
	pid_t child;

	options_parse(&options, argc, argv);
	if (pipe(run.name_pipe[0]) || pipe(run.name_pipe[1]))
		bench_fail("cannot create pipes");
	child = pair_fork(options.cpu, answer, &run);
	run_side(&run, SIDE_MEASURES);
	pair_join(child);
	return 0;
}
