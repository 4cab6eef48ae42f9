/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transaction of a queue: Negotiate, Challenge, Reply, Success1, Success2. The host sends, or
 * asks for what is there for it; whatever is wrong becomes a Failure1 that it is to fetch, and that
 * ends its controller.
 */
#include "nvmf/auth.h"

#include <string.h>
#include "nvmf/ctrlr.h"

#define SECP_AUTH 0xe9u /* of Authentication Send and Receive: Base 6.1 and 6.2 */
#define SPSP_AUTH 0x01u
#define STEP_NS	  120000000000ull /* large groups take their time on small hosts */

#define TO(s) (1u << (s))
static const unsigned int next_states[NVMF_AUTH_STATE_COUNT] = {
	[NVMF_AUTH_IDLE] = TO(NVMF_AUTH_TO_CHALLENGE) | TO(NVMF_AUTH_TO_FAIL) | TO(NVMF_AUTH_OVER),
	[NVMF_AUTH_TO_CHALLENGE] =
		TO(NVMF_AUTH_WAIT_REPLY) | TO(NVMF_AUTH_TO_FAIL) | TO(NVMF_AUTH_OVER),
	[NVMF_AUTH_WAIT_REPLY] =
		TO(NVMF_AUTH_TO_SUCCEED) | TO(NVMF_AUTH_TO_FAIL) | TO(NVMF_AUTH_OVER),
	[NVMF_AUTH_TO_SUCCEED] = TO(NVMF_AUTH_WAIT_SUCCESS2) | TO(NVMF_AUTH_IDLE) |
				 TO(NVMF_AUTH_TO_FAIL) | TO(NVMF_AUTH_OVER),
	[NVMF_AUTH_WAIT_SUCCESS2] = TO(NVMF_AUTH_IDLE) | TO(NVMF_AUTH_TO_FAIL) | TO(NVMF_AUTH_OVER),
	[NVMF_AUTH_TO_FAIL] = TO(NVMF_AUTH_OVER) | TO(NVMF_AUTH_TO_FAIL),
	[NVMF_AUTH_OVER] = 0,
};

void nvmf_host_auth_init(struct nvmf_host_auth *auth)
{
	/* 3072 bits are strong enough for keys of 256, and take a small part of the time of 8192 */
	static const struct nvmf_host_auth usual = {
		.hash_count = NVMF_HASHES,
		.group_count = NVMF_DH_GROUPS,
		.hashes = {NVMF_SHA256, NVMF_SHA384, NVMF_SHA512},
		.groups = {NVMF_FFDHE3072, NVMF_FFDHE4096, NVMF_FFDHE2048, NVMF_FFDHE6144,
			   NVMF_FFDHE8192, NVMF_DH_NULL},
	};

	*auth = usual;
}

/*
 * States
 */

/* what only the transaction needs */
static void forget(struct nvmf_auth *auth)
{
	nvmf_dh_destroy(auth->dh);
	auth->dh = NULL;
	explicit_bzero(auth->challenge, sizeof(auth->challenge));
	explicit_bzero(auth->response, sizeof(auth->response));
}

static void set_due(struct nvmf_queue *queue)
{
	struct nvmf_target *target = queue->ctrlr->subsys->target;
	struct nvmf_auth *auth = &queue->auth;

	if (auth->state == NVMF_AUTH_IDLE && auth->standing == NVMF_AUTH_PROVED) {
		auth->due_ns = UINT64_MAX;
		return;
	}
	auth->due_ns = target->now_ns + STEP_NS;
	nvmf_target_look_by(target, auth->due_ns);
}

static void set_state(struct nvmf_queue *queue, enum nvmf_auth_state next)
{
	assert(next_states[queue->auth.state] & TO(next));
	queue->auth.state = next;
	set_due(queue);
}

static void succeed(struct nvmf_queue *queue)
{
	forget(&queue->auth);
	queue->auth.standing = NVMF_AUTH_PROVED;
	set_state(queue, NVMF_AUTH_IDLE);
}

/* what it has proved before does not count any more */
static void give_up(struct nvmf_queue *queue, enum nvmf_auth_state next,
		    enum nvmf_auth_reason reason)
{
	forget(&queue->auth);
	queue->auth.standing = NVMF_AUTH_OWED;
	queue->auth.reason = reason;
	set_state(queue, next);
}

