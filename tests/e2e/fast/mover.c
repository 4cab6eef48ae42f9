/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection, and how the two sides agree that all has been moved:
 *
 *	producers done:	"sent N"  ->	waits until it has received N, stops its consumers
 *				  <-	"done"
 *
 * in both directions. A side that is done in both hangs up, or waits until the other one does.
 */
#include "mover.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <doca_error.h>

#define SERVER_PCI "0000:03:00.0"
#define CLIENT_PCI "0000:b1:00.0"

void mover_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	printf("error\n");
	fflush(stdout);
	abort();
}

uint32_t mover_random(struct mover_thread *thread, uint32_t limit)
{
	thread->random = thread->random * 6364136223846793005u + 1442695040888963407u;
	return limit ? (uint32_t)(thread->random >> 33) % limit : 0;
}

static uint64_t next_word(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

void mover_fill(char *data, size_t size, uint64_t seed)
{
	uint64_t word;

	for (; size >= sizeof(word); data += sizeof(word), size -= sizeof(word)) {
		word = next_word(&seed);
		memcpy(data, &word, sizeof(word));
	}
	word = next_word(&seed);
	memcpy(data, &word, size);
}

bool mover_matches(const char *data, size_t size, uint64_t seed)
{
	uint64_t word;

	for (; size >= sizeof(word); data += sizeof(word), size -= sizeof(word)) {
		word = next_word(&seed);
		if (memcmp(data, &word, sizeof(word)) != 0)
			return false;
	}
	word = next_word(&seed);
	return !memcmp(data, &word, size);
}

/*
 * Threads
 */

uint64_t mover_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void note_time(struct mover *mover, uint64_t ns)
{
	uint64_t slowest = atomic_load(&mover->slowest_ns);

	while (ns > slowest && !atomic_compare_exchange_weak(&mover->slowest_ns, &slowest, ns))
		;
}

bool mover_progress(struct mover_thread *thread)
{
	uint64_t before = mover_now_ns();
	bool done;

	thread->own_ns = 0;
	done = doca_pe_progress(thread->pe);
	note_time(thread->mover, mover_now_ns() - before - thread->own_ns);
	return done;
}

static void ring(int bell)
{
	const uint64_t one = 1;

	mover_check(write(bell, &one, sizeof(one)) == sizeof(one));
}

static int open_bell(void)
{
	int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	mover_check(bell >= 0);
	return bell;
}

/* Nothing ends this sleep but what there is to do: a wake-up that is lost is a test that hangs. */
static void rest(struct mover *mover, struct doca_pe *pe, int bell)
{
	struct pollfd fds[2] = {{.events = POLLIN}, {.fd = bell, .events = POLLIN}};
	uint64_t count;

	if (!mover->config.sleeps)
		return;
	mover_check(!doca_pe_request_notification(pe));
	mover_check(!doca_pe_get_notification_handle(pe, &fds[0].fd));
	while (poll(fds, 2, -1) < 0)
		;
	mover_check(!doca_pe_clear_notification(pe, 0));
	if (fds[1].revents)
		mover_check(read(bell, &count, sizeof(count)) == sizeof(count));
}

void mover_ring_main(struct mover_thread *thread)
{
	ring(thread->mover->bell);
}

void mover_rest(struct mover_thread *thread)
{
	mover_ring_main(thread);
	rest(thread->mover, thread->pe, thread->bell);
}

void mover_work(struct mover_thread *thread)
{
	if (!doca_pe_progress(thread->pe))
		mover_rest(thread);
}

/* the main thread's round */
static void work(struct mover *mover)
{
	if (!doca_pe_progress(mover->pe))
		rest(mover, mover->pe, mover->bell);
}

/* Something has been decided, or the peer's consumers are others now. */
static void wake_threads(struct mover *mover)
{
	unsigned int i;

	for (i = 0; mover->givers && i < mover->config.producers; i++)
		ring(mover->givers[i].bell);
	for (i = 0; mover->takers && i < mover->config.consumers; i++)
		ring(mover->takers[i].bell);
}

void mover_thread_init(struct mover_thread *thread, size_t memory_size, uint32_t permissions)
{
	unsigned int bufs = 2 * thread->mover->config.window;

	/* not at the beginning of a page, and other memory around it */
	thread->memory_size = memory_size;
	thread->memory = malloc(memory_size + 64);
	mover_check(thread->memory);
	memset(thread->memory, MOVER_CANARY, memory_size + 64);
	mover_check(!doca_pe_create(&thread->pe));
	mover_check(!doca_mmap_create(&thread->mmap));
	mover_check(!doca_mmap_add_dev(thread->mmap, thread->mover->dev));
	mover_check(!doca_mmap_set_permissions(thread->mmap, permissions));
	mover_check(!doca_mmap_set_memrange(thread->mmap, thread->memory + 32, memory_size));
	mover_check(!doca_mmap_start(thread->mmap));
	mover_check(!doca_buf_inventory_create(bufs, &thread->inventory));
	mover_check(!doca_buf_inventory_start(thread->inventory));
}

void mover_thread_fini(struct mover_thread *thread)
{
	unsigned int i;

	mover_check(!doca_pe_destroy(thread->pe));
	mover_check(!doca_buf_inventory_destroy(thread->inventory));
	mover_check(!doca_mmap_destroy(thread->mmap));
	for (i = 0; i < 32; i++)
		mover_check(thread->memory[i] == (char)MOVER_CANARY &&
			    thread->memory[32 + thread->memory_size + i] == (char)MOVER_CANARY);
	free(thread->memory);
}

void mover_connect(struct mover_thread *thread, struct doca_ctx *ctx)
{
	thread->ctx = ctx;
	mover_check(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = thread}));
	mover_check(!doca_pe_connect_ctx(thread->pe, ctx));
}

