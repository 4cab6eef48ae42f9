/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What devices answered otherwise up to release 2.7. doca_dev.h brings it when DOCA_LEGACY_2_7 is
 * defined. Not to be included by programs.
 */
#ifndef SOFTFIELD_DEV_2_7_H_
#define SOFTFIELD_DEV_2_7_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <softfield_cast.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* the program does not call it */
#pragma GCC diagnostic ignored "-Wconversion"		   /* no cast pleases both C and C++ */

/**
 * @brief doca_devinfo_get_active_rate() of releases up to 2.7.
 *
 * @param [in] devinfo the device.
 * @param [out] active_rate bits a second.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
static inline doca_error_t softfield_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
							     double *active_rate)
{
	uint64_t rate = 0;
	doca_error_t err =
		doca_devinfo_get_active_rate(devinfo, active_rate ? &rate : SOFTFIELD_NULL);

	if (err == DOCA_SUCCESS)
		*active_rate = rate;
	return err;
}

#pragma GCC diagnostic pop

/* from here on: */
#define doca_devinfo_get_active_rate softfield_devinfo_get_active_rate

#endif /* SOFTFIELD_DEV_2_7_H_ */
