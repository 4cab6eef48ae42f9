/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FlexIO: what programs with DOCA DPA call of it, to learn which execution units a file of
 * resources gives them. There is no such file for a software DPA, so these functions fail. A
 * program is to use doca_dpa_get_total_num_eus_available().
 */
#ifndef LIBFLEXIO_FLEXIO_H_
#define LIBFLEXIO_FLEXIO_H_

#include <stddef.h>
#include <stdint.h>

#include <libflexio/flexio_ver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the library exports. */
#define FLEXIO_EXPORTED __attribute__((visibility("default")))

/** Whether a call has succeeded. */
typedef enum {
	FLEXIO_STATUS_SUCCESS = 0,
	FLEXIO_STATUS_FAILED = 1,
} flexio_status;

/** Units that a file of resources names; none can be made here. */
struct flexio_resource;

/**
 * @brief Reads a file of resources.
 *
 * @param [in] app_key the part of the file that is for this program.
 * @param [in] file_buffer what is in the file.
 * @param [in] file_size bytes of it.
 * @param [out] res unchanged.
 *
 * @return FLEXIO_STATUS_FAILED: a software DPA has no such resources; the log says so.
 *
 * Any thread. Source: spec msgq_dpa 9.
 */
FLEXIO_EXPORTED
flexio_status flexio_resources_create(const char *app_key, const char *file_buffer,
				      size_t file_size, struct flexio_resource **res);

/**
 * @brief Tells the number of groups of units.
 *
 * @param [in] res not looked at.
 *
 * @return 0.
 *
 * Any thread. Source: spec msgq_dpa 9.
 */
FLEXIO_EXPORTED
int flexio_resources_get_eugs_num(struct flexio_resource *res);

/**
 * @brief Tells the number of units.
 *
 * @param [in] res not looked at.
 *
 * @return 0.
 *
 * Any thread. Source: spec msgq_dpa 9.
 */
FLEXIO_EXPORTED
uint32_t flexio_resources_get_eus_num(struct flexio_resource *res);

/**
 * @brief Tells the units.
 *
 * @param [in] res not looked at.
 *
 * @return NULL.
 *
 * Any thread. Source: spec msgq_dpa 9.
 */
FLEXIO_EXPORTED
uint32_t *flexio_resources_get_eus(struct flexio_resource *res);

/**
 * @brief Destroys what flexio_resources_create() has made, which is nothing.
 *
 * @param [in] res not looked at.
 *
 * Any thread. Source: spec msgq_dpa 9.
 */
FLEXIO_EXPORTED
void flexio_resources_destroy(struct flexio_resource *res);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LIBFLEXIO_FLEXIO_H_ */
