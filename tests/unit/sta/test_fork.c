/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A target that a child of fork() inherits: idle there, and can be cleaned up; the parent goes on.
 */
#include "api.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child has found out. */
static int exit_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

#define CHILD_OK(truth)                                                                            \
	do {                                                                                       \
		if (!(truth))                                                                      \
			_exit(__LINE__ & 0x7f);                                                    \
	} while (0)

static void clean_up_in_child(struct api *api, struct doca_sta_qp_handle *qp)
{
	struct doca_sta_be_handle *be;
	enum doca_ctx_states state;
	uint32_t count = 0;

	alarm(60);
	CHILD_OK(!doca_ctx_get_state(doca_sta_as_ctx(api->sta), &state) &&
		 state == DOCA_CTX_STATE_IDLE);
	CHILD_OK(!doca_ctx_get_state(doca_sta_io_as_ctx(api->io), &state) &&
		 state == DOCA_CTX_STATE_IDLE);
	CHILD_OK(!doca_pe_progress(api->pe));
	CHILD_OK(doca_sta_be_create(api->sta, &be) == DOCA_ERROR_BAD_STATE);
	CHILD_OK(doca_sta_get_eu_handle(api->sta, NULL, &count) == DOCA_ERROR_BAD_STATE);
	CHILD_OK(!doca_sta_io_qp_connect_established(api->io, qp));
	CHILD_OK(!doca_ctx_stop(doca_sta_io_as_ctx(api->io)));
	CHILD_OK(!doca_sta_io_qp_destroy(api->io, qp));
	CHILD_OK(!doca_sta_io_destroy(api->io));
	CHILD_OK(!doca_sta_subsystem_rm_ns(api->subs, api->ns));
	CHILD_OK(!doca_sta_subsystem_destroy(api->subs));
	CHILD_OK(!doca_sta_be_destroy(api->be));
	CHILD_OK(!softfield_sta_disk_close(api->disk));
	CHILD_OK(!doca_ctx_stop(doca_sta_as_ctx(api->sta)));
	CHILD_OK(doca_ctx_start(doca_sta_as_ctx(api->sta)));
	CHILD_OK(!doca_sta_destroy(api->sta));
	CHILD_OK(!doca_pe_destroy(api->pe));
	_exit(0);
}

static void is_idle_in_a_child(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	pid_t pid = fork();

	if (!pid)
		clean_up_in_child(api, qp);
	assert_int_equal(exit_status(pid), 0);
	api_disconnect(api, qp); /* all is there yet */
}

static void sockets_are_not_inherited(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp;
	int sock[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock), 0);
	assert_ok(softfield_sta_io_qp_connect_tcp(api->io, api->dev, sock[1], NULL, &qp));
	pid = fork();
	if (!pid)
		_exit(fcntl(sock[1], F_GETFD) < 0 ? 0 : 1);
	assert_int_equal(exit_status(pid), 0);
	api_disconnect(api, qp);
	close(sock[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(is_idle_in_a_child),
		API_TEST(sockets_are_not_inherited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
