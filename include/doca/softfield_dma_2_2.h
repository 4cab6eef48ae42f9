/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA up to release 2.2: jobs on a work queue (softfield_core_2_2.h). doca_dma.h brings it.
 * Not to be included by programs.
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

/* Today's has been declared: doca_compat.h may have set it aside. */
#undef doca_dma_create

struct doca_buf;
struct doca_devinfo;
struct doca_dma;

/** Types of jobs: in release 2.2 the upper half named the library. */
enum doca_dma_job_types {
	DOCA_DMA_JOB_MEMCPY = (1 << 16) + 1, /**< struct doca_dma_job_memcpy */
};

#ifdef DOCA_LEGACY_2_2_BINDINGS
SOFTFIELD_BIND(doca_dma_create, (struct doca_dma * *dma), softfield_dma_create_2_2);
SOFTFIELD_BIND(doca_dma_get_max_buf_size, (const struct doca_devinfo *devinfo, uint64_t *buf_size),
	       softfield_dma_get_max_buf_size);
SOFTFIELD_BIND(doca_dma_get_max_list_buf_num_elem,
	       (const struct doca_devinfo *devinfo, uint32_t *num_elements),
	       doca_dma_cap_task_memcpy_get_max_buf_list_len);
SOFTFIELD_BIND(doca_dma_job_get_supported,
	       (const struct doca_devinfo *devinfo, enum doca_dma_job_types type),
	       softfield_dma_job_get_supported);
#endif

/** A copy: the source's data is appended to the destination's. */
struct doca_dma_job_memcpy {
	struct doca_job base;		 /**< type DOCA_DMA_JOB_MEMCPY */
	struct doca_buf *dst_buff;	 /**< destination */
	const struct doca_buf *src_buff; /**< source */
#ifndef DOCA_LEGACY_2_2_BINDINGS
	uint64_t num_bytes_to_copy; /**< up to 1.4, where sources were buffers without data */
#endif
};

/** What the result of an event points to, when doca_workq_progress_retrieve() fails. */
struct doca_dma_memcpy_result {
	doca_error_t result; /**< how the job ended */
};

/** doca_dma_devinfo_caps_get(). */
enum doca_dma_devinfo_caps {
	DOCA_DMA_CAP_NONE = 0,
	DOCA_DMA_CAP_HW_OFFLOAD = 1, /**< the device copies */
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

/**
 * @brief doca_workq_submit() for programs that do DMA: a copy from a buffer without data is of 1.4,
 * and job says how much it copies from there.
 *
 * @param [in] workq the queue.
 * @param [in] job the first member of a struct doca_dma_job_memcpy, or another job.
 *
 * @return what softfield_workq_submit() answers.
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dma_submit(struct doca_workq *workq, const struct doca_job *job);

/**
 * @brief softfield_dma_submit() when DOCA_LEGACY_1_4 is defined: the source's data does not count.
 *
 * @param [in] workq the queue.
 * @param [in] job the first member of a struct doca_dma_job_memcpy.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a buffer of the job is NULL, or too small
 * - what softfield_workq_submit() answers
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dma_submit_1_4(struct doca_workq *workq, const struct doca_job *job);

/**
 * @brief What a device can do, up to release 1.4.
 *
 * @param [in] devinfo the device.
 * @param [out] caps of enum doca_dma_devinfo_caps.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dma_devinfo_caps_get(const struct doca_devinfo *devinfo, uint32_t *caps);

/**
 * @brief Whether a device does jobs of a type.
 *
 * @param [in] devinfo the device.
 * @param [in] type DOCA_DMA_JOB_MEMCPY.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such type, or what
 * doca_dma_cap_task_memcpy_is_supported() answers.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dma_job_get_supported(const struct doca_devinfo *devinfo,
					     enum doca_dma_job_types type);

/**
 * @brief doca_dma_cap_task_memcpy_get_max_buf_size() up to release 2.2.
 *
 * @param [in] devinfo the device.
 * @param [out] buf_size the most bytes of a job.
 *
 * @return what doca_dma_cap_task_memcpy_get_max_buf_size() answers.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dma_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size);

#define SOFTFIELD_DMA_CREATE(dev, dma) doca_dma_create(dev, dma)

/** With one argument: without a device. */
#define doca_dma_create(...)                                                                       \
	SOFTFIELD_PICK_2(__VA_ARGS__, SOFTFIELD_DMA_CREATE, softfield_dma_create_2_2, 0)           \
	(__VA_ARGS__)

#define doca_dma_job_get_supported(devinfo, type) softfield_dma_job_get_supported(devinfo, type)

#define doca_dma_get_max_buf_size(devinfo, buf_size)                                               \
	softfield_dma_get_max_buf_size(devinfo, buf_size)

#ifndef DOCA_LEGACY_2_2_BINDINGS
#define doca_dma_get_max_list_buf_num_elem(devinfo, num_elements)                                  \
	doca_dma_cap_task_memcpy_get_max_buf_list_len(devinfo, num_elements)
#endif

#define doca_dma_devinfo_caps_get(devinfo, caps) softfield_dma_devinfo_caps_get(devinfo, caps)

#ifndef DOCA_LEGACY_2_2_BINDINGS
#undef doca_workq_submit
#ifdef DOCA_LEGACY_1_4
#define doca_workq_submit(workq, job) softfield_dma_submit_1_4(workq, job)
#else
#define doca_workq_submit(workq, job) softfield_dma_submit(workq, job)
#endif
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_DMA_2_2_H_ */