uint32_t nvmf_auth_begin(struct nvmf_queue *queue)
{
	const struct nvmf_ctrlr *ctrlr = queue->ctrlr;

	if (!nvmf_subsys_host_auth(ctrlr->subsys, ctrlr->hostnqn))
		return 0;
	queue->auth.standing = NVMF_AUTH_OWED;
	set_due(queue);
	return NVMF_CONNECT_ATR;
}

void nvmf_auth_end(struct nvmf_queue *queue)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &queue->ctrlr->subsys->target->auth_work)
		if (container_of(node, struct nvmf_req, node)->queue == queue)
			list_remove(node);
	forget(&queue->auth);
}

void nvmf_auth_is_over(struct nvmf_queue *queue)
{
	static const char *const why[] = {
		[NVMF_AUTH_OK] = "authentication: the host has given up",
		[NVMF_AUTH_FAILED] = "authentication failed: the keys differ",
		[NVMF_AUTH_NO_PROTOCOL] = "authentication: the host does not know DH-HMAC-CHAP",
		[NVMF_AUTH_SECURE_CHANNEL] = "authentication: the host wants a secure channel",
		[NVMF_AUTH_NO_HASH] = "authentication: no hash that both sides allow",
		[NVMF_AUTH_NO_GROUP] = "authentication: no group that both sides allow",
		[NVMF_AUTH_BAD_PAYLOAD] = "authentication: a message that makes no sense",
		[NVMF_AUTH_BAD_MESSAGE] = "authentication: a message out of turn",
	};

	nvmf_queue_violated(queue, why[queue->auth.reason]);
}

uint64_t nvmf_auth_look(struct nvmf_ctrlr *ctrlr, uint64_t now_ns, uint64_t late_ns)
{
	uint64_t next = UINT64_MAX;
	struct list_node *node;
	bool overdue = false;

	list_for_each (node, &ctrlr->queues) {
		struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);
		struct nvmf_auth *auth = &queue->auth;

		if (auth->standing == NVMF_AUTH_NOT_ASKED || auth->due_ns == UINT64_MAX ||
		    queue->closing)
			continue;
		auth->due_ns += late_ns;
		overdue |= auth->due_ns <= now_ns;
		if (auth->due_ns < next)
			next = auth->due_ns;
	}
	if (!overdue)
		return next;
	ctrlr->csts |= NVME_CSTS_CFS;
	nvmf_ctrlr_disconnect(ctrlr, "authentication: the host is silent");
	return UINT64_MAX;
}

/*
 * From the host. Each returns what is wrong.
 */

/* the first of ours that is among the host's; -1: none is */
static int choose(const uint8_t *ours, unsigned int our_count, const uint8_t *theirs,
		  unsigned int their_count)
{
	unsigned int i;

	for (i = 0; i < our_count; i++)
		if (memchr(theirs, ours[i], their_count))
			return ours[i];
	return -1;
}

static enum nvmf_auth_reason negotiate(struct nvmf_queue *queue, const struct nvmf_host_auth *host,
				       const void *data, uint32_t size)
{
	struct nvmf_auth *auth = &queue->auth;
	struct nvmf_auth_negotiate theirs;
	int hash, group;

	if (auth->state != NVMF_AUTH_IDLE)
		return NVMF_AUTH_BAD_MESSAGE;
	if (nvmf_auth_get_negotiate(data, size, &theirs))
		return NVMF_AUTH_BAD_PAYLOAD;
	if (theirs.sc_c)
		return NVMF_AUTH_SECURE_CHANNEL;
	if (!theirs.has_dhchap)
		return NVMF_AUTH_NO_PROTOCOL;
	hash = choose(host->hashes, host->hash_count, theirs.hashes, theirs.hash_count);
	if (hash < 0)
		return NVMF_AUTH_NO_HASH;
	group = choose(host->groups, host->group_count, theirs.groups, theirs.group_count);
	if (group < 0)
		return NVMF_AUTH_NO_GROUP;
	auth->hash = (enum nvmf_hash)hash;
	auth->group = (enum nvmf_dh_group)group;
	set_state(queue, NVMF_AUTH_TO_CHALLENGE);
	return NVMF_AUTH_OK;
}

/* what both proofs have in common */
static struct nvmf_proof make_proof(const struct nvmf_auth *auth, const uint8_t *secret)
{
	return (struct nvmf_proof){.hash = auth->hash,
				   .secret = secret,
				   .secret_size = nvmf_dh_size(auth->group),
				   .t_id = auth->t_id};
}

