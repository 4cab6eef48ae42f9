/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory: where DPA code finds that of a memory map or a buffer. core/mmap_dev.h checks and logs.
 */
#define LOG_MODULE "dpa"
#include "doca_dpa_dev_buf.h"

#include "base/log.h"
#include "core/mmap_dev.h"
#include "dpa/activation.h"

/*
 * Who asks for the same place again is looking whether something has come there.
 */
static void note_look(uint64_t addr)
{
	static __thread uint64_t last_addr __attribute__((tls_model("initial-exec")));

	if (addr == last_addr) {
		activation_pause();
		return;
	}
	last_addr = addr;
	activation_check();
	activation_note_found();
}

/* Nothing is behind a handle: DPA code would use the address next, and on a card that ends it. */
static void end_here(const char *what)
{
	if (!activation_here)
		return;
	dpa_fail(activation_here->dpa, what);
	activation_leave(ACTIVATION_FINISHED);
}

/* 0: it has no address here */
static doca_dpa_dev_uintptr_t find(doca_dpa_dev_mmap_t handle, uint64_t addr, uint64_t size)
{
	doca_error_t err;
	void *ptr;

	note_look(addr);
	err = priv_mmap_dev_ptr(handle, addr, size, false, &ptr);
	if (err == DOCA_ERROR_NOT_FOUND)
		end_here("memory of a memory map that is not there");
	return err ? 0 : (uintptr_t)ptr;
}

doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle,
							  uint64_t addr)
{
	return find(mmap_handle, addr, 1);
}

doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf)
{
	if (!buf) {
		LOG_ERR("DPA code: 0 is not the handle of a buffer");
		end_here("memory of a buffer that is not there");
		return 0;
	}
	return find(doca_dpa_dev_buf_get_mmap(buf), doca_dpa_dev_buf_get_addr(buf),
		    doca_dpa_dev_buf_get_len(buf));
}
