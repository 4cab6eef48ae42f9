/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: when callbacks may be registered, and what is in each kind.
 */
#include "api.h"

static struct doca_sta_event_cqe_notify notify_event;
static struct nvme_cqe notified;

static void on_timeout(const struct doca_sta_event_be_timeout *event, union doca_data data)
{
	(void)event;
	(void)data;
}

static void on_old_timeout(const struct doca_sta_event_back_end_timeout *event,
			   union doca_data data)
{
	(void)event;
	(void)data;
}

static void on_eu_error(const struct doca_sta_event_eu_err *event, union doca_data data)
{
	(void)event;
	(void)data;
}

static void on_notify(const struct doca_sta_event_cqe_notify *event, union doca_data data)
{
	const struct doca_sta_subs_handle *subs;
	const struct doca_sta_qp_handle *qp;
	enum doca_sta_cqe_notify_type type;
	struct api *api = data.ptr;
	uint16_t location;

	api->notified++;
	assert_ok(doca_sta_event_cqe_notify_get_subsystem_handle(event, &subs));
	assert_ptr_equal(subs, api->subs);
	assert_ok(doca_sta_event_cqe_notify_get_qp_handle(event, &qp));
	assert_ptr_equal(qp, api->cmd_qp);
	assert_ok(doca_sta_event_cqe_notify_get_cqe_notify_type(event, &type));
	assert_int_equal(type, DOCA_STA_CQE_NOTIF_NVME_OF_VALIDATION_ERR);
	assert_ok(doca_sta_event_cqe_notify_get_param_err_location(event, &location));
	assert_int_equal(location, 4); /* byte of the namespace */
	assert_ok(doca_sta_event_cqe_notify_get_cqe(event, (uint8_t *)&notified));
}

static void callbacks_are_registered_before_the_start(void **state)
{
	struct api *api = *state;
	const union doca_data none = {0};
	struct doca_sta *sta = api->sta;

	assert_err(doca_sta_event_be_timeout_register_cb(NULL, on_timeout, none), INVALID_VALUE);
	assert_err(doca_sta_event_be_timeout_register_cb(sta, NULL, none), INVALID_VALUE);
	assert_err(doca_sta_event_eu_err_register_cb(sta, NULL, none), INVALID_VALUE);
	assert_err(doca_sta_event_cqe_notify_register_cb(sta, NULL, none), INVALID_VALUE);
	assert_ok(doca_sta_event_be_timeout_register_cb(sta, on_timeout, none));
	assert_ok(doca_sta_event_back_end_timeout_register_cb(sta, on_old_timeout, none));
	assert_ok(doca_sta_event_eu_err_register_cb(sta, on_eu_error, none));
	assert_ok(doca_sta_event_cqe_notify_register_cb(sta, on_notify, none));
	assert_ok(doca_ctx_start(doca_sta_as_ctx(sta)));
	assert_err(doca_sta_event_be_timeout_register_cb(sta, on_timeout, none), BAD_STATE);
	assert_err(doca_sta_event_back_end_timeout_register_cb(sta, on_old_timeout, none),
		   BAD_STATE);
	assert_err(doca_sta_event_eu_err_register_cb(sta, on_eu_error, none), BAD_STATE);
	assert_err(doca_sta_event_cqe_notify_register_cb(sta, on_notify, none), BAD_STATE);
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(sta)));
}

static void transport_errors(void **state)
{
	const struct doca_sta_qp_handle *qp, handle = {0};
	const struct doca_sta_event_transport_err event = {.qp = &handle, .error = {1, 2, 3}};
	uint32_t number;

	(void)state;
	assert_ok(doca_sta_event_transport_err_get_qp_handle(&event, &qp));
	assert_ptr_equal(qp, &handle);
	assert_ok(doca_sta_event_transport_err_get_operation(&event, &number));
	assert_int_equal(number, 1);
	assert_ok(doca_sta_event_transport_err_get_syndrome(&event, &number));
	assert_int_equal(number, 2);
	assert_ok(doca_sta_event_transport_err_get_vendor_syndrome(&event, &number));
	assert_int_equal(number, 3);
	assert_err(doca_sta_event_transport_err_get_syndrome(NULL, &number), INVALID_VALUE);
	assert_err(doca_sta_event_transport_err_get_syndrome(&event, NULL), INVALID_VALUE);
}

