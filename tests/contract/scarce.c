/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library asks the machine for may be refused: memory, descriptors, mappings. A
 * conversation of a server and a client, with messages and the fast path, is held again and again;
 * each time one request more goes well before one is refused. Then calls may fail and connections
 * end, but nothing hangs, nobody crashes, and in the end all is given back. The linker leads the
 * requests here.
 */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_mmap.h"
#include "leak.h"
#include "topo/topo.h"

#define DPU_PCI	   "0000:03:00.0"
#define HOST_PCI   "0000:b1:00.0"
#define NAME	   "scarce"
#define TASKS	   4
#define MEMORY	   ((size_t)64 << 10)
#define SIZE	   ((size_t)20000) /* more than a line: it goes through a window */
#define PATIENCE_S 5

/*
 * Requests
 */

static long left = -1;	    /* that go well before one is refused; -1: all do */
static long request;	    /* which is refused in this run */
static const char *refused; /* what it was for; NULL: it has not come to that */

static bool refuse(const char *name, int error)
{
	if (left < 0 || left-- > 0)
		return false;
	refused = name;
	errno = error;
	return true;
}

#define REQUEST(type, name, params, args, refusal, error)                                          \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		return refuse(#name, error) ? (refusal) : __real_##name args;                      \
	}

REQUEST(void *, malloc, (size_t size), (size), NULL, ENOMEM)
REQUEST(void *, calloc, (size_t count, size_t size), (count, size), NULL, ENOMEM)
REQUEST(void *, realloc, (void *old, size_t size), (old, size), NULL, ENOMEM)
REQUEST(void *, aligned_alloc, (size_t align, size_t size), (align, size), NULL, ENOMEM)
REQUEST(char *, strdup, (const char *text), (text), NULL, ENOMEM)
REQUEST(void *, mmap64, (void *addr, size_t size, int prot, int flags, int fd, off_t offset),
	(addr, size, prot, flags, fd, offset), MAP_FAILED, ENOMEM)
REQUEST(int, memfd_create, (const char *name, unsigned int flags), (name, flags), -1, ENFILE)
REQUEST(int, ftruncate64, (int fd, off_t size), (fd, size), -1, ENOMEM)
REQUEST(int, eventfd, (unsigned int count, int flags), (count, flags), -1, ENFILE)
REQUEST(int, epoll_create1, (int flags), (flags), -1, ENFILE)
REQUEST(int, epoll_ctl, (int epoll, int op, int fd, struct epoll_event *event),
	(epoll, op, fd, event), -1, ENOSPC)
REQUEST(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, ENFILE)
REQUEST(int, timerfd_create, (int clock, int flags), (clock, flags), -1, ENFILE)
REQUEST(int, accept4, (int sock, struct sockaddr *addr, socklen_t *size, int flags),
	(sock, addr, size, flags), -1, ENFILE)

/*
 * The conversation
 */

