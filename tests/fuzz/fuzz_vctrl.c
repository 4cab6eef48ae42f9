/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that puts what it likes into the queue of an emulated controller, and aborts what it has
 * put there. The first byte chooses the disk: memory, or one that answers later and as the script
 * says. Each command that the controller has taken is answered once.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nvme/vctrl_priv.h"
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENTRIES	     8u
#define MEMORY_SIZE  (64u << 10)
#define DISK_SIZE    (256u << 10)
#define MAX_TRANSFER (16u << 10)

/*
 * A disk that answers later
 */

static struct vctrl_io *begun[ENTRIES];
static unsigned int begun_count;

static doca_error_t late_open(struct vctrl_medium *medium, unsigned int depth,
			      struct vctrl_channel **ret_channel)
{
	(void)medium;
	(void)depth;
	*ret_channel = calloc(1, sizeof(**ret_channel));
	return *ret_channel ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static void late_close(struct vctrl_channel *channel)
{
	free(channel);
}

/* touches all that a transfer would */
static void touch(const struct vctrl_io *io)
{
	uint64_t left = io->op == VCTRL_READ || io->op == VCTRL_WRITE ? io->size : 0;

	assert(io->offset + io->size <= DISK_SIZE);
	for (unsigned int i = 0; i < io->iov_count && left; i++) {
		if (io->op == VCTRL_READ)
			memset(io->iov[i].iov_base, 0x5a, io->iov[i].iov_len);
		left -= io->iov[i].iov_len;
	}
	assert(!left);
	if (io->expected)
		memset(io->scratch, 0, io->size);
}

static void late_start(struct vctrl_channel *channel, struct vctrl_io *io)
{
	(void)channel;
	assert(begun_count < ENTRIES);
	touch(io);
	begun[begun_count++] = io;
}

static unsigned int late_poll(struct vctrl_channel *channel)
{
	(void)channel;
	return 0;
}

static int late_fd(const struct vctrl_channel *channel)
{
	(void)channel;
	return -1;
}

static void late_destroy(struct vctrl_medium *medium)
{
	free(medium);
}

static const struct vctrl_medium_ops late_ops = {
	.open = late_open,
	.close = late_close,
	.start = late_start,
	.poll = late_poll,
	.fd = late_fd,
	.destroy = late_destroy,
};

static struct vctrl_medium *new_late(void)
{
	struct vctrl_medium *medium = calloc(1, sizeof(*medium));