static void time_outs(void **state)
{
	const struct doca_sta_be_q_handle *queue,
		be_q = {
			.be = (struct doca_sta_be_handle *)(uintptr_t)64,
		};
	const struct doca_sta_event_be_timeout event = {.be_q = &be_q};
	const struct doca_sta_be_handle *be;

	(void)state;
	assert_ok(doca_sta_event_be_timeout_get_be_handle(&event, &be));
	assert_ptr_equal(be, be_q.be);
	assert_ok(doca_sta_event_be_timeout_get_be_queue_handle(&event, &queue));
	assert_ptr_equal(queue, &be_q);
	assert_err(doca_sta_event_be_timeout_get_be_handle(NULL, &be), INVALID_VALUE);
	assert_err(doca_sta_event_be_timeout_get_be_queue_handle(&event, NULL), INVALID_VALUE);
}

/* of a fatal one nobody knows whose it is */
static void errors_of_units(void **state)
{
	const struct doca_sta_eu_handle *eu = NULL, handle = {0};
	const struct doca_sta_event_eu_err one = {.eu = &handle}, fatal = {.eu = NULL};
	bool is_fatal;

	(void)state;
	assert_ok(doca_sta_event_eu_err_is_fatal_error(&one, &is_fatal));
	assert_false(is_fatal);
	assert_ok(doca_sta_event_eu_err_get_eu_handle(&one, &eu));
	assert_ptr_equal(eu, &handle);
	assert_ok(doca_sta_event_eu_err_is_fatal_error(&fatal, &is_fatal));
	assert_true(is_fatal);
	assert_err(doca_sta_event_eu_err_get_eu_handle(&fatal, &eu), NOT_FOUND);
	assert_ptr_equal(eu, &handle);
	assert_err(doca_sta_event_eu_err_get_eu_handle(NULL, &eu), INVALID_VALUE);
	assert_err(doca_sta_event_eu_err_is_fatal_error(&one, NULL), INVALID_VALUE);
}

static void what_failed_commands_were(void **state)
{
	const struct sta_notify notify = {.kind = STA_NOTIFY_COMPLETION,
					  .opcode = 2,
					  .cid = 9,
					  .nsid = 0x12345,
					  .lba = 1ull << 40,
					  .location = 0x1ff};
	enum doca_sta_cqe_notify_type type;
	uint16_t cid, nsid, location;
	uint8_t opcode;
	uint64_t lba;

	(void)state;
	notify_event.notify = &notify;
	assert_ok(doca_sta_event_cqe_notify_get_cqe_notify_type(&notify_event, &type));
	assert_int_equal(type, DOCA_STA_CQE_NOTIF_NVME_COMP_ERR);
	assert_ok(doca_sta_event_cqe_notify_get_capsule_params(&notify_event, &opcode, &cid, &nsid,
							       &lba));
	assert_int_equal(opcode, 2);
	assert_int_equal(cid, 9);
	assert_int_equal(nsid, 0x2345); /* the accessor has 16 bits */
	assert_true(lba == 1ull << 40);
	assert_ok(doca_sta_event_cqe_notify_get_param_err_location(&notify_event, &location));
	assert_int_equal(location, 0x1ff);
	assert_err(doca_sta_event_cqe_notify_get_capsule_params(&notify_event, &opcode, &cid, &nsid,
								NULL),
		   INVALID_VALUE);
	assert_err(doca_sta_event_cqe_notify_get_cqe(&notify_event, NULL), INVALID_VALUE);
}

static int setup_listening(void **state)
{
	struct api *api = api_create();

	assert_ok(doca_sta_event_cqe_notify_register_cb(api->sta, on_notify, api_data(api)));
	api_start(api);
	assert_ok(doca_sta_io_create(api->sta, &api->io));
	api_configure_io(api, api->io);
	assert_ok(doca_ctx_start(doca_sta_io_as_ctx(api->io)));
	api_add_disk(api);
	*state = api;
	return 0;
}

static void refused_commands_are_reported(void **state)
{
	static uint8_t data[API_BLOCK];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 9, 0, sizeof(data));

	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)),
			 NVME_SC_INVALID_NS | NVME_SC_DNR);
	API_UNTIL(api, api->notified == 1);
	assert_int_equal(nvme_cqe_status(&notified), NVME_SC_INVALID_NS | NVME_SC_DNR);
	assert_int_equal(notified.cid, api->cqe.cid);
	api_disconnect(api, qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_IDLE_TEST(callbacks_are_registered_before_the_start),
		cmocka_unit_test(transport_errors),
		cmocka_unit_test(time_outs),
		cmocka_unit_test(errors_of_units),
		cmocka_unit_test(what_failed_commands_were),
		cmocka_unit_test_setup_teardown(refused_commands_are_reported, setup_listening,
						api_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
