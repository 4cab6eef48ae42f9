/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SGL descriptors of capsules, private data of NVMe/RDMA connections.
 */
#include "nvmf/capsule.h"

#include <string.h>
#include "base/wire.h"

enum capsule_direction capsule_direction(const struct nvme_cmd *cmd)
{
	/* the type of a fabrics command is in its byte 4 */
	uint32_t code = cmd->opcode == NVME_CMD_FABRICS ? le32toh(cmd->nsid) : cmd->opcode;

	return (enum capsule_direction)(code & 3);
}

static uint32_t keyed_length(const struct nvme_sgl *sgl)
{
	return sgl->length24[0] | (uint32_t)sgl->length24[1] << 8 |
	       (uint32_t)sgl->length24[2] << 16;
}

static uint16_t parse_keyed(const struct nvme_sgl *sgl, struct capsule_data *data)
{
	uint32_t key;

	memcpy(&key, sgl->key, sizeof(key));
	data->place = CAPSULE_KEYED;
	data->size = keyed_length(sgl);
	data->key = le32toh(key);
	data->invalidate = sgl->keyed_type == NVME_SGL_KEYED_INVALIDATE;
	return NVME_SC_SUCCESS;
}

static uint16_t parse_in_capsule(struct capsule_data *data, uint32_t in_capsule)
{
	data->place = CAPSULE_IN_CAPSULE;
	if (data->addr > in_capsule)
		return NVME_SC_SGL_OFFSET | NVME_SC_DNR;
	if (data->size > in_capsule - data->addr)
		return NVME_SC_SGL_DATA_LENGTH | NVME_SC_DNR;
	return NVME_SC_SUCCESS;
}

static uint16_t parse(const struct nvme_sgl *sgl, enum capsule_transport transport,
		      uint32_t in_capsule, struct capsule_data *data)
{
	static const struct nvme_sgl none;

	if (memcmp(sgl, &none, sizeof(none)) == 0) /* a command without data: nothing was set */
		return NVME_SC_SUCCESS;
	if (sgl->type == NVME_SGL_DATA_OFFSET)
		return parse_in_capsule(data, in_capsule);
	if (transport == CAPSULE_RDMA &&
	    (sgl->type == NVME_SGL_KEYED || sgl->type == NVME_SGL_KEYED_INVALIDATE))
		return parse_keyed(sgl, data);
	if (transport == CAPSULE_TCP && sgl->type == NVME_SGL_TRANSPORT) {
		data->place = CAPSULE_TRANSPORT;
		return NVME_SC_SUCCESS;
	}
	return NVME_SC_SGL_TYPE | NVME_SC_DNR;
}

uint16_t capsule_parse_sgl(const struct nvme_cmd *cmd, enum capsule_transport transport,
			   uint32_t in_capsule, struct capsule_data *ret_data)
{
	struct capsule_data data = {
		.place = CAPSULE_NO_DATA,
		.addr = le64toh(cmd->sgl.addr),
		.size = le32toh(cmd->sgl.length),
	};
	uint16_t status = parse(&cmd->sgl, transport, in_capsule, &data);

	if (status)
		return status;
	if (!data.size)
		data.place = CAPSULE_NO_DATA;
	*ret_data = data;
	return NVME_SC_SUCCESS;
}

enum capsule_cm_status capsule_decode_cm_request(const void *data, size_t size,
						 struct capsule_cm_request *ret_request)
{
	struct wire_reader r = wire_reader(data, size);
	uint16_t recfmt = wire_get_u16(&r);
	struct capsule_cm_request request = {
		.qid = wire_get_u16(&r),
		.hrqsize = wire_get_u16(&r),
		.hsqsize = wire_get_u16(&r),
		.cntlid = wire_get_u16(&r),
	};

	if (size < CAPSULE_CM_SIZE || r.failed)
		return CAPSULE_CM_LENGTH;
	if (recfmt)
		return CAPSULE_CM_RECFMT;
	if (!request.hrqsize)
		return CAPSULE_CM_HRQSIZE;
	if (!request.hsqsize || request.hsqsize == UINT16_MAX) /* 0-based: at least two entries */
		return CAPSULE_CM_HSQSIZE;
	request.hsqsize++;
	*ret_request = request;
	return CAPSULE_CM_OK;
}

void capsule_encode_cm_accept(uint8_t data[CAPSULE_CM_SIZE], uint16_t crqsize)
{
	struct wire_writer w = wire_writer(data, CAPSULE_CM_SIZE);

	memset(data, 0, CAPSULE_CM_SIZE);
	wire_put_u16(&w, 0);
	wire_put_u16(&w, crqsize);
}

void capsule_encode_cm_reject(uint8_t data[4], enum capsule_cm_status status)
{
	struct wire_writer w = wire_writer(data, 4);

	wire_put_u16(&w, 0);
	wire_put_u16(&w, (uint16_t)status);
}
