/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA up to release 2.2: jobs on a work queue (softfield_core_2_2.h). doca_dma.h brings it when
 * DOCA_LEGACY_2_2 is defined. Not to be included by programs.
 */
#ifndef SOFTFIELD_DMA_2_2_H_
#define SOFTFIELD_DMA_2_2_H_

#include <doca_compat.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <softfield_core_2_2.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_devinfo;
struct doca_dma;

/** Types of jobs. */
enum doca_dma_job_types {
	DOCA_DMA_JOB_MEMCPY = 1, /**< struct doca_dma_job_memcpy */
};

/** A copy: the source's data is appended to the destination's. */
struct doca_dma_job_memcpy {
	struct doca_job base;		 /**< type DOCA_DMA_JOB_MEMCPY */
	struct doca_buf *dst_buff;	 /**< destination */
	const struct doca_buf *src_buff; /**< source */
};

/**
 * @brief doca_dma_create() up to release 2.2: the device comes later, by softfield_ctx_dev_add().
 *
 * @param [out] dma the object; give it back with doca_dma_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dma is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dma_create_2_2(struct doca_dma **dma);

#define SOFTFIELD_DMA_CREATE(dev, dma) (doca_dma_create)(dev, dma)

/** With one argument: without a device. */
#define doca_dma_create(...)                                                                       \
	SOFTFIELD_PICK_2(__VA_ARGS__, SOFTFIELD_DMA_CREATE, softfield_dma_create_2_2, 0)           \
	(__VA_ARGS__)

#define doca_dma_job_get_supported(devinfo, type)                                                  \
	((type) == DOCA_DMA_JOB_MEMCPY ? doca_dma_cap_task_memcpy_is_supported(devinfo)            \
				       : DOCA_ERROR_NOT_SUPPORTED)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_DMA_2_2_H_ */
