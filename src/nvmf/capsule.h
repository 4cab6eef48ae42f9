/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is inside a command capsule whatever carried it, and the private data of NVMe/RDMA
 * connections.
 */
#ifndef SOFTFIELD_NVMF_CAPSULE_H
#define SOFTFIELD_NVMF_CAPSULE_H

#include <stdbool.h>
#include "nvme/spec.h"

enum capsule_transport { CAPSULE_TCP, CAPSULE_RDMA };

enum capsule_place {
	CAPSULE_NO_DATA,
	CAPSULE_IN_CAPSULE, /* addr: offset behind the command */
	CAPSULE_KEYED,	    /* addr and key: memory of the host */
	CAPSULE_TRANSPORT,  /* the transport knows how to ask for it */
};

struct capsule_data {
	enum capsule_place place;
	bool invalidate; /* the host wants its key invalidated with the response */
	uint32_t size;
	uint32_t key;
	uint64_t addr;
};

enum capsule_direction { CAPSULE_NONE, CAPSULE_TO_TARGET, CAPSULE_TO_HOST, CAPSULE_BOTH };

/* Base 3.3.3.1: the two low bits of the opcode (of the command type in a fabrics command) */
enum capsule_direction capsule_direction(const struct nvme_cmd *cmd);

/*
 * Where the data of a command is. in_capsule: bytes that came with the command. Returns a status
 * field, NVME_SC_SUCCESS if the descriptor makes sense for the transport.
 */
uint16_t capsule_parse_sgl(const struct nvme_cmd *cmd, enum capsule_transport transport,
			   uint32_t in_capsule, struct capsule_data *ret_data);

/* RDMA Transport Specification 1.0, 3.1: private data of the connection manager */
#define CAPSULE_CM_SIZE 32u

enum capsule_cm_status {
	CAPSULE_CM_OK = 0,
	CAPSULE_CM_LENGTH = 1,
	CAPSULE_CM_RECFMT = 2,
	CAPSULE_CM_QID = 3,
	CAPSULE_CM_HSQSIZE = 4,
	CAPSULE_CM_HRQSIZE = 5,
	CAPSULE_CM_RESOURCES = 6,
	CAPSULE_CM_IRD = 7,
	CAPSULE_CM_ORD = 8,
};

struct capsule_cm_request {
	uint16_t qid;
	uint16_t hrqsize; /* 1-based */
	uint16_t hsqsize; /* entries */
	uint16_t cntlid;
};

enum capsule_cm_status capsule_decode_cm_request(const void *data, size_t size,
						 struct capsule_cm_request *ret_request);
void capsule_encode_cm_accept(uint8_t data[CAPSULE_CM_SIZE], uint16_t crqsize);
void capsule_encode_cm_reject(uint8_t data[4], enum capsule_cm_status status);

#endif