static enum nvmf_auth_reason check_host(const struct nvmf_queue *queue,
					const struct nvmf_host_auth *host, const uint8_t *secret,
					const uint8_t *response)
{
	const struct nvmf_auth *auth = &queue->auth;
	struct nvmf_proof proof = make_proof(auth, secret);
	uint8_t right[NVMF_DIGEST_MAX];
	bool is_right;

	proof.key = &host->key;
	proof.challenge = auth->challenge;
	proof.seqnum = auth->seqnum;
	proof.role = NVMF_ROLE_HOST;
	proof.nqn = queue->ctrlr->hostnqn;
	proof.other_nqn = queue->ctrlr->subsys->nqn;
	is_right = !nvmf_proof_make(&proof, right) &&
		   nvmf_is_same_secret(right, response, nvmf_digest_size(auth->hash));
	explicit_bzero(right, sizeof(right));
	return is_right ? NVMF_AUTH_OK : NVMF_AUTH_FAILED;
}

static enum nvmf_auth_reason prove_controller(struct nvmf_queue *queue,
					      const struct nvmf_host_auth *host,
					      const uint8_t *secret,
					      const struct nvmf_auth_reply *reply)
{
	struct nvmf_proof proof = make_proof(&queue->auth, secret);

	if (!host->ctrlr_key.size)
		return NVMF_AUTH_FAILED;
	proof.key = &host->ctrlr_key;
	proof.challenge = reply->challenge;
	proof.seqnum = reply->seqnum;
	proof.role = NVMF_ROLE_CONTROLLER;
	proof.nqn = queue->ctrlr->subsys->nqn;
	proof.other_nqn = queue->ctrlr->hostnqn;
	return nvmf_proof_make(&proof, queue->auth.response) ? NVMF_AUTH_FAILED : NVMF_AUTH_OK;
}

/* the host first: who does not have its key learns nothing of ours */
static enum nvmf_auth_reason check_reply(struct nvmf_queue *queue,
					 const struct nvmf_host_auth *host,
					 const struct nvmf_auth_reply *reply)
{
	struct nvmf_auth *auth = &queue->auth;
	uint8_t secret[NVMF_DH_VALUE_MAX];
	enum nvmf_auth_reason reason;

	if (auth->dh && nvmf_dh_secret(auth->dh, reply->dh_value, secret))
		return NVMF_AUTH_BAD_PAYLOAD;
	reason = check_host(queue, host, secret, reply->response);
	auth->has_response = reply->cvalid;
	if (!reason && reply->cvalid)
		reason = prove_controller(queue, host, secret, reply);
	explicit_bzero(secret, sizeof(secret));
	return reason;
}

static enum nvmf_auth_reason take_reply(struct nvmf_queue *queue, const struct nvmf_host_auth *host,
					const void *data, uint32_t size)
{
	const struct nvmf_auth *auth = &queue->auth;
	struct nvmf_auth_reply reply;
	enum nvmf_auth_reason reason;

	if (auth->state != NVMF_AUTH_WAIT_REPLY)
		return NVMF_AUTH_BAD_MESSAGE;
	/* a challenge without a number would be for a secure channel */
	if (nvmf_auth_get_reply(data, size, &reply) ||
	    reply.hash_size != nvmf_digest_size(auth->hash) ||
	    reply.dh_size != nvmf_dh_size(auth->group) || (reply.cvalid && !reply.seqnum))
		return NVMF_AUTH_BAD_PAYLOAD;
	reason = check_reply(queue, host, &reply);
	if (!reason)
		set_state(queue, NVMF_AUTH_TO_SUCCEED);
	return reason;
}

static enum nvmf_auth_reason take_success2(struct nvmf_queue *queue, uint32_t size)
{
	if (queue->auth.state != NVMF_AUTH_WAIT_SUCCESS2)
		return NVMF_AUTH_BAD_MESSAGE;
	if (size != NVMF_AUTH_SUCCESS2_SIZE)
		return NVMF_AUTH_BAD_PAYLOAD;
	succeed(queue);
	return NVMF_AUTH_OK;
}

static enum nvmf_auth_reason take_message(struct nvmf_queue *queue, const void *data, uint32_t size)
{
	const struct nvmf_ctrlr *ctrlr = queue->ctrlr;
	const struct nvmf_host_auth *host = nvmf_subsys_host_auth(ctrlr->subsys, ctrlr->hostnqn);
	struct nvmf_auth *auth = &queue->auth;
	struct nvmf_auth_header header;

