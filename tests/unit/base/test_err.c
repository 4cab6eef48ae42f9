/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of the system as codes of the interface.
 */
#include "test.h"

#include <errno.h>
#include "base/err.h"
#include "leak.h"

static void errno_becomes_a_code(void **state)
{
	static const struct {
		int err;
		doca_error_t code;
	} cases[] = {
		{EAGAIN, DOCA_ERROR_AGAIN},
		{ENOMEM, DOCA_ERROR_NO_MEMORY},
		{ENOSPC, DOCA_ERROR_NO_MEMORY},
		{ENOBUFS, DOCA_ERROR_NO_MEMORY},
		{EMFILE, DOCA_ERROR_FULL},
		{ENFILE, DOCA_ERROR_FULL},
		{ETOOMANYREFS, DOCA_ERROR_FULL},
		{EACCES, DOCA_ERROR_NOT_PERMITTED},
		{EPERM, DOCA_ERROR_NOT_PERMITTED},
		{EADDRINUSE, DOCA_ERROR_IN_USE},
		{ENOENT, DOCA_ERROR_NOT_FOUND},
		{ECONNREFUSED, DOCA_ERROR_NOT_CONNECTED},
		{EPIPE, DOCA_ERROR_CONNECTION_RESET},
		{ECONNRESET, DOCA_ERROR_CONNECTION_RESET},
		{ENOTCONN, DOCA_ERROR_CONNECTION_RESET},
		{EIO, DOCA_ERROR_OPERATING_SYSTEM},
		{0, DOCA_ERROR_OPERATING_SYSTEM},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(priv_err_from_errno(cases[i].err), cases[i].code);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(errno_becomes_a_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
