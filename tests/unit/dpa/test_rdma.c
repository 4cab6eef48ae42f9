/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA from DPA code: each function is there, changes nothing, and is an error of the DPA code.
 */
#include "test.h"

#include "doca_dpa_dev_rdma.h"
#include "rig.h"

enum {
	FUNCTIONS = 17,
};

static uint64_t memory = 77;

static void call_it(uint64_t which)
{
	const uint64_t addr = (uintptr_t)&memory;

	switch (which) {
	case 0:
		doca_dpa_dev_rdma_post_read(1, 0, 2, addr, 3, addr, 8, 0);
		break;
	case 1:
		doca_dpa_dev_rdma_post_buf_read(1, 0, 2, 3, 0);
		break;
	case 2:
		doca_dpa_dev_rdma_post_write(1, 0, 2, addr, 3, addr, 8, 0);
		break;
	case 3:
		doca_dpa_dev_rdma_post_buf_write(1, 0, 2, 3, 0);
		break;
	case 4:
		doca_dpa_dev_rdma_post_write_imm(1, 0, 2, addr, 3, addr, 8, 9, 0);
		break;
	case 5:
		doca_dpa_dev_rdma_post_buf_write_imm(1, 0, 2, 3, 9, 0);
		break;
	case 6:
		doca_dpa_dev_rdma_post_send(1, 0, 2, addr, 8, 0);
		break;
	case 7:
		doca_dpa_dev_rdma_post_buf_send(1, 0, 2, 0);
		break;
	case 8:
		doca_dpa_dev_rdma_post_send_imm(1, 0, 2, addr, 8, 9, 0);
		break;
	case 9:
		doca_dpa_dev_rdma_post_buf_send_imm(1, 0, 2, 9, 0);
		break;
	case 10:
		doca_dpa_dev_rdma_post_receive(1, 2, addr, 8);
		break;
	case 11:
		doca_dpa_dev_rdma_post_buf_receive(1, 2);
		break;
	case 12:
		doca_dpa_dev_rdma_receive_ack(1, 1);
		break;
	case 13:
		doca_dpa_dev_rdma_post_atomic_fetch_add(1, 0, 2, addr, 1, 0);
		break;
	case 14:
		doca_dpa_dev_rdma_post_buf_atomic_fetch_add(1, 0, 2, 1, 0);
		break;
	case 15:
		doca_dpa_dev_rdma_signal_set(1, 0, 2, 1);
		break;
	default:
		doca_dpa_dev_rdma_signal_add(1, 0, 2, 1);
		break;
	}
}

static uint64_t call_in_rpc(uint64_t which)
{
	call_it(which);
	return 1;
}
RPC(calls, call_in_rpc)

static const struct softfield_dpa_func funcs[] = {
	RPC_ROW(calls),
};

static void every_call_is_an_error_of_the_dpa_code(void **state)
{
	(void)state;
	for (uint64_t which = 0; which < FUNCTIONS; which++) {
		struct rig rig;
		uint64_t result = 0;

		rig_init(&rig, funcs, ARRAY_SIZE(funcs));
		assert_ok(doca_dpa_peek_at_last_error(rig.dpa));
		assert_ok(doca_dpa_rpc(rig.dpa, calls, &result, which));
		assert_int_equal(result, 1);
		assert_err(doca_dpa_peek_at_last_error(rig.dpa), BAD_STATE);
		assert_int_equal(rig_fini(&rig), 0);
	}
	assert_int_equal(memory, 77);
}

static void the_cpu_may_call_them_too(void **state)
{
	(void)state;
	for (uint64_t which = 0; which < FUNCTIONS; which++)
		call_it(which);
	assert_int_equal(memory, 77);
	assert_int_equal(doca_dpa_dev_rdma_completion_get_wr_index(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_is_an_error_of_the_dpa_code),
		cmocka_unit_test(the_cpu_may_call_them_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