struct memory {
	char *addr;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

struct scene {
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_consumer *consumer; /* the server's */
	struct doca_comch_producer *producer; /* the client's */
	struct memory target, source;
	struct doca_comch_connection *connection; /* at the server */
	uint32_t consumer_id;			  /* 0: the client does not know it */
	unsigned int messages;
	unsigned int sent, received; /* data, well or badly */
	unsigned int failed;	     /* receives */
};

static struct scene scene;

#define TRY(call)                                                                                  \
	do {                                                                                       \
		doca_error_t err_ = (call);                                                        \
                                                                                                   \
		if (err_ && err_ != DOCA_ERROR_IN_PROGRESS)                                        \
			return err_;                                                               \
	} while (0)

static bool is_in(struct doca_ctx *ctx, enum doca_ctx_states wanted)
{
	enum doca_ctx_states state;

	assert_ok(doca_ctx_get_state(ctx, &state));
	return state == wanted;
}

static struct doca_ctx *client_ctx(void)
{
	return doca_comch_client_as_ctx(scene.client);
}

static bool client_has_begun(void)
{
	return !is_in(client_ctx(), DOCA_CTX_STATE_STARTING);
}

static bool client_has_ended(void)
{
	return is_in(client_ctx(), DOCA_CTX_STATE_IDLE);
}

static bool both_have_heard(void)
{
	return scene.messages == 2 || client_has_ended();
}

static struct doca_ctx *consumer_ctx(void)
{
	return doca_comch_consumer_as_ctx(scene.consumer);
}

static bool consumer_has_begun(void)
{
	return (scene.consumer_id && is_in(consumer_ctx(), DOCA_CTX_STATE_RUNNING)) ||
	       is_in(consumer_ctx(), DOCA_CTX_STATE_IDLE) || client_has_ended();
}

static bool data_has_arrived(void)
{
	/* A send waits for as long as no receive is posted. */
	return (scene.received && (scene.sent || scene.failed)) || client_has_ended();
}

/* Works until it is so; nothing may hang for ever. */
static void await(bool (*is_so)(void), const char *what)
{
	clock_t until = clock() + PATIENCE_S * CLOCKS_PER_SEC; /* of its own work */

	while (!is_so()) {
		doca_pe_progress(scene.pe);
		if (clock() > until)
			fail_msg("waits for ever, request %ld, %s: %s", request, refused, what);
	}
}

#define AWAIT(is_so) await(is_so, #is_so)

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	if (successful)
		scene.connection = connection;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	(void)successful;
	scene.connection = NULL;
}

static void heard(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		  struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	assert_int_equal(size, 5);
	assert_memory_equal(msg, "hello", 5);
	scene.messages++;
}

static void told(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void born(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		 uint32_t id)
{
	(void)event;
	(void)connection;
	scene.consumer_id = id;
}

static void expired(struct doca_comch_event_consumer *event,
		    struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
	scene.consumer_id = 0;
}

static void data_received(struct doca_comch_consumer_task_post_recv *task,
			  union doca_data task_data, union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	size_t size;

	(void)task_data;
	(void)ctx_data;
	if (doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task))) {
		scene.failed++;
	} else {
		assert_ok(doca_buf_get_data_len(buf, &size));
		assert_int_equal(size, SIZE);
		assert_memory_equal(scene.target.addr, scene.source.addr, SIZE);
	}
	scene.received++;
	doca_buf_dec_refcount(buf, NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void data_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	scene.sent++;
	doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static doca_error_t open_dev(const char *pci, struct doca_dev **ret_dev)
{
	struct doca_devinfo **list;
	doca_error_t err = DOCA_SUCCESS;
	uint32_t count, i;

	TRY(doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count && !*ret_dev && !err; i++) {
		uint8_t equal;

		if (!doca_devinfo_is_equal_pci_addr(list[i], pci, &equal) && equal)
			err = doca_dev_open(list[i], ret_dev);
	}
	assert_ok(doca_devinfo_destroy_list(list));
	return err;
}

static doca_error_t open_rep(void)
{
	struct doca_devinfo_rep **list;
	doca_error_t err;
	uint32_t count;

	TRY(doca_devinfo_rep_create_list(scene.dpu, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count));
	err = doca_dev_rep_open(list[0], &scene.rep);
	assert_ok(doca_devinfo_rep_destroy_list(list));
	return err;
}

static doca_error_t start_server(void)
{
	struct doca_ctx *ctx;

	TRY(doca_comch_server_create(scene.dpu, scene.rep, NAME, &scene.server));
	ctx = doca_comch_server_as_ctx(scene.server);
	TRY(doca_comch_server_task_send_set_conf(scene.server, told, told, TASKS));
	TRY(doca_comch_server_event_msg_recv_register(scene.server, heard));
	TRY(doca_comch_server_event_connection_status_changed_register(scene.server, connected,
								       disconnected));
	TRY(doca_pe_connect_ctx(scene.pe, ctx));
	return doca_ctx_start(ctx);
}

static doca_error_t start_client(void)
{
	TRY(doca_comch_client_create(scene.host, NAME, &scene.client));
	TRY(doca_comch_client_task_send_set_conf(scene.client, told, told, TASKS));
	TRY(doca_comch_client_event_msg_recv_register(scene.client, heard));
	TRY(doca_comch_client_event_consumer_register(scene.client, born, expired));
	TRY(doca_pe_connect_ctx(scene.pe, client_ctx()));
	return doca_ctx_start(client_ctx());
}

static doca_error_t submit(struct doca_task *task)
{
	doca_error_t err = doca_task_submit(task);

	if (err)
		doca_task_free(task);
	return err;
}

static doca_error_t talk(void)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	TRY(doca_comch_client_get_connection(scene.client, &connection));
	TRY(doca_comch_client_task_send_alloc_init(scene.client, connection, "hello", 5, &task));
	TRY(submit(doca_comch_task_send_as_task(task)));
	while (!scene.connection && !client_has_ended())
		doca_pe_progress(scene.pe);
	if (!scene.connection)
		return DOCA_ERROR_CONNECTION_RESET;
	TRY(doca_comch_server_task_send_alloc_init(scene.server, scene.connection, "hello", 5,
						   &task));
	TRY(submit(doca_comch_task_send_as_task(task)));
	AWAIT(both_have_heard);
	return client_has_ended() ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS;
}

