/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client of the engine that has got in and then does what the input says: records of any type and
 * content, words anywhere in the memory of both inboxes, messages and descriptors over the link.
 * The server tells of whole messages within the limits, closes the connection once, and leaks
 * nothing.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bell.h"
#include "base/clock.h"
#include "base/fd.h"
#include "chan/chan.h"
#include "chan/handshake.h"
#include "link/sim.h"
#include "script.h"

#define MSG_SIZE 256u
#define LINES	 16u
#define MOST	 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Both ends, in one poll group. */
struct scene {
	struct poll_group group;
	struct sim sim;
	struct party party;
	struct topo_faults no_faults;
	struct chan_server server;
	struct chan chan; /* the server's connection */
	bool is_open;
	unsigned int closed;

	/* the client by hand */
	struct link *link;
	struct link_mem *inbox, *their_inbox;
	struct ring_sender tx;
	int bell, their_bell;
};

/*
 * The server
 */

static struct scene *scene_of(struct chan *chan)
{
	return container_of(chan, struct scene, chan);
}

static void message(struct chan *chan, uint8_t *msg, uint32_t size)
{
	assert(size && size <= MSG_SIZE);
	chan_send(chan, msg, size); /* an echo, while there is room */
}

static void room(struct chan *chan)
{
	(void)chan;
}

static void closed(struct chan *chan, doca_error_t reason)
{
	(void)reason;
	scene_of(chan)->closed++;
	scene_of(chan)->is_open = false;
	chan_server_forget(&scene_of(chan)->server);
	chan_fini(chan);
}

static void consumer(struct chan *chan, uint32_t id)
{
	(void)chan;
	assert(id && id < 0xffff);
}

static const struct chan_ops chan_ops = {
	.message = message,
	.room = room,
	.closed = closed,
	.consumer_new = consumer,
	.consumer_gone = consumer,
};

static struct chan *alloc(struct chan_server *server)
{
	struct scene *scene = container_of(server, struct scene, server);

	assert(!scene->is_open);
	memset(&scene->chan, 0, sizeof(scene->chan));
	scene->chan.ops = &chan_ops;
	return &scene->chan;
}

static void opened(struct chan_server *server, struct chan *chan)
{
	(void)server;
	scene_of(chan)->is_open = true;
}

static void refused(struct chan_server *server, struct chan *chan)
{
	(void)server;
	chan->state = CHAN_CLOSED;
	chan_fini(chan);
}

static const struct chan_server_ops server_ops = {
	.alloc = alloc,
	.opened = opened,
	.refused = refused,
};

/*
 * The client
 */

static void hang_up(struct scene *scene)
{
	if (scene->link)
		link_close(scene->link);
	scene->link = NULL;
}

static void answered(struct link *link, const void *msg, size_t size, const int *fds,
		     unsigned int fd_count)
{
	struct scene *scene = link->owner;
	struct handshake answer;

	if (priv_handshake_decode(msg, size, &answer) || answer.type != HANDSHAKE_ACCEPT ||
	    fd_count != 2 || scene->their_inbox) {
		priv_fd_close_all(fds, fd_count);
		return;
	}
	assert(!priv_link_mem_attach(fds[0], &scene->their_inbox));
	assert(!priv_ring_sender_init(&scene->tx, scene->their_inbox->addr,
				      scene->their_inbox->size));
	scene->their_bell = fds[1];
}

static void lost(struct link *link, doca_error_t reason)
{
	(void)reason;
	hang_up(link->owner);
}

static const struct link_handler client_handler = {.message = answered, .lost = lost};

static void work(struct scene *scene)
{
	int i;

	for (i = 0; i < 4; i++) {
		priv_clock_virtual.now_ns += 1000000;
		priv_poll_group_poll(&scene->group, 0);
	}
}

static void say_hello(struct scene *scene, const struct link_addr *addr)
{
	struct handshake hello = {.type = HANDSHAKE_HELLO, .hello.max_msg_size = MSG_SIZE};
	const int fds[] = {scene->inbox->fd, scene->bell};
	uint8_t msg[FD_MESSAGE_MAX];

	handshake_set_text(hello.hello.card, addr->card->name);
	handshake_set_text(hello.hello.function, addr->function);
	handshake_set_text(hello.hello.service, addr->service);
	assert(!link_send(scene->link, msg, priv_handshake_encode(&hello, msg), fds, 2));
}

