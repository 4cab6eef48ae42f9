/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA contexts up to release 2.7: the application comes with the creation. doca_dpa.h brings it.
 * Not to be included by programs.
 */
#ifndef SOFTFIELD_DPA_2_7_H_
#define SOFTFIELD_DPA_2_7_H_

#include <doca_compat.h>
#include <doca_dpa.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;
struct doca_dpa_app;

/**
 * @brief doca_dpa_create() up to release 2.7: what it makes has its application, and is started.
 *
 * @param [in] dev the device; it stays in use as long as the context exists.
 * @param [in] app the application, as dpacc names it.
 * @param [out] dpa the context; give it back with doca_dpa_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the application is of another dpacc
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_dpa_create_2_7(struct doca_dev *dev, struct doca_dpa_app *app,
				      struct doca_dpa **dpa);

#define SOFTFIELD_DPA_CREATE(dev, dpa)		doca_dpa_create(dev, dpa)
#define SOFTFIELD_DPA_CREATE_2_7(dev, app, dpa) softfield_dpa_create_2_7(dev, app, dpa)
#define SOFTFIELD_DPA_CREATE_2_2(dev, app, dpa, flags)                                             \
	((void)(flags), softfield_dpa_create_2_7(dev, app, dpa))

/**
 * With three arguments: the device, the application, the context. Up to release 2.2 flags followed,
 * and there were none.
 */
#define doca_dpa_create(...)                                                                       \
	SOFTFIELD_PICK_4(__VA_ARGS__, SOFTFIELD_DPA_CREATE_2_2, SOFTFIELD_DPA_CREATE_2_7,          \
			 SOFTFIELD_DPA_CREATE, 0, 0)                                               \
	(__VA_ARGS__)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_DPA_2_7_H_ */
