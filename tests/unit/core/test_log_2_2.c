/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log backends by the names of releases up to 2.2.
 */
#define DOCA_LEGACY_2_2
#include "test.h"

#include <stdio.h>
#include <string.h>
#include "doca_log.h"

DOCA_LOG_REGISTER(UNIT::LOG_2_2);

static char record[256];
static unsigned int records;

static void count_record(char *buf)
{
	assert_ptr_equal(buf, record);
	records++;
}

static void log_backends_have_levels(void **state)
{
	struct doca_logger_backend *buffer, *syslog;
	uint32_t level = doca_log_global_level_get();

	(void)state;
	assert_ok(doca_log_create_buffer_backend(record, sizeof(record), count_record, &buffer));
	assert_ok(doca_log_create_syslog_backend("names-of-2-0", &syslog));
	assert_ok(doca_log_global_level_set(DOCA_LOG_LEVEL_WARNING));
	assert_int_equal(doca_log_global_level_get(), DOCA_LOG_LEVEL_WARNING);
	assert_ok(doca_log_backend_level_set(syslog, DOCA_LOG_LEVEL_DISABLE));
	DOCA_LOG_INFO("below the level");
	assert_int_equal(records, 0);
	assert_ok(doca_log_backend_level_set(buffer, DOCA_LOG_LEVEL_INFO));
	DOCA_DLOG_INFO("for development"); /* nothing: test_log_1_5.c allows it */
	assert_int_equal(records, 0);
	DOCA_LOG_INFO("at the level");
	assert_int_equal(records, 1);
	assert_non_null(strstr(record, "at the level"));
	assert_ok(doca_log_backend_level_set(buffer, DOCA_LOG_LEVEL_DISABLE));
	assert_ok(doca_log_global_level_set(level));
}

static void a_log_backend_writes_to_a_file(void **state)
{
	struct doca_logger_backend *backend;
	char text[256] = "";
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_ok(doca_log_create_file_backend(file, &backend));
	DOCA_LOG_ERR("to the file");
	rewind(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_non_null(strstr(text, "to the file"));
	/* it stays until the program ends */
	assert_ok(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_DISABLE));
}

static char other_record[256];

static void take_other_record(char *buf)
{
	assert_ptr_equal(buf, other_record);
}

static void up_to_1_4_backends_are_returned(void **state)
{
	struct doca_logger_backend *buffer, *syslog, *in_file;
	char text[256] = "";
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	in_file = doca_log_create_file_backend(file);
	buffer = doca_log_create_buffer_backend(other_record, sizeof(other_record),
						take_other_record);
	syslog = doca_log_create_syslog_backend("names-of-1-3");
	assert_true(in_file && buffer && syslog);
	assert_ok(doca_log_backend_level_set(syslog, DOCA_LOG_LEVEL_DISABLE));
	DOCA_LOG_ERR("to both");
	assert_non_null(strstr(other_record, "to both"));
	rewind(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_non_null(strstr(text, "to both"));
	assert_ok(doca_log_backend_level_set(in_file, DOCA_LOG_LEVEL_DISABLE));
	assert_ok(doca_log_backend_level_set(buffer, DOCA_LOG_LEVEL_DISABLE));
	assert_null(doca_log_create_file_backend(NULL));
	assert_null(doca_log_create_buffer_backend(NULL, 1, count_record));
	assert_null(doca_log_create_syslog_backend(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_backends_have_levels),
		cmocka_unit_test(a_log_backend_writes_to_a_file),
		cmocka_unit_test(up_to_1_4_backends_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
