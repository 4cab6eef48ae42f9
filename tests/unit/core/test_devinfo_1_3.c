/* SPDX-License-Identifier: BSD-3-Clause */
/* Representors as a program of release 1.3 finds them: as remote devices, by their VUID. */
#include "test.h"

#include <string.h>
#include "devices.h"
#include "doca_dev.h"
#include "leak.h"

#define VUID_SIZE 128

/* As the common files of that release have it. */
static doca_error_t open_remote(struct doca_dev *local, enum doca_dev_remote_filter filter,
				enum doca_devinfo_remote_property property, const char *value,
				struct doca_dev_remote **ret_dev)
{
	struct doca_devinfo_remote **list;
	uint8_t seen[VUID_SIZE] = {0};
	doca_error_t err = DOCA_ERROR_NOT_FOUND;
	uint32_t count;

	assert_ok(doca_devinfo_remote_list_create(local, filter, &list, &count));
	for (uint32_t i = 0; i < count && err; i++) {
		assert_ok(doca_devinfo_remote_property_get(list[i], property, seen, sizeof(seen)));
		if (!strcmp((const char *)seen, value))
			err = doca_dev_remote_open(list[i], ret_dev);
	}
	assert_ok(doca_devinfo_remote_list_destroy(list));
	return err;
}

static void a_remote_device_is_found_by_its_vuid(void **state)
{
	struct leak before = leak_count();
	struct doca_dev *dev = open_dev("0000:03:00.0");
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE] = "", seen[DOCA_DEVINFO_REP_VUID_SIZE] = "";
	struct doca_devinfo_rep **list;
	struct doca_dev_remote *remote;
	uint32_t count;

	(void)state;
	assert_ok(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
	assert_true(count > 1);
	assert_ok(doca_devinfo_rep_get_vuid(list[1], vuid, sizeof(vuid)));
	assert_ok(doca_devinfo_rep_destroy_list(list));
	assert_ok(open_remote(dev, DOCA_DEV_REMOTE_FILTER_NET, DOCA_DEVINFO_REMOTE_PROPERTY_VUID,
			      vuid, &remote));
	assert_ok(doca_devinfo_rep_get_vuid(doca_dev_rep_as_devinfo(remote), seen, sizeof(seen)));
	assert_string_equal(seen, vuid);
	assert_ok(doca_dev_remote_close(remote));
	assert_err(open_remote(dev, DOCA_DEV_REMOTE_FILTER_ALL, DOCA_DEVINFO_REMOTE_PROPERTY_VUID,
			       "nobody", &remote),
		   NOT_FOUND);
	assert_ok(doca_dev_close(dev));
	assert_true(leak_check(&before));
}

static void a_device_tells_its_vuid(void **state)
{
	struct doca_devinfo **list;
	uint32_t count;
	uint8_t first[VUID_SIZE] = {0}, second[VUID_SIZE] = {0};

	(void)state;
	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_true(count > 1);
	assert_ok(doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_VUID, first, VUID_SIZE));
	assert_ok(
		doca_devinfo_property_get(list[1], DOCA_DEVINFO_PROPERTY_VUID, second, VUID_SIZE));
	assert_true(strlen((const char *)first) > 0);
	assert_string_not_equal((const char *)first, (const char *)second);
	assert_err(doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_VUID, first,
					     VUID_SIZE - 1),
		   INVALID_VALUE);
	assert_ok(doca_devinfo_list_destroy(list));
}

static void what_is_wrong_is_refused(void **state)
{
	struct doca_dev *dev = open_dev("0000:03:00.0");
	struct doca_devinfo_remote **list;
	uint8_t value[VUID_SIZE];
	uint32_t count;

	(void)state;
	assert_ok(doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_NET, &list, &count));
	assert_err(doca_devinfo_remote_property_get(NULL, DOCA_DEVINFO_REMOTE_PROPERTY_VUID, value,
						    sizeof(value)),
		   INVALID_VALUE);
	assert_err(doca_devinfo_remote_property_get(list[0], DOCA_DEVINFO_REMOTE_PROPERTY_VUID,
						    NULL, sizeof(value)),
		   INVALID_VALUE);
	assert_err(doca_devinfo_remote_property_get(list[0], DOCA_DEVINFO_REMOTE_PROPERTY_VUID,
						    value, sizeof(value) - 1),
		   INVALID_VALUE);
	assert_err(doca_devinfo_remote_property_get(list[0], (enum doca_devinfo_remote_property)7,
						    value, sizeof(value)),
		   NOT_SUPPORTED);
	assert_ok(doca_devinfo_remote_list_destroy(list));
	assert_ok(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_remote_device_is_found_by_its_vuid),
		cmocka_unit_test(a_device_tells_its_vuid),
		cmocka_unit_test(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
