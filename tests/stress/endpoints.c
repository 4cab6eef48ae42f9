/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints in many threads, through the public API: 64 threads that have one each, blocking or
 * waiting on its descriptors, and one that threads share behind a lock of their own. A lost
 * wake-up is a test that never ends.
 *
 *	endpoints [ROUNDS]
 */
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "descriptors.h"
#include "doca_comm_channel.h"
#include "unique.h"
#include "world.h"

#define THREADS	 64u
#define PAIRS	 (THREADS / 2)
#define CLIENTS	 (THREADS - 1) /* and their service */
#define SHARERS	 8u	       /* that send by one endpoint; one more receives */
#define MSG_SIZE 256
#define QUEUE	 16

typedef struct doca_comm_channel_ep_t ep_t;
typedef struct doca_comm_channel_addr_t addr_t;

/* What is sent: of different sizes, and the same byte to the end. */
struct mail {
	uint32_t from, number;
	uint8_t fill[MSG_SIZE - 8];
};

static unsigned int rounds = 500;
static char name[64];

static size_t write_mail(struct mail *mail, uint32_t from, uint32_t number)
{
	size_t fill = (from * 31 + number * 7) % sizeof(mail->fill);

	mail->from = from;
	mail->number = number;
	memset(mail->fill, (int)(from ^ number), fill);
	return offsetof(struct mail, fill) + fill;
}

/* It is what write_mail() has written, and nothing before it is missing. */
static void check_mail(const struct mail *mail, size_t size, uint32_t *expected)
{
	struct mail wanted;

	must(size >= offsetof(struct mail, fill) && mail->from < THREADS);
	must(mail->number == expected[mail->from]++);
	must(size == write_mail(&wanted, mail->from, mail->number));
	must(!memcmp(mail, &wanted, size));
}

/*
 * One service, a client in each of the other threads; every call blocks
 */

static ep_t *open_early(void)
{
	struct doca_comm_channel_init_attr attr = {.maxmsgs = QUEUE, .msgsize = MSG_SIZE};
	ep_t *ep;

	must(!softfield_comm_channel_ep_create_1_4(&attr, &ep));
	return ep;
}

static void *run_client(void *arg)
{
	uint32_t id = *(uint32_t *)arg, expected[THREADS] = {0}, i;
	ep_t *ep = open_early();
	struct mail mail;
	addr_t *service;

	must(!doca_comm_channel_ep_connect(ep, name, &service));
	for (i = 0; i < rounds; i++) {
		size_t size = write_mail(&mail, id, i);

		must(!doca_comm_channel_ep_sendto(ep, &mail, size, 0, service));
		size = sizeof(mail);
		must(!doca_comm_channel_ep_recvfrom(ep, &mail, &size, 0, &service));
		must(mail.from == id);
		check_mail(&mail, size, expected);
	}
	must(!doca_comm_channel_ep_destroy(ep));
	return NULL;
}

static void serve(ep_t *ep)
{
	uint32_t expected[THREADS] = {0}, i;
	struct mail mail;
	addr_t *client;

	for (i = 0; i < CLIENTS * rounds; i++) {
		size_t size = sizeof(mail);

		must(!doca_comm_channel_ep_recvfrom(ep, &mail, &size, 0, &client));
		check_mail(&mail, size, expected);
		must(!doca_comm_channel_ep_sendto(ep, &mail, size, 0, client));
	}
}

