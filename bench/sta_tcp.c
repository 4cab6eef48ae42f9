/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A storage target over NVMe/TCP on loopback: its engine on one CPU, a host that builds its own
 * bytes on the other. --mode memory or file: with a disk in memory or in a file instead of none.
 * --metric kernel: how much of its time the engine spends in system calls at depth 32.
 * --messages N --metric read or write: N commands of 4 KiB at that depth and nothing else, for
 * callgrind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "lib/pair.h"
#include "lib/report.h"
#include "lib/wire.h"
#include "sta_target.h"

enum {
	ICREQ = 0x00,
	ICRESP = 0x01,
	CAPSULE = 0x04,
	RESPONSE = 0x05,
	H2C_DATA = 0x06,
	C2H_DATA = 0x07,
	R2T = 0x09,
};

#define FLAG_LAST     0x04
#define PROFILE_DEPTH 32u

struct host {
	struct sta_target target;
	const struct bench_options *options;
	const char *disk;
	int sock;
	bool write, profile;
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

	sta_fill_rw(sqe, host->write, (uint16_t)slot,
		    file_offset(number, host->size, STA_DISK_SIZE), (uint32_t)host->size);
	put_capsule(request, sqe, (uint32_t)host->size,
		    host->write && host->size <= WIRE_WITH_REQUEST);
}

static unsigned int slot_of(const uint8_t *answer, bool *wants_data, void *arg)
{
	const struct host *host = arg;
	const uint8_t *response = host->write ? answer : answer + 24 + host->size;
	uint16_t slot;

	*wants_data = host->write && answer[0] == R2T;
	if (*wants_data)
		return 0;
	if (answer[0] != (host->write ? RESPONSE : C2H_DATA) || response[0] != RESPONSE ||
	    response[8 + 14] || response[8 + 15])
		bench_fail("a command has failed");
	memcpy(&slot, response + 8 + 12, sizeof(slot));
	return slot;
}

/* identifier, tag, offset and length are where they are in what asks for them */
static void fill_data(uint8_t *header, const uint8_t *answer, void *arg)
{
	const struct host *host = arg;
	uint32_t asked[2];

	memcpy(asked, answer + 12, sizeof(asked));
	if (asked[0] || asked[1] != host->size)
		bench_fail("the target asks for its data in pieces");
	put_header(header, H2C_DATA, WIRE_DATA_HEADER, WIRE_DATA_HEADER + asked[1]);
	header[1] = FLAG_LAST;
	memcpy(header + 8, answer + 8, 12);
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

/* what the other threads of the process have used: the engine's, because a disk that is none needs
 * no more */
static void engine_usage(double *user_us, double *kernel_us)
{
	struct rusage all, own;

	getrusage(RUSAGE_SELF, &all);
	getrusage(RUSAGE_THREAD, &own);
	*user_us = (double)(all.ru_utime.tv_sec - own.ru_utime.tv_sec) * 1e6 +
		   (double)(all.ru_utime.tv_usec - own.ru_utime.tv_usec);
	*kernel_us = (double)(all.ru_stime.tv_sec - own.ru_stime.tv_sec) * 1e6 +
		     (double)(all.ru_stime.tv_usec - own.ru_stime.tv_usec);
}

static bool is_counted(const struct host *host)
{
	return host->size == 4096 &&
	       host->write == (host->options->metric && !strcmp(host->options->metric, "write"));
}

static void measure(struct host *host, const struct wire *wire)
{
	double user[2], kernel[2];
	struct wire_result result;
	char name[64];

	engine_usage(&user[0], &kernel[0]);
	result = wire_run(wire, host->options->point_ns);
	engine_usage(&user[1], &kernel[1]);
	snprintf(name, sizeof(name), "softfield_sta_tcp_%s", host->disk);
	if (!host->profile) {
		wire_report(name, host->write, host->size, wire->depth, &result);
		return;
	}
	snprintf(name, sizeof(name), "softfield_sta_tcp_%s_%s_qd%u", host->disk,
		 host->write ? "write" : "read", wire->depth);
	kernel[1] -= kernel[0];
	report_row(name, "kernel", host->size, 100 * kernel[1] / (kernel[1] + user[1] - user[0]),
		   "%");
}

static void run(void *arg, bool write, size_t size, unsigned int depth)
{
	struct host *host = arg;
	struct wire wire = {
		.sock = host->sock,
		.depth = depth,
		.fill = fill,
		.slot_of = slot_of,
		.fill_data = fill_data,
		.arg = host,
	};

	if ((host->profile || host->options->messages) && depth != PROFILE_DEPTH)
		return;
	host->write = write;
	host->size = size;
	wire_set_sizes(&wire, write, size);
	if (!host->options->messages)
		measure(host, &wire);
	else if (is_counted(host))
		wire_count(&wire, host->options->messages);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	static struct host host;

	options_parse(&options, argc, argv);
	host.options = &options;
	host.disk = sta_disk_name(&options);
	host.profile = options.metric && strcmp(options.metric, "kernel") == 0;
	if (options.messages)
		setenv("SOFTFIELD_LIMITS", "sta_spin=0", 1);
	sta_target_open(&host.target, &options);
	connect_host(&host);
	wire_for_each_point(run, &host);
	sta_target_close(&host.target);
	return 0;
}
