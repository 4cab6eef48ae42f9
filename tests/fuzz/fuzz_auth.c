/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that should authenticate: keys from a configuration, messages, and steps of a transaction
 * in any order. Whoever has not sent a right reply must not be let in.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "nvmf_program.h"

#define NQN	"nqn.2024-01.example:disk"
#define HOSTNQN "nqn.2024-01.example:host"
#define KEY	"DHHC-1:01:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUPo:"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct scene {
	struct nvmf_target *target;
	struct nvmf_port *port;
	struct nvmf_queue queue;
	struct nvmf_key key;
	uint8_t challenge[NVMF_AUTH_MSG_MAX]; /* the last one */
	uint64_t now_ns;
	bool closing;	/* the target wants it */
	bool may_be_in; /* a right reply has been sent */
};

static struct scene scene;
static _Alignas(8) uint8_t memory[8192];

static void disconnect(struct nvmf_queue *queue, const char *why)
{
	(void)queue;
	scene.closing = why != NULL;
}

static uint16_t execute(const void *cmd, uint32_t size)
{
	static struct nvmf_req req;

	memset(&req, 0, sizeof(req));
	memcpy(&req.cmd, cmd, sizeof(req.cmd));
	req.data = memory;
	req.size = size;
	if (nvmf_execute(scene.target, &scene.queue, &req) == NVMF_HOLD)
		nvmf_target_work(scene.target);
	if (req.is_last)
		nvmf_auth_is_over(&scene.queue);
	return req.status;
}

static void connect_host(void)
{
	struct nvmf_connect_cmd cmd = {.opcode = NVME_CMD_FABRICS,
				       .fctype = NVME_FC_CONNECT,
				       .sqsize = htole16(31),
				       .kato = htole32(5000)};
	struct nvmf_connect_data data = {.cntlid = htole16(0xffff)};

	strcpy(data.subnqn, NQN);
	strcpy(data.hostnqn, HOSTNQN);
	memcpy(memory, &data, sizeof(data));
	nvmf_queue_init(&scene.queue, scene.port, "127.0.0.1");
	scene.closing = scene.may_be_in = false;
	if (execute(&cmd, sizeof(data)))
		abort();
}

static void start(void)
{
	struct nvmf_target_attr attr = {.ops = &ops,
					.max_queue_entries = 128,
					.max_io_queues = 4,
					.max_transfer = 131072,
					.max_in_capsule = 8192,
					.version = "1"};
	struct nvmf_subsys_attr subsys_attr = {.nqn = NQN, .serial = "1", .model = "m"};
	struct nvmf_host_auth auth;
	struct nvmf_subsys *subsys;
	const char *why;

	memset(&scene, 0, sizeof(scene));
	nvmf_host_auth_init(&auth);
	if (nvmf_key_parse(KEY, &auth.key, &why) || nvmf_target_create(&attr, &scene.target) ||
	    nvmf_port_add(scene.target,
			  &(struct nvmf_port_attr){1, NVMF_TCP, NVMF_IPV4, "0.0.0.0", "4420"},
			  &scene.port) ||
	    nvmf_subsys_add(scene.target, &subsys_attr, &subsys) ||
	    nvmf_subsys_allow_host(subsys, HOSTNQN))
		abort();
	auth.ctrlr_key = scene.key = auth.key;
	auth.groups[0] = NVMF_FFDHE2048;
	auth.groups[1] = NVMF_DH_NULL;
	auth.group_count = 2;
	nvmf_subsys_set_host_auth(subsys, HOSTNQN, &auth);
	connect_host();
}

static uint16_t auth_cmd(uint8_t type, uint32_t size)
{
	struct nvmf_auth_cmd cmd = {.opcode = NVME_CMD_FABRICS,
				    .fctype = type,
				    .spsp0 = 1,
				    .spsp1 = 1,
				    .secp = 0xe9,
				    .length = htole32(size)};

	return execute(&cmd, size);
}

static void receive(uint32_t size)
{
	memset(memory, 0, sizeof(memory));
	if (!auth_cmd(NVME_FC_AUTH_RECEIVE, size) && memory[0] == 1 && memory[1] == 1)
		memcpy(scene.challenge, memory, sizeof(scene.challenge));
}

static void negotiate(uint8_t group)
{
	memset(memory, 0, 72);
	memory[7] = memory[8] = memory[10] = memory[11] = 1;
	memory[12] = NVMF_SHA256;
	memory[42] = group;
	auth_cmd(NVME_FC_AUTH_SEND, 72);
}

/* right if the last challenge was for the group without values */
static void reply(bool both)
{
	uint8_t response[NVMF_DIGEST_MAX];
	struct nvmf_proof proof = {.key = &scene.key,
				   .hash = NVMF_SHA256,
				   .challenge = scene.challenge + 16,
				   .role = NVMF_ROLE_HOST,
				   .nqn = HOSTNQN,
				   .other_nqn = NQN};

	memcpy(&proof.seqnum, scene.challenge + 12, 4);
	if (nvmf_proof_make(&proof, response))
		return;
	memset(memory, 0, 80);
	memory[0] = memory[12] = 1;
	memory[1] = 2;
	memory[6] = 32;
	memory[8] = both;
	memcpy(memory + 16, response, 32);
	auth_cmd(NVME_FC_AUTH_SEND, 80);
	scene.may_be_in = true;
}

static void use(void)
{
	struct nvmf_property_cmd cmd = {
		.opcode = NVME_CMD_FABRICS, .fctype = NVME_FC_PROPERTY_GET, .attrib = 1};

	if (!execute(&cmd, 0) && !scene.may_be_in)
		abort();
}

static void send_bytes(struct wire_reader *script)
{
	uint16_t size = wire_get_u16(script) % 2048;
	const uint8_t *bytes = wire_get(script, size);

	if (!bytes)
		return;
	memcpy(memory, bytes, size);
	auth_cmd(NVME_FC_AUTH_SEND, size);
}

static void step(struct wire_reader *script)
{
	uint8_t what = (uint8_t)wire_get_uint(script, 1);

	switch (what & 7) {
	case 0:
		send_bytes(script);
		break;
	case 1:
		receive((what & 8) ? 4096 : (uint32_t)wire_get_uint(script, 1));
		break;
	case 2:
		negotiate(what >> 3 & 1);
		break;
	case 3:
		reply(what & 8);
		break;
	case 4:
		memset(memory, 0, 16);
		memory[0] = 1;
		memory[1] = 4;
		auth_cmd(NVME_FC_AUTH_SEND, 16);
		break;
	case 5:
		use();
		break;
	case 6:
		scene.now_ns += (uint64_t)(what >> 3) * 1000000000u;
		nvmf_target_tick(scene.target, scene.now_ns);
		break;
	default:
		scene.closing = true;
	}
	if (!scene.closing)
		return;
	nvmf_queue_closed(&scene.queue);
	connect_host();
}

static void parse_key(const uint8_t *data, size_t size)
{
	char text[256];
	struct nvmf_key key;
	const char *why = NULL;

	if (size >= sizeof(text))
		size = sizeof(text) - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	if (nvmf_key_parse(text, &key, &why) ? !why : key.size % 16 || key.size < 32)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_reader script = wire_reader(data, size);
	unsigned int steps;

	parse_key(data, size);
	start();
	for (steps = 0; steps < 64 && !script.failed && script.pos < script.end; steps++)
		step(&script);
	nvmf_queue_closed(&scene.queue);
	nvmf_target_destroy(scene.target);
	return 0;
}
