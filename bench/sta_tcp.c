/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A storage target over NVMe/TCP on loopback: its engine on one CPU, a host that builds its own
 * bytes on the other. --mode memory: with a disk in memory instead of none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/report.h"
#include "lib/wire.h"
#include "sta_target.h"

enum { ICREQ = 0x00, ICRESP = 0x01, CAPSULE = 0x04, RESPONSE = 0x05, DATA = 0x07 };

struct host {
	struct sta_target target;
	const struct bench_options *options;
	const char *disk;
	int sock;
	bool write;
	size_t size;
};

static void put_header(uint8_t *pdu, uint8_t type, uint8_t hlen, uint32_t plen)
{
	memset(pdu, 0, hlen);
	pdu[0] = type;
	pdu[2] = hlen;
	pdu[3] = plen > hlen ? hlen : 0;
	memcpy(pdu + 4, &plen, sizeof(plen));
}

static void put_capsule(uint8_t *pdu, const uint8_t *sqe, uint32_t data_size, bool in_capsule)
{
	put_header(pdu, CAPSULE, WIRE_HEADER_SIZE, WIRE_HEADER_SIZE + (in_capsule ? data_size : 0));
	memcpy(pdu + 8, sqe, 64);
	memcpy(pdu + 8 + 32, &data_size, sizeof(data_size));
	pdu[8 + 39] = in_capsule ? 0x01 : 0x5a; /* data by offset, or by the transport */
}

static void fill(uint8_t *request, unsigned int slot, uint64_t number, void *arg)
{
	const struct host *host = arg;
	uint8_t sqe[64];

	sta_fill_rw(sqe, host->write, (uint16_t)slot, number * host->size % STA_DISK_SIZE,
		    (uint32_t)host->size);
	put_capsule(request, sqe, (uint32_t)host->size, host->write);
}

static unsigned int slot_of(const uint8_t *answer, void *arg)
{
	const struct host *host = arg;
	const uint8_t *response = host->write ? answer : answer + 24 + host->size;
	uint16_t slot;

	if (answer[0] != (host->write ? RESPONSE : DATA) || response[0] != RESPONSE ||
	    response[8 + 14] || response[8 + 15])
		bench_fail("a command has failed");
	memcpy(&slot, response + 8 + 12, sizeof(slot));
	return slot;
}

static void receive_all(struct host *host, uint8_t *data, size_t size)
{
	while (size) {
		size_t n = wire_receive(host->sock, data, size);

		if (!n)
			bench_fail("the target has closed the connection");
		data += n;
		size -= n;
	}
}

static void connect_host(struct host *host)
{
	struct sta_target *target = &host->target;
	uint8_t pdu[WIRE_HEADER_SIZE + 1024] = {0}, icreq[128], icresp[128], sqe[64], answer[24];
	int sock[2];

	wire_connect(sock);
	host->sock = sock[0];
	sta_check(softfield_sta_io_qp_connect_tcp(target->io, target->dev, sock[1], NULL,
						  &target->qp),
		  "make a queue pair");
	put_header(icreq, ICREQ, sizeof(icreq), sizeof(icreq));
	wire_send_all(host->sock, icreq, sizeof(icreq));
	receive_all(host, icresp, sizeof(icresp));
	if (icresp[0] != ICRESP)
		bench_fail("no ICResp");
	sta_fill_connect(sqe);
	put_capsule(pdu, sqe, 1024, true);
	wire_send_all(host->sock, pdu, sizeof(pdu));
	sta_target_wait(target);
	receive_all(host, answer, sizeof(answer));
	if (answer[0] != RESPONSE || answer[8 + 14] || answer[8 + 15])
		bench_fail("Connect has failed");
}

static void run(void *arg, bool write, size_t size, unsigned int depth)
{
	struct host *host = arg;
	const struct wire wire = {
		.sock = host->sock,
		.request_size = WIRE_HEADER_SIZE + (write ? size : 0),
		.answer_size = write ? WIRE_ANSWER_SIZE : WIRE_READ_OVERHEAD + size,
		.depth = depth,
		.fill = fill,
		.slot_of = slot_of,
		.arg = host,
	};
	struct wire_result result;
	char peer[64];

	host->write = write;
	host->size = size;
	snprintf(peer, sizeof(peer), "softfield_sta_tcp_%s", host->disk);
	result = wire_run(&wire, host->options->point_ns);
	wire_report(peer, write, size, depth, &result);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	static struct host host;

	options_parse(&options, argc, argv);
	host.options = &options;
	host.disk = options.mode ? options.mode : "null";
	sta_target_open(&host.target, &options,
			strcmp(host.disk, "memory") ? SOFTFIELD_STA_DISK_NULL
						    : SOFTFIELD_STA_DISK_MEMORY);
	connect_host(&host);
	wire_for_each_point(run, &host);
	sta_target_close(&host.target);
	return 0;
}