static void many_clients_block(void)
{
	ep_t *service = open_early();
	pthread_t threads[CLIENTS];
	uint32_t ids[CLIENTS], i;

	must(!doca_comm_channel_ep_listen(service, name));
	for (i = 0; i < CLIENTS; i++) {
		ids[i] = i;
		must(!pthread_create(&threads[i], NULL, run_client, &ids[i]));
	}
	serve(service);
	for (i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	must(!doca_comm_channel_ep_destroy(service));
}

/*
 * Endpoints that wait on their descriptors
 */

struct line {
	/* The program's own; around every call but arming, as the vendor's examples have it. */
	pthread_mutex_t lock;
	pthread_mutex_t turn; /* of those who send: one of them waits for room at a time */
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	ep_t *ep;
	addr_t *peer; /* a service's: NULL until it has spoken */
	int send_fd, recv_fd;
	uint32_t expected[THREADS];
	_Atomic uint32_t next_id;
};

static void line_init(struct line *line, bool is_service)
{
	*line = (struct line){.dev = open_dev(is_service ? DPU_PF0 : HOST_PF0)};
	pthread_mutex_init(&line->lock, NULL);
	pthread_mutex_init(&line->turn, NULL);
	must(!doca_comm_channel_ep_create(&line->ep));
	must(!doca_comm_channel_ep_set_device(line->ep, line->dev));
	must(!doca_comm_channel_ep_set_max_msg_size(line->ep, MSG_SIZE));
	must(!doca_comm_channel_ep_set_send_queue_size(line->ep, QUEUE));
	must(!doca_comm_channel_ep_set_recv_queue_size(line->ep, QUEUE));
	if (!is_service)
		return;
	line->rep = open_rep(line->dev, HOST_PF0);
	must(!doca_comm_channel_ep_set_device_rep(line->ep, line->rep));
}

static void line_fini(struct line *line)
{
	must(!doca_comm_channel_ep_destroy(line->ep));
	if (line->rep)
		must(!doca_dev_rep_close(line->rep));
	must(!doca_dev_close(line->dev));
	pthread_mutex_destroy(&line->lock);
	pthread_mutex_destroy(&line->turn);
}

static void await(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	must(poll(&pollfd, 1, -1) == 1);
}

static void line_send(struct line *line, const void *msg, size_t size)
{
	doca_error_t err;

	pthread_mutex_lock(&line->turn);
	for (;;) {
		pthread_mutex_lock(&line->lock);
		err = doca_comm_channel_ep_sendto(line->ep, msg, size, DOCA_CC_MSG_FLAG_NONE,
						  line->peer);
		pthread_mutex_unlock(&line->lock);
		if (err != DOCA_ERROR_AGAIN)
			break;
		must(!doca_comm_channel_ep_event_handle_arm_send(line->ep));
		await(line->send_fd);
	}
	must(!err);
	pthread_mutex_unlock(&line->turn);
}

static void line_receive(struct line *line)
{
	struct mail mail;
	size_t size;
	addr_t *peer;
	doca_error_t err;

	for (;;) {
		pthread_mutex_lock(&line->lock);
		size = sizeof(mail);
		err = doca_comm_channel_ep_recvfrom(line->ep, &mail, &size, DOCA_CC_MSG_FLAG_NONE,
						    &peer);
		if (!err)
			line->peer = peer;
		pthread_mutex_unlock(&line->lock);
		if (err != DOCA_ERROR_AGAIN)
			break;
		must(!doca_comm_channel_ep_event_handle_arm_recv(line->ep));
		await(line->recv_fd);
	}
	must(!err);
	check_mail(&mail, size, line->expected);
}

static void open_channels(struct line *line)
{
	must(!doca_comm_channel_ep_get_event_channel(line->ep, &line->send_fd, &line->recv_fd));
}

/* Both ends, in one thread; the first message has been received. */
static void connect_lines(struct line *service, struct line *client, const char *service_name)
{
	struct mail mail;
	size_t size = sizeof(mail);
	doca_error_t err;

	line_init(service, true);
	line_init(client, false);
	must(!doca_comm_channel_ep_listen(service->ep, service_name));
	must(!doca_comm_channel_ep_connect(client->ep, service_name, &client->peer));
	open_channels(service);
	open_channels(client);
	while ((err = doca_comm_channel_peer_addr_update_info(client->peer)) ==
	       DOCA_ERROR_CONNECTION_INPROGRESS)
		must(doca_comm_channel_ep_recvfrom(service->ep, &mail, &size, 0, &service->peer) ==
		     DOCA_ERROR_AGAIN);
	must(!err);
	size = write_mail(&mail, 0, 0);
	line_send(client, &mail, size);
	line_receive(service);
	service->expected[0] = 0;
}

/* Sends its messages, then as many are received: a ping-pong of batches as long as a queue. */
static void exchange(struct line *line, bool begins)
{
	struct mail mail;
	uint32_t i, sent = 0, got = 0;

	while (sent < rounds || got < rounds) {
		for (i = 0; begins && i < 2 * QUEUE && sent < rounds; i++)
			line_send(line, &mail, write_mail(&mail, 0, sent++));
		begins = true;
		for (i = 0; i < 2 * QUEUE && got < rounds; i++, got++)
			line_receive(line);
	}
}

static void *run_service(void *arg)
{
	exchange(arg, false);
	return NULL;
}

static void *run_caller(void *arg)
{
	exchange(arg, true);
	return NULL;
}

static void many_pairs_sleep(void)
{
	static struct line services[PAIRS], clients[PAIRS];
	pthread_t threads[THREADS];
	char service_name[80];
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		snprintf(service_name, sizeof(service_name), "%s-%u", name, i);
		connect_lines(&services[i], &clients[i], service_name);
	}
	for (i = 0; i < PAIRS; i++) {
		must(!pthread_create(&threads[2 * i], NULL, run_service, &services[i]));
		must(!pthread_create(&threads[2 * i + 1], NULL, run_caller, &clients[i]));
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < PAIRS; i++) {
		line_fini(&clients[i]);
		line_fini(&services[i]);
	}
}

/*
 * One endpoint, many threads
 */

static void *send_as_one_of_many(void *arg)
{
	struct line *line = arg;
	uint32_t id = line->next_id++, i;
	struct mail mail;

	for (i = 0; i < rounds; i++)
		line_send(line, &mail, write_mail(&mail, id, i));
	return NULL;
}

static void *receive_of_all(void *arg)
{
	uint32_t i;

	for (i = 0; i < SHARERS * rounds; i++)
		line_receive(arg);
	return NULL;
}

static void threads_share_an_endpoint(void)
{
	static struct line service, client;
	pthread_t threads[2 * SHARERS + 2];
	unsigned int i;

	connect_lines(&service, &client, name);
	for (i = 0; i < SHARERS; i++) {
		must(!pthread_create(&threads[2 * i], NULL, send_as_one_of_many, &service));
		must(!pthread_create(&threads[2 * i + 1], NULL, send_as_one_of_many, &client));
	}
	must(!pthread_create(&threads[2 * i], NULL, receive_of_all, &service));
	must(!pthread_create(&threads[2 * i + 1], NULL, receive_of_all, &client));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	line_fini(&client);
	line_fini(&service);
}

int main(int argc, char **argv)
{
	struct leak before = leak_count();

	if (!many_descriptors_are_allowed())
		return 77; /* skipped */
	if (argc > 1)
		rounds = (unsigned int)strtoul(argv[1], NULL, 0);
	unique_name(name, sizeof(name), "endpoints");
	many_clients_block();
	many_pairs_sleep();
	threads_share_an_endpoint();
	return leak_check(&before) ? 0 : 1;
}