enum doca_ctx_states mover_state(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	mover_check(!doca_ctx_get_state(ctx, &state));
	return state;
}

bool mover_is_over(struct mover *mover)
{
	return atomic_load(&mover->lost);
}

/*
 * The connection
 */

static struct mover *mover_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data data;

	mover_check(!doca_ctx_get_user_data(server ? doca_comch_server_as_ctx(server)
						   : doca_comch_client_as_ctx(client),
					    &data));
	return data.ptr;
}

static void born(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		 uint32_t id)
{
	struct mover *mover = mover_of(connection);

	(void)event;
	pthread_mutex_lock(&mover->lock);
	mover_check(mover->remote_count < MOVER_CONSUMERS);
	mover->remote[mover->remote_count++] = id;
	pthread_mutex_unlock(&mover->lock);
	wake_threads(mover);
}

static void expired(struct doca_comch_event_consumer *event,
		    struct doca_comch_connection *connection, uint32_t id)
{
	struct mover *mover = mover_of(connection);
	unsigned int i = 0;

	(void)event;
	pthread_mutex_lock(&mover->lock);
	while (mover->remote[i] != id)
		mover_check(++i < mover->remote_count);
	mover->remote[i] = mover->remote[--mover->remote_count];
	pthread_mutex_unlock(&mover->lock);
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		     struct doca_comch_connection *connection)
{
	struct mover *mover = mover_of(connection);

	(void)event;
	if (size == sizeof(mover->peer_sent)) {
		memcpy(&mover->peer_sent, msg, size);
		mover->told = true;
	} else {
		mover->peer_is_done = true;
	}
}

