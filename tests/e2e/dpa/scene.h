/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the scenes have in common. One that goes wrong says "error ..." and ends the program.
 */
#ifndef SCENES_SCENE_H
#define SCENES_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include "code.h"
#include "leak.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MUST(truth)	scene_must((truth), __FILE__, __LINE__, #truth)
#define OK(call)	scene_ok((call), __FILE__, __LINE__, #call)

/* functions of code_dev.c, by what dpacc has made of them */
extern doca_dpa_func_t fill, sum_up, mix, loop, empty_ring, relay, notify, begin_copy, copy, tick,
	pester;
extern doca_dpa_func_t get_ready, work, work_in_kernel;

struct scene {
	struct leak before;
	struct doca_dev *dev;
	struct doca_dpa *dpa; /* NULL: the scene has destroyed it */
	struct doca_pe *pe;
};

enum event_way { CPU_TO_DPA, DPA_TO_CPU, DPA_TO_DPA };

void scene_must(bool truth, const char *file, int line, const char *what);
void scene_ok(doca_error_t result, const char *file, int line, const char *what);

/* the first one that has a DPA */
struct doca_dev *scene_open_device(void);
void scene_open(struct scene *scene);
void scene_close(struct scene *scene);

struct doca_sync_event *scene_event(struct scene *scene, enum event_way way);
/* for DPA code */
uint64_t scene_event_handle(struct scene *scene, struct doca_sync_event *event);
/* a started thread */
struct doca_dpa_thread *scene_thread(struct scene *scene, doca_dpa_func_t *func, uint64_t arg,
				     doca_dpa_dev_uintptr_t local_storage);
/* memory of the DPA, all zeros */
doca_dpa_dev_uintptr_t scene_alloc(struct scene *scene, size_t size);
void scene_read(struct scene *scene, void *to, doca_dpa_dev_uintptr_t from, size_t size);
void scene_write(struct scene *scene, doca_dpa_dev_uintptr_t to, const void *from, size_t size);
/* how far DPA code has counted, which goes on */
uint64_t scene_count(doca_dpa_dev_uintptr_t count);
/* waits until it has counted so far */
void scene_await(doca_dpa_dev_uintptr_t count, uint64_t at_least);
/* stops a context, on the CPU or on the DPA, and waits until it is idle */
void scene_stop(struct scene *scene, struct doca_ctx *ctx);

/* the scenes; count: how much of it */
void scene_kernels(uint64_t count);
void scene_endless(uint64_t count);
void scene_relay(uint64_t count);
void scene_copies(uint64_t count);
void scene_pests(uint64_t count);
void scene_rings(uint64_t count);
void scene_threads_traffic(uint64_t count);
void scene_kernel_traffic(uint64_t count);
void scene_shared_thread_traffic(uint64_t count);
void scene_broken_off(uint64_t count);
void scene_forks(uint64_t count);
void scene_victim(uint64_t count);

#endif
