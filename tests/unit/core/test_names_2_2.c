/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs of releases up to 2.2 have of that age without defining anything: names, other
 * arguments, and what comes with the first of them.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "child.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dma.h"
#include "doca_error.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "doca_types.h"

DOCA_LOG_REGISTER(UNIT::NAMES_2_2);

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

static void arguments_tell_the_age(void **state)
{
	struct doca_buf_inventory *inventory, *inventory_of_2_2;
	struct doca_mmap *mmap, *mmap_of_1_5;
	static char memory[4096];

	(void)state;
	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_create("a name", &mmap_of_1_5));
	assert_err(doca_mmap_start(mmap), INVALID_VALUE);
	assert_ok(doca_mmap_start(mmap_of_1_5));
	assert_ok(doca_mmap_populate(mmap_of_1_5, memory, sizeof(memory), 4096, NULL, NULL));
	assert_ok(doca_buf_inventory_create(1, &inventory));
	assert_ok(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_LINKED_LIST,
					    &inventory_of_2_2));
	assert_ok(doca_buf_inventory_destroy(inventory_of_2_2));
	assert_ok(doca_buf_inventory_destroy(inventory));
	assert_ok(doca_mmap_destroy(mmap_of_1_5));
	assert_ok(doca_mmap_destroy(mmap));
}

/* As both look when a program starts them before they are in a queue. */
static void contexts_know_their_age(void **state)
{
	struct doca_dma *dma, *dma_of_2_2;
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count;

	(void)state;
	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_ok(doca_dev_open(list[0], &dev));
	assert_ok(doca_devinfo_list_destroy(list));
	assert_ok(doca_dma_create(dev, &dma));
	assert_err(doca_ctx_start(doca_dma_as_ctx(dma)), NOT_CONNECTED);
	assert_ok(doca_dma_create(&dma_of_2_2));
	assert_err(doca_ctx_start(doca_dma_as_ctx(dma_of_2_2)), BAD_STATE);
	assert_ok(doca_ctx_dev_add(doca_dma_as_ctx(dma_of_2_2), dev));
	assert_ok(doca_ctx_start(doca_dma_as_ctx(dma_of_2_2)));
	assert_ok(doca_ctx_stop(doca_dma_as_ctx(dma_of_2_2)));
	assert_ok(doca_dma_destroy(dma_of_2_2));
	assert_ok(doca_dma_destroy(dma));
	assert_ok(doca_dev_close(dev));
}

static void use_today(void)
{
	struct doca_mmap *mmap;

	if (doca_mmap_create(&mmap) || doca_mmap_destroy(mmap))
		_exit(97);
}

static void use_mmap(void)
{
	struct doca_mmap *mmap;

	if (doca_mmap_create(NULL, &mmap) || doca_mmap_destroy(mmap))
		_exit(97);
}

static void use_inventory(void)
{
	struct doca_buf_inventory *inventory;

	if (doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory))
		_exit(97);
	doca_buf_inventory_destroy(inventory);
}

static void use_workq(void)
{
	struct doca_workq *workq;

	if (doca_workq_create(1, &workq))
		_exit(97);
	doca_workq_destroy(workq);
}

static void list_devices(void)
{
	struct doca_devinfo **list;
	uint32_t count;

	if (doca_devinfo_list_create(&list, &count))
		_exit(97);
	doca_devinfo_list_destroy(list);
}

static void name_an_error(void)
{
	DOCA_LOG_ERR("what went wrong: %s", doca_get_error_name(DOCA_ERROR_NOT_FOUND));
}

static void tell_an_error(void)
{
	DOCA_LOG_ERR("what went wrong: %s", doca_get_error_string(DOCA_ERROR_NOT_FOUND));
}

static void talk(struct child *parent, void *arg)
{
	void (*use)(void) = *(void (**)(void))arg;

	(void)parent;
	DOCA_LOG_INFO("nobody hears this");
	use();
	DOCA_LOG_INFO("of that age");
}

/* What a child that uses something says on standard error. */
static bool is_heard(void (*use)(void))
{
	int file = memfd_create("log", MFD_CLOEXEC), kept = dup(STDERR_FILENO);
	char said[4096] = "";
	struct child child;

	assert_true(file >= 0 && kept >= 0);
	dup2(file, STDERR_FILENO);
	child = child_start(talk, &use);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_int_equal(child_join(&child), 0);
	assert_true(pread(file, said, sizeof(said) - 1, 0) >= 0);
	close(file);
	assert_null(strstr(said, "nobody"));
	if (use == name_an_error)
		assert_non_null(strstr(said, "what went wrong: DOCA_ERROR_NOT_FOUND"));
	if (use == tell_an_error)
		assert_non_null(strstr(said, "what went wrong: Not found"));
	return strstr(said, "of that age");
}

static void messages_need_no_backend_then(void **state)
{
	(void)state;
	assert_false(is_heard(use_today));
	assert_true(is_heard(use_mmap));
	assert_true(is_heard(use_inventory));
	assert_true(is_heard(use_workq));
	assert_true(is_heard(list_devices));
	assert_true(is_heard(name_an_error));
	assert_true(is_heard(tell_an_error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first, since the others say something of that age in this process */
		cmocka_unit_test(messages_need_no_backend_then),
		cmocka_unit_test(devices_answer_as_today),
		cmocka_unit_test(kinds_have_short_names),
		cmocka_unit_test(there_can_be_many_contexts),
		cmocka_unit_test(arguments_tell_the_age),
		cmocka_unit_test(contexts_know_their_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