	assert(medium);
	medium->ops = &late_ops;
	medium->min_block_size = 512;
	atomic_init(&medium->size, DISK_SIZE);
	return medium;
}

/*
 * The host
 */

static struct {
	struct vctrl *ctrl;
	struct vctrl_queue *queue;
	struct nvme_cmd sq[ENTRIES];
	struct nvme_cqe cq[ENTRIES];
	_Atomic uint32_t sq_doorbell, cq_doorbell;
	uint8_t *memory;
	uint32_t tail;
	uint64_t answered;
} host;

static void *to_memory(void *arg, uint64_t bus, size_t size)
{
	(void)arg;
	return size <= MEMORY_SIZE && bus <= MEMORY_SIZE - size ? host.memory + bus : NULL;
}

static void open_disk(bool is_late, uint32_t block_size)
{
	const struct vctrl_attr attr = {.max_transfer = MAX_TRANSFER, .translate = to_memory};
	const struct nvme_queue_attr rings = {.sq = host.sq,
					      .cq = host.cq,
					      .sq_doorbell = &host.sq_doorbell,
					      .cq_doorbell = &host.cq_doorbell,
					      .entries = ENTRIES};
	struct vctrl_medium *medium = NULL;
	uint32_t nsid;

	memset(&host, 0, sizeof(host));
	begun_count = 0;
	host.memory = calloc(1, MEMORY_SIZE);
	if (is_late)
		medium = new_late();
	else if (vctrl_mem_create(DISK_SIZE, &medium))
		abort();
	if (!host.memory || vctrl_create(&attr, &host.ctrl) ||
	    vctrl_add_ns(host.ctrl, medium, block_size, &nsid) ||
	    vctrl_queue_open(host.ctrl, &rings, &host.queue))
		abort();
}

static uint64_t next_address(struct script *script)
{
	uint8_t how = next_byte(script);

	return how & 0x80 ? next_number(script) : (uint64_t)(how & 15) << 12;
}

static void next_command(struct script *script, struct nvme_cmd *cmd)
{
	static const uint8_t opcodes[] = {NVME_CMD_FLUSH,   NVME_CMD_WRITE,	   NVME_CMD_READ,
					  NVME_CMD_COMPARE, NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM,
					  NVME_CMD_VERIFY,  NVME_CMD_COPY};
	uint8_t choice = next_byte(script);

	memset(cmd, 0, sizeof(*cmd));
	cmd->opcode = choice & 0x80 ? next_byte(script) : opcodes[choice % sizeof(opcodes)];
	cmd->flags = choice & 0x40 ? next_byte(script) : choice >> 4 & 3;
	cmd->cid = htole16(next_byte(script) & 15); /* also one that is in use */
	cmd->nsid = htole32(choice & 8 ? next_byte(script) : 1);
	cmd->prp1 = htole64(next_address(script));
	cmd->prp2 = htole64(next_address(script));
	cmd->cdw10 = htole32(next_byte(script));
	cmd->cdw11 = htole32(choice & 8 ? next_number(script) : NVME_DSM_AD * (choice & 1));
	cmd->cdw12 = htole32(choice & 8 ? next_number(script) : next_byte(script) & 31);
	if (cmd->opcode != NVME_CMD_DSM && !(choice & 8))
		cmd->cdw11 = 0;
}

static void submit(struct script *script)
{
	next_command(script, &host.sq[host.tail % ENTRIES]);
	host.tail = (host.tail + 1) % ENTRIES;
	atomic_store(&host.sq_doorbell, htole32(host.tail));
}

/* entries of a list of ranges, or anything else, wherever PRPs may point */
static void write_memory(struct script *script)
{
	uint32_t at = next_number(script) % MEMORY_SIZE, count = next_byte(script);

	while (count-- && at < MEMORY_SIZE)
		host.memory[at++] = next_byte(script);
}

static void write_range(struct script *script)
{
	struct nvme_copy_range range = {.slba = htole64(next_byte(script)),
					.nlb = htole16(next_byte(script) & 15)};
	uint32_t at = (uint32_t)(next_byte(script) & 15) << 12;

	at += (next_byte(script) & 127u) * (uint32_t)sizeof(range);
	memcpy(host.memory + at, &range, sizeof(range));
}

/* what has been answered, in their order */
static void take_answers(void)
{
	uint16_t phase = !(host.answered / ENTRIES & 1);
	const struct nvme_cqe *cqe = &host.cq[host.answered % ENTRIES];

	while ((le16toh(cqe->status) & 1) == phase) {
		host.answered++;
		phase = !(host.answered / ENTRIES & 1);
		cqe = &host.cq[host.answered % ENTRIES];
	}
	atomic_store(&host.cq_doorbell, htole32((uint32_t)(host.answered % ENTRIES)));
}

static void answer_late(struct script *script)
{
	static const uint16_t statuses[] = {NVME_SC_SUCCESS, NVME_SC_READ_ERROR,
					    NVME_SC_ABORT_REQUESTED,
					    NVME_SC_COMPARE_FAILURE | NVME_SC_DNR};
	uint8_t choice = next_byte(script);
	unsigned int which;
	struct vctrl_io *io;

	if (!begun_count)
		return;
	which = choice % begun_count;
	io = begun[which];
	begun[which] = begun[--begun_count];
	touch(io);
	vctrl_io_done(host.queue->channels[0], io, choice & 0x80 ? statuses[choice >> 5 & 3] : 0);
}

static void step(struct script *script)
{
	uint8_t what = next_byte(script);

	switch (what % 9) {
	case 0:
	case 1:
		submit(script);
		break;
	case 2:
		write_memory(script);
		break;
	case 3:
		write_range(script);
		break;
	case 4:
		vctrl_queue_abort(host.queue, next_byte(script) & 15);
		break;
	case 5:
		answer_late(script);
		break;
	case 6:
		take_answers();
		break;
	case 7: /* a disk that has another size, or a doorbell that lies */
		if (what & 0x80)
			atomic_store(&host.ctrl->ns[0].medium->size, DISK_SIZE / (1 + what % 4));
		else if (what > 0x70)
			atomic_store(&host.sq_doorbell, htole32(next_byte(script)));
		break;
	default:
		vctrl_queue_poll(host.queue);
		break;
	}
}

static bool is_busy(void)
{
	const struct vctrl_queue *queue = host.queue;

	return !queue->failed && (queue->outstanding != (queue->half ? 1 : 0) ||
				  le32toh(host.sq_doorbell) != queue->sq_head);
}

/* all but a half whose other one has not come */
static void end(struct script *script)
{
	unsigned int rounds = 0;

	do {
		take_answers();
		vctrl_queue_poll(host.queue);
		answer_late(script);
		assert(++rounds < 20000); /* a list of 256 ranges in each entry */
	} while (is_busy());
	take_answers();
	assert(host.queue->finished == host.answered);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script script = {data, data + size};
	uint8_t choice = next_byte(&script);

	open_disk(choice & 1, choice & 2 ? 4096 : 512);
	while (script.pos < script.end)
		step(&script);
	end(&script);
	vctrl_queue_close(host.queue);
	vctrl_destroy(host.ctrl);
	free(host.memory);
	return 0;
}
