/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client's way to its server: find, say HELLO, wait for the answer.
 */
#define LOG_MODULE "chan"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/printable.h"
#include "chan/chan.h"
#include "chan/handshake.h"

/*
 * A client that waits for its server looks for it again when it has waited so much longer (a 16th),
 * within these limits: many that wait for long must not take the processor from others.
 */
#define RETRY_SHARE	 16u
#define RETRY_MIN_NS	 UINT64_C(1000000)
#define RETRY_MAX_NS	 UINT64_C(50000000)
#define EXPLANATION_SIZE 512

static void fail(struct chan *chan, doca_error_t reason)
{
	chan_close(chan);
	chan->ops->opened(chan, reason);
}

static void retry(struct timer *timer);

static bool waits_for_server(const struct chan *chan)
{
	return clock_now_ns() < chan->wait_until_ns;
}

/* AGAIN: the server exists and has too many callers at the moment. */
static bool may_retry(const struct chan *chan, doca_error_t err)
{
	return err == DOCA_ERROR_AGAIN || (err == DOCA_ERROR_NOT_FOUND && waits_for_server(chan));
}

static void retry_later(struct chan *chan, uint64_t delay_ns)
{
	chan->retry.fire = retry;
	priv_poll_group_timer_add(chan->config.group, &chan->retry, delay_ns);
}

/* until the next look; the last one is when the time is over */
static uint64_t retry_delay(const struct chan *chan)
{
	const uint64_t now = clock_now_ns();
	uint64_t delay = (now - chan->waits_since_ns) / RETRY_SHARE;

	if (delay < RETRY_MIN_NS)
		return RETRY_MIN_NS;
	if (delay > RETRY_MAX_NS)
		delay = RETRY_MAX_NS;
	return chan->wait_until_ns > now && delay > chan->wait_until_ns - now
		       ? chan->wait_until_ns - now
		       : delay;
}

/*
 * A server that hangs up is about to end, and a client that has time left waits for the next one.
 * That one gets a new inbox: the server before it may have written into this one.
 */
static doca_error_t look_on(struct chan *chan)
{
	const struct chan_config config = chan->config;
	doca_error_t err;

	LOG_DBG("server \"%s\" hung up before it answered, waiting for another one "
		"(SOFTFIELD_CONNECT_WAIT)",
		chan->config.addr.service);
	chan_abandon(chan);
	chan_fini(chan);
	err = chan_init(chan, &config, chan->ops);
	if (!err)
		retry_later(chan, retry_delay(chan));
	return err;
}

/* Takes the server's inbox and bell. */
static doca_error_t get_in(struct link *link, uint32_t max_msg_size, const int *fds,
			   unsigned int fd_count)
{
	struct chan *chan = link->owner;
	doca_error_t err;

	link->handler = &chan_link_handler;
	err = chan_open(chan, &link->peer, max_msg_size, fds, fd_count);
	if (err)
		LOG_ERR("server \"%s\" gave an inbox that cannot be used: %s",
			chan->config.addr.service, doca_error_get_descr(err));
	return err;
}