static void told(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)ctx_data;
	free(task_data.ptr);
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void tell(struct mover *mover, const void *msg, uint32_t size)
{
	struct doca_comch_task_send *task;
	void *copy = malloc(size);
	doca_error_t err;

	memcpy(copy, msg, size);
	if (mover->server)
		err = doca_comch_server_task_send_alloc_init(mover->server, mover->connection, copy,
							     size, &task);
	else
		err = doca_comch_client_task_send_alloc_init(mover->client, mover->connection, copy,
							     size, &task);
	mover_check(!err);
	doca_task_set_user_data(doca_comch_task_send_as_task(task), (union doca_data){.ptr = copy});
	mover_check(!doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	struct mover *mover = mover_of(connection);

	(void)event;
	mover_check(successful && !mover->connection);
	mover->connection = connection;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	struct mover *mover = mover_of(connection);

	(void)event;
	(void)successful;
	mover->connection = NULL;
	atomic_store(&mover->lost, true);
	wake_threads(mover);
}

static void open_device(struct mover *mover)
{
	const char *pci = mover->config.is_server ? SERVER_PCI : CLIENT_PCI;
	struct doca_devinfo **list;
	uint32_t count, i;

	mover_check(!doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count && !mover->dev; i++) {
		uint8_t equal;

		mover_check(!doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			mover_check(!doca_dev_open(list[i], &mover->dev));
	}
	mover_check(!doca_devinfo_destroy_list(list) && mover->dev);
}

static void open_rep(struct mover *mover)
{
	struct doca_devinfo_rep **list;
	uint32_t count, i;

	mover_check(!doca_devinfo_rep_create_list(mover->dev, DOCA_DEVINFO_REP_FILTER_ALL, &list,
						  &count));
	for (i = 0; i < count && !mover->rep; i++) {
		uint8_t equal;

		mover_check(!doca_devinfo_rep_is_equal_pci_addr(list[i], CLIENT_PCI, &equal));
		if (equal)
			mover_check(!doca_dev_rep_open(list[i], &mover->rep));
	}
	mover_check(!doca_devinfo_rep_destroy_list(list) && mover->rep);
}

static void set_up_server(struct mover *mover)
{
	struct doca_comch_server *server;

	open_rep(mover);
	mover_check(!doca_comch_server_create(mover->dev, mover->rep, mover->config.name, &server));
	mover_check(!doca_comch_server_task_send_set_conf(server, told, told, 4));
	mover_check(!doca_comch_server_event_msg_recv_register(server, received));
	mover_check(!doca_comch_server_event_connection_status_changed_register(server, connected,
										disconnected));
	mover_check(!doca_comch_server_event_consumer_register(server, born, expired));
	mover->server = server;
	mover->ctx = doca_comch_server_as_ctx(server);
}

static void set_up_client(struct mover *mover)
{
	struct doca_comch_client *client;

	mover_check(!doca_comch_client_create(mover->dev, mover->config.name, &client));
	mover_check(!doca_comch_client_task_send_set_conf(client, told, told, 4));
	mover_check(!doca_comch_client_event_msg_recv_register(client, received));
	mover_check(!doca_comch_client_event_consumer_register(client, born, expired));
	mover->client = client;
	mover->ctx = doca_comch_client_as_ctx(client);
}

static void open_connection(struct mover *mover)
{
	open_device(mover);
	mover_check(!doca_pe_create(&mover->pe));
	if (mover->config.is_server)
		set_up_server(mover);
	else
		set_up_client(mover);
	mover_check(!doca_ctx_set_user_data(mover->ctx, (union doca_data){.ptr = mover}));
	mover_check(!doca_pe_connect_ctx(mover->pe, mover->ctx));
	mover_check(!DOCA_IS_ERROR(doca_ctx_start(mover->ctx)) ||
		    mover_state(mover->ctx) == DOCA_CTX_STATE_STARTING);
	while (mover_state(mover->ctx) == DOCA_CTX_STATE_STARTING)
		work(mover);
	mover_check(mover_state(mover->ctx) == DOCA_CTX_STATE_RUNNING);
	if (mover->client)
		mover_check(!doca_comch_client_get_connection(mover->client, &mover->connection));
	else
		printf("listening\n");
	fflush(stdout);
	while (!mover->connection)
		work(mover);
}

static void close_connection(struct mover *mover)
{
	if (mover->client && !mover_is_over(mover))
		doca_ctx_stop(mover->ctx);
	/* A server waits for its client, which goes last. */
	while (mover->server && mover->connection)
		work(mover);
	if (mover->server)
		doca_ctx_stop(mover->ctx);
	while (mover_state(mover->ctx) != DOCA_CTX_STATE_IDLE)
		work(mover);
	if (mover->server)
		mover_check(!doca_comch_server_destroy(mover->server));
	else
		mover_check(!doca_comch_client_destroy(mover->client));
	mover_check(!doca_pe_destroy(mover->pe));
	if (mover->rep)
		mover_check(!doca_dev_rep_close(mover->rep));
	mover_check(!doca_dev_close(mover->dev));
}

/*
 * All together
 */

static void open_threads(struct mover *mover, struct mover_thread *threads, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		threads[i] = (struct mover_thread){
			.mover = mover,
			.bell = open_bell(),
			.index = i,
			.random = mover->config.seed * 1000003u + i * 7919u +
				  (threads == mover->givers),
		};
}

static void start_threads(struct mover_thread *threads, unsigned int count, void *(*run)(void *))
{
	unsigned int i;

	for (i = 0; i < count; i++)
		mover_check(!pthread_create(&threads[i].thread, NULL, run, &threads[i]));
}

static void join_threads(struct mover_thread *threads, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		mover_check(!pthread_join(threads[i].thread, NULL));
		close(threads[i].bell);
	}
}

/* Goes on with the agreement on the end; false: it is reached. */
static bool agree(struct mover *mover, bool *own_told)
{
	if (mover_is_over(mover))
		return false;
	if (!*own_told && !atomic_load(&mover->givers_left)) {
		uint64_t sent = atomic_load(&mover->sent); /* not before the givers have ended */

		tell(mover, &sent, sizeof(sent));
		*own_told = true;
	}
	if (mover->told)
		mover_check(atomic_load(&mover->received) <= mover->peer_sent);
	if (mover->told && !mover->answered && atomic_load(&mover->received) == mover->peer_sent) {
		tell(mover, "done", 4);
		mover->answered = true;
	}
	return !mover->answered || !mover->peer_is_done;
}

static bool is_lost(struct mover *mover)
{
	if (mover->client && mover_state(mover->ctx) != DOCA_CTX_STATE_RUNNING &&
	    !atomic_exchange(&mover->lost, true))
		wake_threads(mover);
	return mover_is_over(mover);
}

int mover_run(const struct mover_config *config)
{
	struct mover_thread givers[MOVER_THREADS], takers[MOVER_THREADS];
	struct mover *mover = calloc(1, sizeof(*mover));
	bool own_told = false, lost;
	mover_check(mover && config->consumers <= MOVER_THREADS &&
		    config->producers <= MOVER_THREADS);
	mover->config = *config;
	mover->bell = open_bell();
	mover->givers = givers;
	mover->takers = takers;
	open_threads(mover, givers, config->producers);
	open_threads(mover, takers, config->consumers);
	pthread_mutex_init(&mover->lock, NULL);
	atomic_init(&mover->givers_left, config->producers);
	atomic_init(&mover->takers_left, config->consumers);
	open_connection(mover);
	start_threads(takers, config->consumers, mover_take);
	start_threads(givers, config->producers, mover_give);
	while (agree(mover, &own_told)) {
		work(mover);
		(void)is_lost(mover);
	}
	atomic_store(&mover->takers_may_end, true);
	wake_threads(mover);
	/* Consumers tell the peer of their end through the connection. */
	while (atomic_load(&mover->takers_left) || atomic_load(&mover->givers_left))
		work(mover);
	join_threads(takers, config->consumers);
	join_threads(givers, config->producers);
	mover->givers = mover->takers = NULL;
	lost = is_lost(mover) && !(mover->answered && mover->peer_is_done);
	close_connection(mover);
	printf("%s: sent %" PRIu64 " (%" PRIu64 " MB), received %" PRIu64
	       ", most work in a progress call %" PRIu64 " us\n",
	       lost ? "lost" : "moved", mover->sent, mover->sent_bytes >> 20, mover->received,
	       mover->slowest_ns / 1000);
	fflush(stdout);
	close(mover->bell);
	pthread_mutex_destroy(&mover->lock);
	free(mover);
	return lost;
}
