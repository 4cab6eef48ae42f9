/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that sends whatever it likes to the target's controllers: each 65 bytes of the input are a
 * choice of queue and a command; its data is a valid Connect or the bytes that follow.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "nvmf_program.h"

#define QUEUES	 3
#define REQUESTS 256
#define NQN	 "nqn.2024-01.example:disk"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct nvmf_queue queues[QUEUES];
static struct nvmf_req requests[REQUESTS];
static _Alignas(8) uint8_t memory[4096];
static struct nvmf_queue *dropped;

static void disconnect(struct nvmf_queue *queue, const char *why)
{
	(void)why;
	dropped = queue;
}

static struct nvmf_target *make_target(struct nvmf_port **port)
{
	struct nvmf_target_attr attr = {.ops = &ops,
					.max_queue_entries = 128,
					.max_io_queues = 4,
					.max_transfer = 131072,
					.max_in_capsule = 8192,
					.version = "1"};
	struct nvmf_subsys_attr subsys_attr = {
		.nqn = NQN, .serial = "1", .model = "m", .allow_any_host = true, .ana = true};
	struct nvmf_ns_attr ns_attr = {
		.blocks = 2048, .block_shift = 9, .can_fuse = true, .oncs = NVME_ONCS_OURS};
	struct nvmf_target *target;
	struct nvmf_subsys *subsys;
	struct nvmf_ns *ns;

	if (nvmf_target_create(&attr, &target) ||
	    nvmf_port_add(target,
			  &(struct nvmf_port_attr){1, NVMF_TCP, NVMF_IPV4, "0.0.0.0", "4420"},
			  port) ||
	    nvmf_subsys_add(target, &subsys_attr, &subsys) || nvmf_ns_add(subsys, &ns_attr, &ns))
		abort();
	return target;
}

static void fill_connect(uint8_t choice)
{
	struct nvmf_connect_data data = {.cntlid = htole16(choice & 8 ? 1 : 0xffff)};

	strcpy(data.subnqn, choice & 16 ? NVME_DISCOVERY_NQN : NQN);
	strcpy(data.hostnqn, "nqn.2024-01.example:host");
	memcpy(memory, &data, sizeof(data));
}

/* bytes of the host's descriptor; a log page is refused unless it asks for as many */
static uint32_t room(const struct nvme_cmd *cmd, uint8_t choice, uint8_t other)
{
	uint32_t asked = (le32toh(cmd->cdw10) >> 16) * 4 + 4;

	if (choice & 32)
		return other;
	return cmd->opcode == NVME_ADMIN_GET_LOG_PAGE && asked < sizeof(memory) ? asked
										: sizeof(memory);
}

static void one(struct nvmf_target *target, struct nvmf_req *req, uint8_t choice,
		const uint8_t *cmd, size_t left)
{
	struct nvmf_queue *queue = &queues[choice % QUEUES];

	memset(req, 0, sizeof(*req));
	memcpy(&req->cmd, cmd, sizeof(req->cmd));
	memset(memory, 0, sizeof(memory));
	if (choice & 4)
		fill_connect(choice);
	else
		memcpy(memory, cmd, left < sizeof(memory) ? left : sizeof(memory));
	req->data = memory;
	req->size = room(&req->cmd, choice, cmd[0]);
	nvmf_execute(target, queue, req);
	if (dropped && choice & 64)
		nvmf_queue_closed(dropped);
	dropped = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nvmf_port *port;
	struct nvmf_target *target = make_target(&port);
	unsigned int i;

	for (i = 0; i < QUEUES; i++)
		nvmf_queue_init(&queues[i], port, "127.0.0.1");
	for (i = 0; i < REQUESTS && size >= 65; i++, data += 65, size -= 65) {
		one(target, &requests[i], data[0], data + 1, size - 1);
		nvmf_target_tick(target, i * 700000000ull);
	}
	for (i = 0; i < QUEUES; i++)
		if (queues[i].ctrlr)
			nvmf_queue_closed(&queues[i]);
	nvmf_target_destroy(target);
	return 0;
}
