/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA completions: order, room, and who is triggered when.
 */
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>
#include "dpa/completion.h"
#include "rig.h"

static _Atomic uint64_t begun;

static void count(uint64_t arg)
{
	(void)arg;
	atomic_fetch_add(&begun, 1);
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(counts, count)

static void poll_for_ever(uint64_t handle)
{
	doca_dpa_dev_completion_element_t element;

	while (1) {
		atomic_fetch_add(&begun, 1);
		if (doca_dpa_dev_get_completion(handle, &element))
			doca_dpa_dev_completion_ack(handle, 1);
	}
}
GLOBAL(polls, poll_for_ever)

static const struct softfield_dpa_func funcs[] = {GLOBAL_ROW(counts), GLOBAL_ROW(polls)};

struct ring {
	struct rig rig;
	struct doca_dpa_thread *thread;
	struct doca_dpa_completion *completion;
	doca_dpa_dev_completion_t handle;
};

static int set_up(void **state)
{
	static struct ring ring;

	rig_init(&ring.rig, funcs, ARRAY_SIZE(funcs));
	atomic_store(&begun, 0);
	ring.thread = add_thread(&ring.rig, counts, 0);
	assert_ok(doca_dpa_completion_create(ring.rig.dpa, 3, &ring.completion)); /* room for 4 */
	assert_ok(doca_dpa_completion_set_thread(ring.completion, ring.thread));
	assert_ok(doca_dpa_completion_start(ring.completion));
	assert_ok(doca_dpa_completion_get_dpa_handle(ring.completion, &ring.handle));
	assert_ok(doca_dpa_thread_run(ring.thread));
	*state = &ring;
	return 0;
}

static int tear_down(void **state)
{
	struct ring *ring = *state;

	assert_ok(doca_dpa_completion_stop(ring->completion));
	assert_ok(doca_dpa_completion_destroy(ring->completion));
	assert_ok(doca_dpa_thread_destroy(ring->thread));
	return rig_fini(&ring->rig);
}

static void push(struct ring *ring, uint32_t user_data)
{
	completion_push_send(ring->completion, user_data, DOCA_SUCCESS);
}

static void pop(struct ring *ring, uint32_t user_data)
{
	doca_dpa_dev_completion_element_t element;

	assert_int_equal(doca_dpa_dev_get_completion(ring->handle, &element), 1);
	assert_int_equal(doca_dpa_dev_get_completion_type(element), DOCA_DPA_DEV_COMP_SEND);
	assert_int_equal(doca_dpa_dev_get_completion_user_data(element), user_data);
	assert_int_equal(doca_dpa_dev_get_completion_immediate(element), 0);
	assert_int_equal(doca_dpa_dev_completion_element_get_error_syndrome(element), 0);
	assert_int_equal(doca_dpa_dev_completion_element_get_qpn(element), 0);
}

static void assert_empty(struct ring *ring)
{
	doca_dpa_dev_completion_element_t element;

	assert_int_equal(doca_dpa_dev_get_completion(ring->handle, &element), 0);
}

static void elements_come_in_order(void **state)
{
	struct ring *ring = *state;

	for (uint32_t i = 0; i < 100; i += 2) {
		push(ring, i);
		push(ring, i + 1);
		pop(ring, i);
		pop(ring, i + 1);
		assert_empty(ring);
		doca_dpa_dev_completion_ack(ring->handle, 2);
	}
}

static void failures_are_told(void **state)
{
	struct ring *ring = *state;
	doca_dpa_dev_completion_element_t element;

	completion_push_send(ring->completion, 1, DOCA_ERROR_IO_FAILED);
	assert_int_equal(doca_dpa_dev_get_completion(ring->handle, &element), 1);
	assert_int_equal(doca_dpa_dev_get_completion_type(element), DOCA_DPA_DEV_COMP_SEND_ERR);
	assert_int_equal(doca_dpa_dev_completion_element_get_error_syndrome(element), 0x05);
}

static void is_empty_when_it_is_started_again(void **state)
{
	struct ring *ring = *state;

	push(ring, 1);
	push(ring, 2);
	pop(ring, 1);
	assert_ok(doca_dpa_completion_stop(ring->completion));
	assert_ok(doca_dpa_completion_start(ring->completion));
	assert_empty(ring);
	for (uint32_t i = 0; i < 4; i++) /* and has all its room */
		push(ring, 10 + i);
	for (uint32_t i = 0; i < 4; i++)
		pop(ring, 10 + i);
	assert_empty(ring);
}

static void what_finds_no_room_is_lost(void **state)
{
	struct ring *ring = *state;
	unsigned int size;

	assert_ok(doca_dpa_completion_get_queue_size(ring->completion, &size));
	assert_int_equal(size, 4);
	for (uint32_t i = 0; i < 6; i++)
		push(ring, i);
	for (uint32_t i = 0; i < 4; i++)
		pop(ring, i);
	assert_empty(ring);
	push(ring, 7); /* read elements stay until they are acknowledged */
	assert_empty(ring);
	doca_dpa_dev_completion_ack(ring->handle, 1000); /* no more than were read */
	push(ring, 8);
	pop(ring, 8);
}

static void triggers_once_for_each_request(void **state)
{
	struct ring *ring = *state;

	push(ring, 0); /* a fresh one is armed */
	wait_until(&begun, 1);
	push(ring, 1);
	pop(ring, 0);
	pop(ring, 1);
	doca_dpa_dev_completion_ack(ring->handle, 2);
	doca_dpa_dev_completion_request_notification(ring->handle);
	assert_int_equal(begun, 1);
	push(ring, 2);
	wait_until(&begun, 2);
	push(ring, 3);
	doca_dpa_dev_completion_request_notification(ring->handle); /* there are unread ones */
	wait_until(&begun, 3);
	pop(ring, 2);
	pop(ring, 3); /* read and not acknowledged is not unread */
	doca_dpa_dev_completion_request_notification(ring->handle);
	assert_true(ring->completion->is_armed);
	doca_dpa_dev_completion_ack(ring->handle, 2);
	assert_ok(doca_dpa_completion_stop(ring->completion));
	assert_ok(doca_dpa_thread_stop(ring->thread));
	assert_int_equal(begun, 3);
	assert_ok(doca_dpa_thread_start(ring->thread));
	assert_ok(doca_dpa_completion_start(ring->completion));
}

static void states_are_checked(void **state)
{
	struct ring *ring = *state;
	struct doca_dpa_thread *thread;
	struct doca_dpa_completion *completion;
	doca_dpa_dev_completion_t handle;

	assert_err(doca_dpa_completion_create(ring->rig.dpa, 0, &completion), INVALID_VALUE);
	assert_err(doca_dpa_completion_create(NULL, 1, &completion), INVALID_VALUE);
	assert_err(doca_dpa_completion_create(ring->rig.dpa, 1, NULL), INVALID_VALUE);
	assert_err(doca_dpa_completion_start(ring->completion), BAD_STATE);
	assert_err(doca_dpa_completion_set_thread(ring->completion, ring->thread), BAD_STATE);
	assert_ok(doca_dpa_completion_get_thread(ring->completion, &thread));
	assert_ptr_equal(thread, ring->thread);
	assert_err(doca_dpa_thread_stop(ring->thread), IN_USE);

	assert_ok(doca_dpa_completion_create(ring->rig.dpa, 1, &completion));
	assert_err(doca_dpa_completion_stop(completion), BAD_STATE);
	assert_err(doca_dpa_completion_get_dpa_handle(completion, &handle), BAD_STATE);
	assert_ok(doca_dpa_completion_get_thread(completion, &thread));
	assert_null(thread);
	assert_ok(doca_dpa_thread_create(ring->rig.dpa, &thread));
	assert_err(doca_dpa_completion_set_thread(completion, thread), BAD_STATE);
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_ok(doca_dpa_completion_start(completion)); /* polled, with no thread */
	assert_ok(doca_dpa_completion_destroy(completion));
}

/* Programs tear down in this order. */
static void may_go_before_the_thread_that_polls_it(void **state)
{
	struct ring *ring = *state;
	struct doca_dpa_completion *completion;
	struct doca_dpa_notification_completion *bell;
	doca_dpa_dev_notification_completion_t bell_handle;
	doca_dpa_dev_completion_t handle;
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_completion_create(ring->rig.dpa, 1, &completion));
	assert_ok(doca_dpa_completion_start(completion));
	assert_ok(doca_dpa_completion_get_dpa_handle(completion, &handle));
	thread = add_thread(&ring->rig, polls, handle);
	assert_ok(doca_dpa_notification_completion_create(ring->rig.dpa, thread, &bell));
	assert_ok(doca_dpa_notification_completion_start(bell));
	assert_ok(doca_dpa_notification_completion_get_dpa_handle(bell, &bell_handle));
	doca_dpa_dev_thread_notify(bell_handle);
	assert_ok(doca_dpa_thread_run(thread));
	wait_until(&begun, 10);
	assert_ok(doca_dpa_notification_completion_destroy(bell));
	assert_ok(doca_dpa_completion_destroy(completion));
	wait_until(&begun, atomic_load(&begun) + 10);
	doca_dpa_dev_thread_notify(bell_handle); /* of nobody */
	assert_ok(doca_dpa_thread_destroy(thread));
}

static void in_a_child_no_thread_is_started(void **state)
{
	struct ring *ring = *state;
	struct doca_dpa_completion *completion;
	pid_t child;
	int status;

	assert_ok(doca_dpa_completion_create(ring->rig.dpa, 1, &completion));
	assert_ok(doca_dpa_completion_set_thread(completion, ring->thread));
	child = fork();
	if (!child)
		_exit(doca_dpa_completion_start(completion) != DOCA_ERROR_BAD_STATE);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_ok(doca_dpa_completion_start(completion));
	assert_ok(doca_dpa_completion_destroy(completion));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(elements_come_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_a_child_no_thread_is_started, set_up, tear_down),
		cmocka_unit_test_setup_teardown(failures_are_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_empty_when_it_is_started_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_finds_no_room_is_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(triggers_once_for_each_request, set_up, tear_down),
		cmocka_unit_test_setup_teardown(may_go_before_the_thread_that_polls_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(states_are_checked, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
