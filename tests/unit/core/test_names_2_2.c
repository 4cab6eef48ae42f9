/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of releases up to 2.2 that stand for something of today.
 */
#define DOCA_LEGACY_2_2
#include "test.h"

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dma.h"
#include "doca_mmap.h"
#include "doca_types.h"

typedef doca_error_t (*answer_t)(const struct doca_devinfo *devinfo, uint8_t *answer);

/* Calls a name that is a macro. */
#define ANSWER(name)                                                                               \
	static doca_error_t name##_of_2_2(const struct doca_devinfo *devinfo, uint8_t *answer)     \
	{                                                                                          \
		return name(devinfo, answer);                                                      \
	}
ANSWER(doca_devinfo_rep_get_is_list_all_supported)
ANSWER(doca_devinfo_rep_get_is_list_net_supported)
ANSWER(doca_devinfo_rep_get_is_list_emulated_supported)
ANSWER(doca_devinfo_get_is_mmap_export_dpu_supported)
ANSWER(doca_devinfo_get_is_mmap_from_export_dpu_supported)
ANSWER(doca_devinfo_get_is_hotplug_manager_supported)

static const struct {
	answer_t old, today;
} answers[] = {
	{doca_devinfo_rep_get_is_list_all_supported_of_2_2,
	 doca_devinfo_rep_cap_is_filter_all_supported},
	{doca_devinfo_rep_get_is_list_net_supported_of_2_2,
	 doca_devinfo_rep_cap_is_filter_net_supported},
	{doca_devinfo_rep_get_is_list_emulated_supported_of_2_2,
	 doca_devinfo_rep_cap_is_filter_emulated_supported},
	{doca_devinfo_get_is_mmap_export_dpu_supported_of_2_2,
	 doca_mmap_cap_is_export_pci_supported},
	{doca_devinfo_get_is_mmap_from_export_dpu_supported_of_2_2,
	 doca_mmap_cap_is_create_from_export_pci_supported},
	{doca_devinfo_get_is_hotplug_manager_supported_of_2_2,
	 doca_devinfo_cap_is_hotplug_manager_supported},
};

static void devices_answer_as_today(void **state)
{
	struct doca_devinfo **list;
	uint32_t count, today, old;

	(void)state;
	assert_ok(doca_devinfo_list_create(&list, &count));
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		uint8_t expected = 0x55, answer = 0xaa;

		assert_err(answers[i].old(NULL, &answer), INVALID_VALUE);
		assert_err(answers[i].old(list[0], NULL), INVALID_VALUE);
		assert_ok(answers[i].today(list[0], &expected));
		assert_ok(answers[i].old(list[0], &answer));
		assert_int_equal(answer, expected);
	}
	assert_ok(doca_dma_cap_task_memcpy_get_max_buf_list_len(list[0], &today));
	assert_ok(doca_dma_get_max_list_buf_num_elem(list[0], &old));
	assert_int_equal(old, today);
	assert_ok(doca_devinfo_list_destroy(list));
}

static void kinds_have_short_names(void **state)
{
	enum doca_pci_func_type type = DOCA_PCI_FUNC_SF;

	(void)state;
	assert_int_equal(type, DOCA_PCI_FUNC_TYPE_SF);
	assert_int_equal(DOCA_PCI_FUNC_VF, DOCA_PCI_FUNC_TYPE_VF);
	assert_int_equal(DOCA_PCI_FUNC_PF, DOCA_PCI_FUNC_TYPE_PF);
	assert_int_equal(DOCA_DEV_REP_FILTER_EMULATED, DOCA_DEVINFO_REP_FILTER_EMULATED);
}

static void there_can_be_many_contexts(void **state)
{
	uint32_t count = 0;

	(void)state;
	assert_err(doca_ctx_get_max_num_ctx(NULL), INVALID_VALUE);
	assert_ok(doca_ctx_get_max_num_ctx(&count));
	assert_int_equal(count, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_answer_as_today),
		cmocka_unit_test(kinds_have_short_names),
		cmocka_unit_test(there_can_be_many_contexts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
