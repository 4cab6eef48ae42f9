/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags that name devices and representors, on the built-in card.
 */
#include "argptest.h"
#include "core/dev.h"
#include "devices.h"

static struct doca_argp_device_ctx device;
static struct doca_argp_device_rep_ctx rep;

static doca_error_t take_device(void *param, void *config)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "";

	assert_ptr_equal(config, &program);
	device = *(struct doca_argp_device_ctx *)param;
	doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(device.dev), pci);
	called("%s(%s) ", pci, device.devargs ? device.devargs : "");
	return DOCA_SUCCESS;
}

static doca_error_t take_rep(void *param, void *config)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "", iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = "";

	assert_ptr_equal(config, &program);
	rep = *(struct doca_argp_device_rep_ctx *)param;
	doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(rep.dev_ctx.dev), pci);
	doca_devinfo_rep_get_iface_name(doca_dev_rep_as_devinfo(rep.dev_rep), iface, sizeof(iface));
	called("%s-%s(%s) ", pci, iface, rep.dev_ctx.devargs ? rep.dev_ctx.devargs : "");
	return DOCA_SUCCESS;
}

static doca_error_t refuse_device(void *param, void *config)
{
	(void)config;
	device = *(struct doca_argp_device_ctx *)param;
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t refuse_rep(void *param, void *config)
{
	(void)config;
	rep = *(struct doca_argp_device_rep_ctx *)param;
	return DOCA_ERROR_NOT_SUPPORTED;
}

static void add_params(doca_argp_param_cb_t device_cb, doca_argp_param_cb_t rep_cb)
{
	struct doca_argp_param *params[] = {
		new_param("a", "device", DOCA_ARGP_TYPE_DEVICE, device_cb),
		new_param("r", "rep", DOCA_ARGP_TYPE_DEVICE_REP, rep_cb),
	};

	memset(&device, 0, sizeof(device));
	memset(&rep, 0, sizeof(rep));
	for (size_t i = 0; i < ARRAY_SIZE(params); i++) {
		doca_argp_param_set_multiplicity(params[i]);
		assert_int_equal(doca_argp_register_param(params[i]), DOCA_SUCCESS);
	}
}

static void devices(void **state)
{
	static const struct {
		const char *text, *calls; /* NULL: refused */
	} cases[] = {
		{"pci/0000:03:00.0", "0000:03:00.0() "},
		{"pci/03:00.1", "0000:03:00.1() "},
		{"03:00.0", "0000:03:00.0() "},
		{"pci/03:00.0,dv_flow_en=2", "0000:03:00.0(dv_flow_en=2) "},
		{"pci/03:00.0,a=1,b=2", "0000:03:00.0(a=1,b=2) "},
		{"pci/03:00.0,", "0000:03:00.0() "},
		{"ibdev/mlx5_1", "0000:03:00.1() "},
		{"mlx5_1,x=1", "0000:03:00.1(x=1) "},
		{"iface/p1", "0000:03:00.1() "},
		{"p0", "0000:03:00.0() "},
		{"pci/B1:00.0", "0000:b1:00.0() "},
		{"pci/04:00.0", NULL},
		{"pci/mlx5_0", NULL},
		{"ibdev/03:00.0", NULL},
		{"iface/mlx5_0", NULL},
		{"usb/03:00.0", NULL},
		{"pci/", NULL},
		{"/", NULL},
		{"", NULL},
		{",x=1", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		again();
		add_params(take_device, take_rep);
		assert_int_equal(start("-a", cases[i].text, NULL),
				 cases[i].calls ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
		assert_string_equal(program.calls, cases[i].calls ? cases[i].calls : "");
		if (cases[i].calls)
			assert_int_equal(doca_dev_close(device.dev), DOCA_SUCCESS);
		else
			assert_says("; devices: 0000:");
	}
	assert_says("flag -a/--device: no device '");
	assert_says("0000:03:00.0 (mlx5_0, p0)");
}

static void reps(void **state)
{
	static const struct {
		const char *text, *calls; /* NULL: refused */
		const char *message;
	} cases[] = {
		{"pci/0000:03:00.0,pf0vf0", "0000:03:00.0-pf0vf0() ", ""},
		{"pci/03:00.0,pf0hpf", "0000:03:00.0-pf0hpf() ", ""},
		{"03:00.0,pf0vf1,dv=1,x=2", "0000:03:00.0-pf0vf1(dv=1,x=2) ", ""},
		{"mlx5_0,b1:00.0", "0000:03:00.0-pf0hpf() ", ""},
		{"mlx5_0,pci/b1:00.0,", "0000:03:00.0-pf0hpf() ", ""},
		{"pci/b1:00.0", "0000:03:00.0-pf0hpf() ", ""},
		{"b1:00.0,dv=1", "0000:03:00.0-pf0hpf(dv=1) ", ""},
		{"pf0vf0", "0000:03:00.0-pf0vf0() ", ""},
		{"pci/03:00.0,pf9vf9", NULL,
		 "flag -r/--rep: no representor 'pf9vf9'; representors: pf0hpf (0000:"},
		{"pci/04:00.0,pf0vf0", NULL, "flag -r/--rep: no device 'pci/04:00.0'; devices: "},
		{"pci/03:00.0", NULL, "no device has a representor 'pci/03:00.0'"},
		{"", NULL, "no device has a representor ''"},
		{"pci/03:00.0,", NULL, "no representor ''"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		again();
		add_params(take_device, take_rep);
		assert_int_equal(start("-r", cases[i].text, NULL),
				 cases[i].calls ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
		assert_string_equal(program.calls, cases[i].calls ? cases[i].calls : "");
		assert_says(cases[i].message);
		if (cases[i].calls)
			assert_int_equal(doca_dev_rep_close(rep.dev_rep), DOCA_SUCCESS);
	}
}

static void device_of_the_host_has_no_reps(void **state)
{
	(void)state;
	add_params(take_device, take_rep);
	assert_int_equal(start("-r", "pci/b1:00.0,pf0vf0", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_says("flag -r/--rep: the device has no representors: it is one of the host's");
}

/*
 * What somebody uses cannot be closed for the last time: so whoever opens it, too, can see whether
 * others have it open.
 */
static void use(struct doca_dev **ret_dev, struct doca_dev_rep **ret_rep)
{
	*ret_dev = open_dev("03:00.0");
	*ret_rep = open_rep(*ret_dev, "b1:00.2");
	priv_dev_use(*ret_dev);
	priv_dev_rep_use(*ret_rep);
}

static void check_closed_but_for_us(struct doca_dev *dev, struct doca_dev_rep *used_rep)
{
	assert_err(doca_dev_rep_close(used_rep), IN_USE);
	assert_err(doca_dev_close(dev), IN_USE);
	priv_dev_rep_release(used_rep);
	priv_dev_release(dev);
	assert_ok(doca_dev_rep_close(used_rep));
	assert_ok(doca_dev_close(dev));
}

/* What the official samples rely on: they close the representor and leave the device alone. */
static void device_of_a_rep_is_closed_by_destroy(void **state)
{
	struct doca_dev_rep *used_rep;
	struct doca_dev *dev;

	(void)state;
	use(&dev, &used_rep);
	add_params(take_device, take_rep);
	assert_int_equal(start("-a", "03:00.0", "-r", "03:00.0,pf0vf0", NULL), DOCA_SUCCESS);
	assert_ptr_equal(device.dev, dev);
	assert_ptr_equal(rep.dev_ctx.dev, dev);
	assert_ptr_equal(rep.dev_rep, used_rep);
	assert_ok(doca_dev_rep_close(used_rep));
	assert_ok(doca_dev_close(dev));
	again();
	check_closed_but_for_us(dev, used_rep);
}

static void refused_device_is_closed(void **state)
{
	struct doca_dev_rep *used_rep;
	struct doca_dev *dev;

	(void)state;
	use(&dev, &used_rep);
	add_params(refuse_device, refuse_rep);
	assert_int_equal(start("-a", "03:00.0", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_ptr_equal(device.dev, dev);
	assert_int_equal(start("-r", "03:00.0,pf0vf0", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_ptr_equal(rep.dev_rep, used_rep);
	again();
	check_closed_but_for_us(dev, used_rep);
}

static struct doca_dev *opened;

static doca_error_t open_device(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev)
{
	assert_ptr_equal(usr_ctx, &opened);
	called("open ");
	return doca_dev_open(devinfo, dev);
}

static doca_error_t refuse_open(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev)
{
	(void)devinfo;
	(void)usr_ctx;
	(void)dev;
	return DOCA_ERROR_NOT_PERMITTED;
}

static void devices_are_opened_by_the_callback(void **state)
{
	(void)state;
	add_params(take_device, take_rep);
	assert_int_equal(doca_argp_register_dev_open_callback(open_device, &opened), DOCA_SUCCESS);
	assert_int_equal(start("-a", "03:00.1", "-r", "b1:00.0", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "open 0000:03:00.1() open 0000:03:00.0-pf0hpf() ");
	doca_dev_close(device.dev);
	doca_dev_rep_close(rep.dev_rep);
}

static void answer_of_the_open_callback_is_returned(void **state)
{
	(void)state;
	add_params(take_device, take_rep);
	doca_argp_register_dev_open_callback(refuse_open, NULL);
	assert_int_equal(start("-a", "03:00.0", NULL), DOCA_ERROR_NOT_PERMITTED);
	assert_says("flag -a/--device: cannot open '03:00.0'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(devices, init, destroy),
		cmocka_unit_test_setup_teardown(reps, init, destroy),
		cmocka_unit_test_setup_teardown(device_of_the_host_has_no_reps, init, destroy),
		cmocka_unit_test_setup_teardown(device_of_a_rep_is_closed_by_destroy, init,
						destroy),
		cmocka_unit_test_setup_teardown(refused_device_is_closed, init, destroy),
		cmocka_unit_test_setup_teardown(devices_are_opened_by_the_callback, init, destroy),
		cmocka_unit_test_setup_teardown(answer_of_the_open_callback_is_returned, init,
						destroy),
	};

	unsetenv("SOFTFIELD_TOPOLOGY");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
