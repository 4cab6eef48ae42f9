/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A started DPA, and an application written by hand as dpacc makes it of sources.
 */
#ifndef SOFTFIELD_TEST_DPA_RIG_H
#define SOFTFIELD_TEST_DPA_RIG_H

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include "doca_dpa.h"
#include "doca_dpa_dev.h"
#include "softfield_dpa_app.h"
#include "world.h"

/* A thread's function or a kernel `body(uint64_t)`; the host's name for it is `stub_name`. */
#define GLOBAL(stub_name, body)                                                                    \
	static void stub_name(void)                                                                \
	{                                                                                          \
	}                                                                                          \
	static uint64_t stub_name##_run(const void *args)                                          \
	{                                                                                          \
		body(*(const uint64_t *)args);                                                     \
		return 0;                                                                          \
	}
/* An RPC `uint64_t body(uint64_t)`. */
#define RPC(stub_name, body)                                                                       \
	static void stub_name(void)                                                                \
	{                                                                                          \
	}                                                                                          \
	static uint64_t stub_name##_run(const void *args)                                          \
	{                                                                                          \
		return body(*(const uint64_t *)args);                                              \
	}

/* rows of the application's table */
#define ROW(stub_name, returns_value)                                                              \
	{                                                                                          \
		.name = #stub_name, .stub = stub_name, .is_rpc = returns_value,                    \
		.args_size = sizeof(uint64_t), .num_params = 1, .pack = pack_one,                  \
		.run = stub_name##_run,                                                            \
	}
#define GLOBAL_ROW(stub_name) ROW(stub_name, 0)
#define RPC_ROW(stub_name)    ROW(stub_name, 1)

static inline void pack_one(void *args, va_list ap)
{
	*(uint64_t *)args = va_arg(ap, uint64_t);
}

struct rig {
	struct leak before;
	struct doca_dev *dev;
	struct doca_dpa *dpa;
	struct doca_dpa_app app;
};

static inline void rig_init(struct rig *rig, const struct softfield_dpa_func *funcs, uint32_t count)
{
	memset(rig, 0, sizeof(*rig));
	rig->before = leak_count();
	rig->app = (struct doca_dpa_app){SOFTFIELD_DPA_APP_VERSION, count, "rig", funcs};
	rig->dev = open_dev("03:00.0");
	assert_ok(doca_dpa_create(rig->dev, &rig->dpa));
	assert_ok(doca_dpa_set_app(rig->dpa, &rig->app));
	assert_ok(doca_dpa_start(rig->dpa));
}

static inline int rig_fini(struct rig *rig)
{
	assert_ok(doca_dpa_destroy(rig->dpa));
	assert_ok(doca_dev_close(rig->dev));
	return leak_check(&rig->before) ? 0 : -1;
}

/* a started thread */
static inline struct doca_dpa_thread *add_thread(struct rig *rig, void (*func)(void), uint64_t arg)
{
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_thread_create(rig->dpa, &thread));
	assert_ok(doca_dpa_thread_set_func_arg(thread, func, arg));
	assert_ok(doca_dpa_thread_start(thread));
	return thread;
}

/* waits for a number that DPA code writes; a test that waits for ever has failed */
static inline void wait_until(const _Atomic uint64_t *value, uint64_t at_least)
{
	while (atomic_load(value) < at_least)
		sched_yield();
}

#endif
