/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPA code asks an element for that only a queue pair of a card could tell.
 */
#include "doca_dpa_dev.h"

#define WORK_REQUEST_FLUSHED 0x05

uint32_t
doca_dpa_dev_completion_element_get_swqe_opcode(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint32_t doca_dpa_dev_completion_element_get_srqn(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint32_t doca_dpa_dev_completion_element_get_qpn(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint32_t
doca_dpa_dev_completion_element_get_wqe_counter(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint32_t
doca_dpa_dev_completion_element_get_received_bytes(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint32_t
doca_dpa_dev_completion_element_get_error_syndrome(doca_dpa_dev_completion_element_t comp_element)
{
	switch (doca_dpa_dev_get_completion_type(comp_element)) {
	case DOCA_DPA_DEV_COMP_SEND_ERR:
	case DOCA_DPA_DEV_COMP_RECV_ERR:
		return WORK_REQUEST_FLUSHED;
	default:
		return 0;
	}
}

uint32_t doca_dpa_dev_completion_element_get_vendor_error_syndrome(
	doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint64_t
doca_dpa_dev_completion_element_get_timestamp(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}