static void open_scene(struct scene *scene)
{
	struct chan_config config = {.group = &scene->group,
				     .addr = {.function = "0000:b1:00.0", .service = "fuzz"},
				     .max_msg_size = MSG_SIZE,
				     .recv_queue_size = LINES};
	const struct topo *topo;
	struct ring_receiver rx;

	memset(scene, 0, sizeof(*scene));
	scene->their_bell = -1;
	priv_clock_virtual.on = true;
	assert(!priv_topo_get(&topo) && !priv_poll_group_init(&scene->group));
	config.addr.card = &topo->cards[0];
	sim_init(&scene->sim, 1);
	scene->party = (struct party){
		.link_ops = &sim_link_ops, .link_data = &scene->sim, .faults = &scene->no_faults};
	priv_party_switch(&scene->party);
	assert(!chan_server_start(&scene->server, &config, &server_ops, 4));
	assert(!priv_eventfd_create(&scene->bell));
	assert(!priv_link_mem_create("softfield-fuzz", priv_ring_memory_size(LINES, MOST),
				     priv_ring_memory_used(LINES, MOST), &scene->inbox));
	priv_ring_receiver_init(&rx, scene->inbox->addr, LINES, MOST);
	assert(!priv_link_connect(&scene->group, &config.addr, &client_handler, scene,
				  &scene->link));
	say_hello(scene, &config.addr);
	work(scene);
	assert(scene->is_open && scene->their_inbox);
}

static void close_scene(struct scene *scene)
{
	hang_up(scene);
	work(scene);
	work(scene);
	assert(!scene->is_open && scene->closed == 1);
	chan_server_stop(&scene->server);
	priv_ring_sender_fini(&scene->tx);
	priv_link_mem_unref(scene->their_inbox);
	priv_link_mem_unref(scene->inbox);
	close(scene->bell);
	close(scene->their_bell);
	priv_poll_group_fini(&scene->group);
	sim_fini(&scene->sim);
	priv_party_switch(NULL);
}

/*
 * What it does
 */

static void forge_record(struct script *script, struct scene *scene)
{
	struct ring_line *line = &scene->tx.lines[scene->tx.head & scene->tx.mask];
	unsigned int i;

	line->type = next_byte(script) % 8;
	line->size = next_byte(script) & 1 ? next_number(script) : next_byte(script);
	line->offset = next_byte(script) & 1 ? next_number(script) : next_byte(script);
	for (i = 0; i < 4; i++)
		line->data[i] = next_byte(script);
	atomic_store(&line->seq, ++scene->tx.head);
}

static void scribble(struct script *script, struct link_mem *mem)
{
	uint32_t at = next_number(script) % (uint32_t)(mem->size / 4);
	uint32_t number = next_number(script);

	memcpy((char *)mem->addr + (size_t)at * 4, &number, sizeof(number));
}

/* The descriptors may be anything that is at hand. */
static void send_message(struct script *script, struct scene *scene)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY};
	const int at_hand[] = {scene->inbox->fd, scene->bell, scene->group.epoll_fd,
			       scene->their_bell};
	unsigned int count = next_byte(script) % 5, i;
	int fds[FD_MESSAGE_FDS_MAX];
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size;

	if (!scene->link)
		return;
	for (i = 0; i < count; i++)
		fds[i] = at_hand[next_byte(script) % 4];
	memory.memory.token = next_byte(script) & 1 ? next_number(script) : next_byte(script);
	size = priv_handshake_encode(&memory, msg);
	if (next_byte(script) & 1)
		msg[next_byte(script) % size] = next_byte(script);
	(void)link_send(scene->link, msg, size, fds, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script script = {.pos = data, .end = data + size};
	static struct scene scene;

	open_scene(&scene);
	while (script.pos < script.end) {
		switch (next_byte(&script) % 6) {
		case 0:
		case 1:
			forge_record(&script, &scene);
			break;
		case 2:
			scribble(&script, scene.inbox);
			break;
		case 3:
			scribble(&script, scene.their_inbox);
			break;
		case 4:
			send_message(&script, &scene);
			break;
		case 5:
			work(&scene);
			break;
		}
	}
	close_scene(&scene);
	return 0;
}