	if (nvmf_auth_get_header(data, size, &header))
		return NVMF_AUTH_BAD_PAYLOAD;
	if (header.message == NVMF_AUTH_NEGOTIATE)
		auth->t_id = header.t_id;
	else if (header.t_id != auth->t_id)
		return NVMF_AUTH_BAD_PAYLOAD;
	if (!host) /* its key has been taken away */
		return NVMF_AUTH_FAILED;
	switch (header.message) {
	case NVMF_AUTH_NEGOTIATE:
		return negotiate(queue, host, data, size);
	case NVMF_AUTH_REPLY:
		return take_reply(queue, host, data, size);
	case NVMF_AUTH_SUCCESS2:
		return take_success2(queue, size);
	default:
		return NVMF_AUTH_BAD_MESSAGE;
	}
}

/*
 * The commands
 */

/* 0: fine */
static uint16_t check_command(const struct nvmf_req *req, uint32_t *ret_size)
{
	struct nvmf_auth_cmd cmd;

	memcpy(&cmd, &req->cmd, sizeof(cmd));
	*ret_size = le32toh(cmd.length);
	if (cmd.secp != SECP_AUTH || cmd.spsp0 != SPSP_AUTH || cmd.spsp1 != SPSP_AUTH || !*ret_size)
		return NVME_SC_INVALID_FIELD;
	return *ret_size == req->size ? NVME_SC_SUCCESS : NVME_SC_SGL_DATA_LENGTH;
}

/* the host does not believe us, or has not understood the challenge */
static bool is_giving_up(const void *data, uint32_t size)
{
	struct nvmf_auth_header header;

	return !nvmf_auth_get_header(data, size, &header) && header.message == NVMF_AUTH_FAILURE2;
}

static enum nvmf_verdict take(struct nvmf_queue *queue, struct nvmf_req *req)
{
	enum nvmf_auth_reason reason;
	uint32_t size;
	uint16_t status = check_command(req, &size);

	if (status)
		return nvmf_refuse(req, status);
	if (queue->auth.state == NVMF_AUTH_TO_FAIL || queue->auth.state == NVMF_AUTH_OVER)
		return nvmf_refuse(req, NVME_SC_AUTH_REQUIRED);
	nvmf_keepalive_heard(queue->ctrlr);
	if (is_giving_up(req->data, size)) {
		give_up(queue, NVMF_AUTH_OVER, NVMF_AUTH_OK);
		req->is_last = true;
		return NVMF_RESPOND;
	}
	reason = take_message(queue, req->data, size);
	if (reason)
		give_up(queue, NVMF_AUTH_TO_FAIL, reason);
	return NVMF_RESPOND;
}

/* numbers are used once; 0 would mean a secure channel */
static doca_error_t new_seqnum(struct nvmf_target *target, uint32_t *ret_seqnum)
{
	doca_error_t err = DOCA_SUCCESS;

	if (!target->auth_seqnum)
		err = nvmf_random(&target->auth_seqnum, sizeof(target->auth_seqnum));
	if (!++target->auth_seqnum)
		target->auth_seqnum = 1;
	*ret_seqnum = target->auth_seqnum;
	return err;
}

static doca_error_t make_challenge(struct nvmf_queue *queue, uint8_t *dh_value)
{
	struct nvmf_auth *auth = &queue->auth;
	doca_error_t err = new_seqnum(queue->ctrlr->subsys->target, &auth->seqnum);

	if (!err)
		err = nvmf_random(auth->challenge, nvmf_digest_size(auth->hash));
	if (err || auth->group == NVMF_DH_NULL)
		return err;
	err = nvmf_dh_create(auth->group, &auth->dh);
	return err ? err : nvmf_dh_public(auth->dh, dh_value);
}

static size_t put_failure(struct nvmf_queue *queue, enum nvmf_auth_reason reason, uint8_t *message)
{
	uint16_t t_id = queue->auth.t_id;

	give_up(queue, NVMF_AUTH_OVER, reason);
	return nvmf_auth_put_failure1(t_id, reason, message);
}