/* Why the server does not let us in; answer: NULL if it was no handshake. */
static doca_error_t why_refused(const struct chan *chan, struct handshake *answer)
{
	if (!answer || answer->type != HANDSHAKE_REJECT) {
		LOG_ERR("server \"%s\" does not speak our protocol: both sides need one version",
			chan->config.addr.service);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	LOG_ERR("server \"%s\" refused: %s", chan->config.addr.service,
		printable_only(answer->reject.reason));
	return answer->reject.error ? answer->reject.error : DOCA_ERROR_CONNECTION_ABORTED;
}

static void answered(struct link *link, const void *msg, size_t size, const int *fds,
		     unsigned int fd_count)
{
	struct chan *chan = link->owner;
	struct handshake answer;
	doca_error_t err = priv_handshake_decode(msg, size, &answer);

	if (!err && answer.type == HANDSHAKE_ACCEPT) {
		err = get_in(link, answer.accept.max_msg_size, fds, fd_count);
	} else {
		priv_fd_close_all(fds, fd_count);
		err = why_refused(chan, err ? NULL : &answer);
	}
	if (err)
		fail(chan, err);
	else
		chan->ops->opened(chan, DOCA_SUCCESS);
}

static void explain_loss(const struct chan *chan, doca_error_t reason)
{
	if (reason == DOCA_ERROR_NOT_PERMITTED)
		LOG_ERR("server \"%s\" does not accept user %u: \"access\" of card %s in its "
			"topology says who may",
			chan->config.addr.service, (unsigned int)geteuid(),
			chan->config.addr.card->name);
	else if (reason == DOCA_ERROR_CONNECTION_RESET)
		LOG_ERR("server \"%s\" hung up before it answered", chan->config.addr.service);
	else
		LOG_ERR("the answer of server \"%s\" cannot be taken: %s (out of file "
			"descriptors?)",
			chan->config.addr.service, doca_error_get_descr(reason));
}

static void hung_up(struct link *link, doca_error_t reason)
{
	struct chan *chan = link->owner;

	if (reason == DOCA_ERROR_CONNECTION_RESET && waits_for_server(chan)) {
		reason = look_on(chan);
		if (!reason)
			return;
		LOG_ERR("cannot wait for another server \"%s\": %s", chan->config.addr.service,
			doca_error_get_descr(reason));
	} else {
		explain_loss(chan, reason);
	}
	fail(chan, reason);
}

static const struct link_handler waiting_for_answer = {.message = answered, .lost = hung_up};

static doca_error_t say_hello(struct chan *chan)
{
	struct handshake hello = {.type = HANDSHAKE_HELLO};

	handshake_set_text(hello.hello.card, chan->config.addr.card->name);
	handshake_set_text(hello.hello.function, chan->config.addr.function);
	handshake_set_text(hello.hello.service, chan->config.addr.service);
	hello.hello.max_msg_size = chan->max_msg_size;
	hello.hello.flags = chan->config.adapts ? HANDSHAKE_ADAPTS : 0;
	return chan_send_inbox(chan, &hello);
}

static doca_error_t try_connect(struct chan *chan)
{
	doca_error_t err;

	err = priv_link_connect(chan->config.group, &chan->config.addr, &waiting_for_answer, chan,
				&chan->link);
	if (err)
		return err;
	err = say_hello(chan);
	if (!err)
		LOG_DBG("server \"%s\" is process %d, which answers in doca_pe_progress()",
			chan->config.addr.service, (int)chan->link->peer.pid);
	/* Already gone, but it may have said why: that comes with the hang-up. */
	return err == DOCA_ERROR_CONNECTION_RESET ? DOCA_SUCCESS : err;
}

static void explain(const struct chan *chan, doca_error_t err)
{
	char text[EXPLANATION_SIZE];

	if (err == DOCA_ERROR_NOT_FOUND) {
		priv_link_explain(&chan->config.addr, text, sizeof(text));
		LOG_ERR("no server \"%s\" for function %s of card %s: %s%s",
			chan->config.addr.service, chan->config.addr.function,
			chan->config.addr.card->name, text,
			chan->wait_until_ns ? "" : " (SOFTFIELD_CONNECT_WAIT=10s waits for one)");
	} else if (err != DOCA_ERROR_NOT_PERMITTED) { /* that has been logged */
		LOG_ERR("cannot connect to server \"%s\": %s", chan->config.addr.service,
			doca_error_get_descr(err));
	}
}

static void note_wait(const struct chan *chan, doca_error_t err)
{
	if (err == DOCA_ERROR_AGAIN)
		LOG_DBG("server \"%s\" has too many callers, waiting", chan->config.addr.service);
	else if (may_retry(chan, err))
		LOG_DBG("no server \"%s\" for function %s yet, waiting (SOFTFIELD_CONNECT_WAIT)",
			chan->config.addr.service, chan->config.addr.function);
}

static void retry(struct timer *timer)
{
	struct chan *chan = container_of(timer, struct chan, retry);
	doca_error_t err = chan->first_try;

	if (!err)
		err = try_connect(chan);
	if (!err)
		return;
	if (may_retry(chan, err)) {
		chan->first_try = DOCA_SUCCESS;
		retry_later(chan, retry_delay(chan));
		return;
	}
	explain(chan, err);
	fail(chan, err);
}

doca_error_t chan_connect(struct chan *chan, const struct chan_config *config,
			  const struct chan_ops *ops)
{
	const struct topo *topo;
	doca_error_t err;

	err = priv_topo_get(&topo);
	if (err)
		return err;
	memset(chan, 0, sizeof(*chan));
	err = chan_init(chan, config, ops);
	if (err) {
		chan_fini(chan);
		return err;
	}
	chan->waits_since_ns = clock_now_ns();
	if (topo->connect_wait_ns)
		chan->wait_until_ns = chan->waits_since_ns + topo->connect_wait_ns;
	/* The outcome is told from a poll, also when it is known now. */
	chan->first_try = try_connect(chan);
	if (chan->first_try) {
		note_wait(chan, chan->first_try);
		retry_later(chan, 0);
	}
	return DOCA_SUCCESS;
}
