/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SGL descriptors and the private data of NVMe/RDMA connections.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "nvmf/capsule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capsule_cm_request request;
	struct capsule_data where;
	struct nvme_cmd cmd;
	uint32_t in_capsule;

	if (capsule_decode_cm_request(data, size, &request) == CAPSULE_CM_OK)
		assert(request.hsqsize >= 2 && request.hrqsize);
	if (size < sizeof(cmd) + 2)
		return 0;
	memcpy(&cmd, data, sizeof(cmd));
	in_capsule = data[sizeof(cmd)] | (uint32_t)(data[sizeof(cmd) + 1] & 0x1f) << 8;
	capsule_direction(&cmd);
	if (capsule_parse_sgl(&cmd, CAPSULE_TCP, in_capsule, &where) == NVME_SC_SUCCESS &&
	    where.place == CAPSULE_IN_CAPSULE)
		assert(where.addr + where.size <= in_capsule);
	if (capsule_parse_sgl(&cmd, CAPSULE_RDMA, in_capsule, &where) == NVME_SC_SUCCESS &&
	    where.place == CAPSULE_KEYED)
		assert(where.size < 1u << 24);
	return 0;
}