static size_t put_challenge(struct nvmf_queue *queue, uint8_t *message)
{
	const struct nvmf_auth *auth = &queue->auth;
	uint8_t dh_value[NVMF_DH_VALUE_MAX];
	struct nvmf_auth_challenge challenge = {.t_id = auth->t_id,
						.hash = auth->hash,
						.group = auth->group,
						.challenge = auth->challenge,
						.dh_value = dh_value};

	if (make_challenge(queue, dh_value))
		return put_failure(queue, NVMF_AUTH_FAILED, message);
	challenge.seqnum = auth->seqnum;
	set_state(queue, NVMF_AUTH_WAIT_REPLY);
	return nvmf_auth_put_challenge(&challenge, message);
}

static size_t put_success(struct nvmf_queue *queue, uint8_t *message)
{
	const struct nvmf_auth *auth = &queue->auth;
	size_t size = nvmf_auth_put_success1(auth->t_id, auth->hash,
					     auth->has_response ? auth->response : NULL, message);

	if (auth->has_response)
		set_state(queue, NVMF_AUTH_WAIT_SUCCESS2);
	else
		succeed(queue);
	return size;
}

static size_t put_message(struct nvmf_queue *queue, uint8_t *message)
{
	switch (queue->auth.state) {
	case NVMF_AUTH_TO_CHALLENGE:
		return put_challenge(queue, message);
	case NVMF_AUTH_TO_SUCCEED:
		return put_success(queue, message);
	default:
		return put_failure(queue, queue->auth.reason, message);
	}
}

/* bytes of what is there for the host; 0: it is its turn to send */
static size_t size_of_message(const struct nvmf_auth *auth)
{
	switch (auth->state) {
	case NVMF_AUTH_TO_CHALLENGE:
		return 16 + nvmf_digest_size(auth->hash) + nvmf_dh_size(auth->group);
	case NVMF_AUTH_TO_SUCCEED:
		return 16 + (auth->has_response ? nvmf_digest_size(auth->hash) : 0);
	case NVMF_AUTH_TO_FAIL:
		return 8;
	default:
		return 0;
	}
}

static enum nvmf_verdict give(struct nvmf_queue *queue, struct nvmf_req *req)
{
	uint8_t message[NVMF_AUTH_MSG_MAX];
	uint32_t size;
	uint16_t status = check_command(req, &size);

	if (status)
		return nvmf_refuse(req, status);
	if (queue->auth.state == NVMF_AUTH_OVER)
		return nvmf_refuse(req, NVME_SC_AUTH_REQUIRED);
	if (!size_of_message(&queue->auth))
		return nvmf_refuse(req, NVME_SC_SEQUENCE_ERROR);
	if (size < size_of_message(&queue->auth))
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	nvmf_keepalive_heard(queue->ctrlr);
	req->reply_size = (uint32_t)put_message(queue, message);
	memcpy(req->data, message, req->reply_size);
	req->is_last = queue->auth.state == NVMF_AUTH_OVER;
	return NVMF_RESPOND;
}

/*
 * Work: a power in a large group takes milliseconds, and whoever connects can ask for one. They are
 * done one at a time, so that nobody waits for more than one.
 */

static enum nvmf_verdict defer(struct nvmf_queue *queue, struct nvmf_req *req)
{
	list_add_tail(&queue->ctrlr->subsys->target->auth_work, &req->node);
	return NVMF_HOLD;
}

static bool is_work(const struct nvmf_queue *queue, enum nvmf_auth_state state)
{
	return queue->auth.state == state && queue->auth.group != NVMF_DH_NULL;
}

enum nvmf_verdict nvmf_auth_send(struct nvmf_queue *queue, struct nvmf_req *req)
{
	return is_work(queue, NVMF_AUTH_WAIT_REPLY) ? defer(queue, req) : take(queue, req);
}

enum nvmf_verdict nvmf_auth_receive(struct nvmf_queue *queue, struct nvmf_req *req)
{
	return is_work(queue, NVMF_AUTH_TO_CHALLENGE) ? defer(queue, req) : give(queue, req);
}

bool nvmf_target_work(struct nvmf_target *target)
{
	struct list_node *node = list_pop(&target->auth_work);
	struct nvmf_req *req;

	if (!node)
		return false;
	req = container_of(node, struct nvmf_req, node);
	if (req->queue->closing)
		nvmf_fail(req, NVME_SC_ABORT_SQ_DELETED);
	else if ((uint8_t)le32toh(req->cmd.nsid) == NVME_FC_AUTH_SEND)
		take(req->queue, req);
	else
		give(req->queue, req);
	target->attr.ops->complete(req);
	return !list_is_empty(&target->auth_work);
}
