/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Admin commands: features, keep alive; the larger ones have files of their own.
 */
#include "nvmf/ctrlr.h"

#include <string.h>
#include "base/count.h"

#define FEATURE_SAVE	    (1u << 31)
#define SELECT_CURRENT	    0u
#define SELECT_CAPABILITIES 3u
#define POWER_STATE	    0x1fu
#define EXHID		    1u
#define DULBE		    (1u << 16)
#define KATO_DEFAULT_MS	    120000u /* Base 5.27.1.12 */

enum { OVER, UNDER }; /* thresholds of the temperature */

/* else the default: nothing is saved */
static bool wants_current(const struct nvmf_req *req)
{
	return (le32toh(req->cmd.cdw10) >> 8 & 7) == SELECT_CURRENT;
}

static enum nvmf_verdict set_num_queues(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint32_t wanted = le32toh(req->cmd.cdw11);
	uint32_t submission = wanted & 0xffff, completion = wanted >> 16;
	uint32_t count = submission < completion ? submission : completion;
	uint16_t max = ctrlr->subsys->target->attr.max_io_queues;
	struct list_node *node;

	if (submission == 0xffff || completion == 0xffff)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	list_for_each (node, &ctrlr->queues)
		if (container_of(node, struct nvmf_queue, node)->qid)
			return nvmf_refuse(req, NVME_SC_SEQUENCE_ERROR);
	/* a queue is a pair here: the lesser of the two numbers, 0-based */
	ctrlr->io_queues = (uint16_t)(count + 1 < max ? count + 1 : max);
	req->dw0 = (ctrlr->io_queues - 1u) * 0x00010001u;
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_num_queues(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint16_t count = ctrlr->io_queues && wants_current(req)
				 ? ctrlr->io_queues
				 : ctrlr->subsys->target->attr.max_io_queues;

	req->dw0 = (count - 1u) * 0x00010001u;
	return NVMF_RESPOND;
}

bool nvmf_has_temperature_alarm(const struct nvmf_ctrlr *ctrlr)
{
	return NVMF_KELVIN >= ctrlr->temperature[OVER] || NVMF_KELVIN <= ctrlr->temperature[UNDER];
}

static void raise_temperature_alarm(struct nvmf_ctrlr *ctrlr)
{
	if (nvmf_has_temperature_alarm(ctrlr))
		nvmf_event_raise(ctrlr, NVMF_EVENT_TEMPERATURE);
}

static enum nvmf_verdict set_events(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	nvmf_event_configure(ctrlr, le32toh(req->cmd.cdw11));
	raise_temperature_alarm(ctrlr);
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_events(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	req->dw0 = wants_current(req) ? ctrlr->event_config : 0;
	return NVMF_RESPOND;
}

static enum nvmf_verdict set_kato(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint32_t ms = le32toh(req->cmd.cdw11);

	if (!ms && !ctrlr->subsys->is_discovery) /* TCP and RDMA require it */
		return nvmf_refuse(req, NVME_SC_KATO_INVALID);
	nvmf_keepalive_set(ctrlr, ms);
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_kato(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	req->dw0 = wants_current(req) ? ctrlr->kato_ms : KATO_DEFAULT_MS;
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_write_cache(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	(void)ctrlr; /* has one, else the feature would not be there */
	req->dw0 = 1;
	return NVMF_RESPOND;
}

static enum nvmf_verdict cannot_change(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	(void)ctrlr;
	return nvmf_refuse(req, NVME_SC_FEATURE_NOT_CHANGEABLE);
}

/*
 * Features that hosts set and read back, and that change nothing here. Their defaults are 0.
 */

static enum nvmf_verdict store(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	ctrlr->stored[le32toh(req->cmd.cdw10) & 15] = le32toh(req->cmd.cdw11);
	return NVMF_RESPOND;
}

static enum nvmf_verdict recall(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	if (wants_current(req))
		req->dw0 = ctrlr->stored[le32toh(req->cmd.cdw10) & 15];
	return NVMF_RESPOND;
}

/* the only power state is 0 */
static enum nvmf_verdict set_power(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	return le32toh(req->cmd.cdw11) & POWER_STATE ? nvmf_refuse(req, NVME_SC_INVALID_FIELD)
						     : store(ctrlr, req);
}

/* thresholds of the composite temperature; NULL: of another sensor, or no such kind */
static uint16_t *threshold(struct nvmf_ctrlr *ctrlr, const struct nvmf_req *req)
{
	uint32_t cdw11 = le32toh(req->cmd.cdw11);
	uint32_t sensor = cdw11 >> 16 & 15, kind = cdw11 >> 20 & 3;
	bool all = sensor == 15 && req->cmd.opcode == NVME_ADMIN_SET_FEATURES;

	return (sensor && !all) || kind > 1 ? NULL : &ctrlr->temperature[kind];
}

static enum nvmf_verdict set_temperature(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint16_t *to = threshold(ctrlr, req);

	if (!to)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	*to = (uint16_t)le32toh(req->cmd.cdw11);
	raise_temperature_alarm(ctrlr);
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_temperature(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	const uint16_t *from = threshold(ctrlr, req);

	if (!from)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	if (wants_current(req))
		req->dw0 = *from;
	else if (from == &ctrlr->temperature[OVER])
		req->dw0 = NVMF_WARNING_KELVIN;
	return NVMF_RESPOND;
}

/* no namespace can tell deallocated blocks from others */
static enum nvmf_verdict set_error_recovery(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint32_t cdw11 = le32toh(req->cmd.cdw11), nsid = le32toh(req->cmd.nsid), i;

	if (cdw11 & DULBE)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	for (i = 0; i <= NVMF_NSID_MAX; i++)
		if (i == nsid || !nsid || nsid == NVME_NSID_ALL)
			ctrlr->error_recovery[i] = (uint16_t)cdw11;
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_error_recovery(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint32_t nsid = le32toh(req->cmd.nsid);

	if (wants_current(req))
		req->dw0 = ctrlr->error_recovery[nsid == NVME_NSID_ALL ? 0 : nsid];
	return NVMF_RESPOND;
}

static enum nvmf_verdict get_host_id(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	if (!(le32toh(req->cmd.cdw11) & EXHID))
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	if (req->size < sizeof(ctrlr->hostid))
		return nvmf_refuse(req, NVME_SC_SGL_DATA_LENGTH);
	memcpy(req->data, ctrlr->hostid, sizeof(ctrlr->hostid));
	req->reply_size = sizeof(ctrlr->hostid);
	return NVMF_RESPOND;
}

static enum nvmf_verdict set_host_id(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	(void)ctrlr;
	return nvmf_refuse(req, NVME_SC_SEQUENCE_ERROR); /* it came with Connect */
}

struct feature {
	uint8_t fid;
	bool in_discovery;
	bool of_ns; /* else of the controller */
	enum nvmf_verdict (*set)(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
	enum nvmf_verdict (*get)(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
};

static const struct feature features[] = {
	{NVME_FEAT_ARBITRATION, false, false, store, recall},
	{NVME_FEAT_POWER, false, false, set_power, recall},
	{NVME_FEAT_TEMPERATURE, false, false, set_temperature, get_temperature},
	{NVME_FEAT_ERROR_RECOVERY, false, true, set_error_recovery, get_error_recovery},
	{NVME_FEAT_WRITE_CACHE, false, false, cannot_change, get_write_cache},
	{NVME_FEAT_NUM_QUEUES, false, false, set_num_queues, get_num_queues},
	{NVME_FEAT_WRITE_ATOMICITY, false, false, store, recall},
	{NVME_FEAT_ASYNC_EVENT, true, false, set_events, get_events},
	{NVME_FEAT_KATO, true, false, set_kato, get_kato},
	{NVME_FEAT_HOST_ID, false, false, set_host_id, get_host_id},
};

static bool has_feature(const struct nvmf_ctrlr *ctrlr, const struct feature *feature)
{
	if (ctrlr->subsys->is_discovery)
		return feature->in_discovery;
	return feature->fid != NVME_FEAT_WRITE_CACHE || nvmf_has_write_cache(ctrlr->subsys);
}

static const struct feature *find_feature(const struct nvmf_ctrlr *ctrlr, uint8_t fid)
{
	size_t i;

	for (i = 0; i < COUNT(features); i++)
		if (features[i].fid == fid && has_feature(ctrlr, &features[i]))
			return &features[i];
	return NULL;
}

/* 0: fine */
static uint16_t check_nsid(const struct nvmf_ctrlr *ctrlr, const struct feature *feature,
			   const struct nvme_cmd *cmd)
{
	uint32_t nsid = le32toh(cmd->nsid);

	if (!nsid || nsid == NVME_NSID_ALL)
		return NVME_SC_SUCCESS;
	if (nsid > NVMF_NSID_MAX)
		return NVME_SC_INVALID_NS;
	if (!feature->of_ns)
		return cmd->opcode == NVME_ADMIN_SET_FEATURES ? NVME_SC_FEATURE_NOT_NS_SPECIFIC
							      : NVME_SC_SUCCESS;
	return nvmf_ctrlr_ns(ctrlr, nsid) ? NVME_SC_SUCCESS : NVME_SC_INVALID_FIELD;
}

static enum nvmf_verdict set_features(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint32_t cdw10 = le32toh(req->cmd.cdw10);
	const struct feature *feature = find_feature(ctrlr, (uint8_t)cdw10);
	uint16_t status;

	if (!feature)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	if (cdw10 & FEATURE_SAVE)
		return nvmf_refuse(req, NVME_SC_FEATURE_NOT_SAVEABLE);
	status = check_nsid(ctrlr, feature, &req->cmd);
	if (status)
		return nvmf_refuse(req, status);
	return feature->set(ctrlr, req);
}

static enum nvmf_verdict get_features(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint32_t cdw10 = le32toh(req->cmd.cdw10);
	const struct feature *feature = find_feature(ctrlr, (uint8_t)cdw10);
	uint32_t select = cdw10 >> 8 & 7;
	uint16_t status;

	if (!feature || select > SELECT_CAPABILITIES)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	status = check_nsid(ctrlr, feature, &req->cmd);
	if (status)
		return nvmf_refuse(req, status);
	if (select == SELECT_CAPABILITIES) {
		/* changeable, of a namespace, not saveable */
		req->dw0 = feature->set == cannot_change || feature->set == set_host_id ? 0 : 4;
		req->dw0 |= feature->of_ns ? 2 : 0;
		return NVMF_RESPOND;
	}
	return feature->get(ctrlr, req);
}

static enum nvmf_verdict keep_alive(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	(void)req;
	nvmf_keepalive_heard(ctrlr);
	return NVMF_RESPOND;
}

struct admin_command {
	uint8_t opcode;
	bool in_discovery;
	enum nvmf_verdict (*execute)(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
};

static const struct admin_command commands[] = {
	{NVME_ADMIN_GET_LOG_PAGE, true, nvmf_get_log_page},
	{NVME_ADMIN_IDENTIFY, true, nvmf_identify},
	{NVME_ADMIN_ABORT, false, nvmf_abort},
	{NVME_ADMIN_SET_FEATURES, true, set_features},
	{NVME_ADMIN_GET_FEATURES, true, get_features},
	{NVME_ADMIN_ASYNC_EVENT, true, nvmf_event_request},
	{NVME_ADMIN_KEEP_ALIVE, true, keep_alive},
};

enum nvmf_verdict nvmf_admin(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	size_t i;

	if (req->cmd.flags & NVME_FLAG_FUSED_MASK)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	for (i = 0; i < COUNT(commands); i++)
		if (commands[i].opcode == req->cmd.opcode &&
		    (commands[i].in_discovery || !ctrlr->subsys->is_discovery))
			return commands[i].execute(ctrlr, req);
	return nvmf_refuse(req, NVME_SC_INVALID_OPCODE);
}