static doca_error_t open_memory(struct memory *memory, uint32_t permissions)
{
	memory->addr = __real_mmap64(NULL, MEMORY, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory->addr != MAP_FAILED);
	memset(memory->addr, permissions == DOCA_ACCESS_FLAG_PCI_READ_ONLY ? 's' : 't', MEMORY);
	TRY(doca_mmap_create(&memory->mmap));
	TRY(doca_mmap_set_memrange(memory->mmap, memory->addr, MEMORY));
	TRY(doca_mmap_set_permissions(memory->mmap, permissions));
	TRY(doca_mmap_start(memory->mmap));
	TRY(doca_buf_inventory_create(TASKS, &memory->inventory));
	return doca_buf_inventory_start(memory->inventory);
}

static doca_error_t start_consumer(void)
{
	TRY(open_memory(&scene.target, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TRY(doca_comch_consumer_create(scene.connection, scene.target.mmap, &scene.consumer));
	TRY(doca_comch_consumer_task_post_recv_set_conf(scene.consumer, data_received,
							data_received, TASKS));
	TRY(doca_pe_connect_ctx(scene.pe, consumer_ctx()));
	TRY(doca_ctx_start(consumer_ctx()));
	AWAIT(consumer_has_begun);
	return is_in(consumer_ctx(), DOCA_CTX_STATE_RUNNING) && scene.consumer_id
		       ? DOCA_SUCCESS
		       : DOCA_ERROR_CONNECTION_RESET;
}

static doca_error_t start_producer(void)
{
	struct doca_comch_connection *connection;

	TRY(open_memory(&scene.source, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	TRY(doca_comch_client_get_connection(scene.client, &connection));
	TRY(doca_comch_producer_create(connection, &scene.producer));
	TRY(doca_comch_producer_task_send_set_conf(scene.producer, data_sent, data_sent, TASKS));
	TRY(doca_pe_connect_ctx(scene.pe, doca_comch_producer_as_ctx(scene.producer)));
	return doca_ctx_start(doca_comch_producer_as_ctx(scene.producer));
}

static doca_error_t post(void)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;
	doca_error_t err;

	TRY(doca_buf_inventory_buf_get_by_addr(scene.target.inventory, scene.target.mmap,
					       scene.target.addr, SIZE, &buf));
	err = doca_comch_consumer_task_post_recv_alloc_init(scene.consumer, buf, &task);
	if (!err)
		err = submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (err)
		doca_buf_dec_refcount(buf, NULL);
	return err;
}

static doca_error_t send_data(void)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	doca_error_t err;

	TRY(doca_buf_inventory_buf_get_by_data(scene.source.inventory, scene.source.mmap,
					       scene.source.addr, SIZE, &buf));
	err = doca_comch_producer_task_send_alloc_init(scene.producer, buf, NULL, 0,
						       scene.consumer_id, &task);
	if (!err)
		err = submit(doca_comch_producer_task_send_as_task(task));
	if (err)
		doca_buf_dec_refcount(buf, NULL);
	return err;
}

static doca_error_t converse(void)
{
	TRY(open_dev(DPU_PCI, &scene.dpu));
	TRY(open_dev(HOST_PCI, &scene.host));
	TRY(open_rep());
	TRY(doca_pe_create(&scene.pe));
	TRY(start_server());
	TRY(start_client());
	AWAIT(client_has_begun);
	if (client_has_ended())
		return DOCA_ERROR_CONNECTION_RESET;
	TRY(talk());
	TRY(start_consumer());
	TRY(start_producer());
	TRY(post());
	TRY(send_data());
	AWAIT(data_has_arrived);
	return client_has_ended() ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS;
}

/*
 * The end of it
 */

static struct doca_ctx *ending;

static bool has_stopped(void)
{
	return is_in(ending, DOCA_CTX_STATE_IDLE);
}

static void stop_ctx(struct doca_ctx *ctx)
{
	ending = ctx;
	if (!has_stopped())
		doca_ctx_stop(ctx);
	AWAIT(has_stopped);
}

static void close_memory(struct memory *memory)
{
	if (memory->inventory)
		assert_ok(doca_buf_inventory_destroy(memory->inventory));
	if (memory->mmap)
		assert_ok(doca_mmap_destroy(memory->mmap));
	if (memory->addr)
		munmap(memory->addr, MEMORY);
}

static void end_all(void)
{
	if (scene.producer) {
		stop_ctx(doca_comch_producer_as_ctx(scene.producer));
		assert_ok(doca_comch_producer_destroy(scene.producer));
	}
	if (scene.consumer) {
		stop_ctx(consumer_ctx());
		assert_ok(doca_comch_consumer_destroy(scene.consumer));
	}
	if (scene.client) {
		stop_ctx(client_ctx());
		assert_ok(doca_comch_client_destroy(scene.client));
	}
	if (scene.server) {
		stop_ctx(doca_comch_server_as_ctx(scene.server));
		assert_ok(doca_comch_server_destroy(scene.server));
	}
	close_memory(&scene.target);
	close_memory(&scene.source);
	if (scene.pe)
		assert_ok(doca_pe_destroy(scene.pe));
	if (scene.rep)
		assert_ok(doca_dev_rep_close(scene.rep));
	if (scene.host)
		assert_ok(doca_dev_close(scene.host));
	if (scene.dpu)
		assert_ok(doca_dev_close(scene.dpu));
}

static doca_error_t run(void)
{
	doca_error_t err;

	memset(&scene, 0, sizeof(scene));
	refused = NULL;
	left = request;
	err = converse();
	end_all();
	left = -1;
	return err;
}

static void every_request_may_be_refused(void **state)
{
	unsigned int failures = 0;
	struct leak before;

	(void)state;
	request = -1;
	assert_ok(run()); /* what is kept for ever is made now */
	before = leak_count();
	for (request = 0;; request++) {
		doca_error_t err = run();

		if (!refused)
			break;
		failures += !!err;
		if (!leak_check(&before))
			fail_msg("after request %ld, %s, was refused", request, refused);
	}
	print_message("%ld requests; when one of %u of them was refused, something failed\n",
		      request, failures);
	assert_true(failures);
}

/* A place of its own, so that nobody rings at the server. */
static char dir[] = "/tmp/softfield-test-XXXXXX";

static int make_dir(void **state)
{
	const struct topo *topo;

	(void)state;
	if (!mkdtemp(dir) || setenv("SOFTFIELD_RUNTIME_DIR", dir, 1))
		return -1;
	return priv_topo_get(&topo) ? -1 : 0; /* once in a process */
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_may_be_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
