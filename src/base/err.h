/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of the system as codes of the interface.
 */
#ifndef SOFTFIELD_BASE_ERR_H
#define SOFTFIELD_BASE_ERR_H

#include "base/export.h"
#include "doca_error.h"

PRIV_EXPORT doca_error_t priv_err_from_errno(int err);
/* of a mapping: what there is too little of for now, to callers, is memory */
PRIV_EXPORT doca_error_t priv_err_from_mmap(int err);
/* of errno, after a system call that fails where it is forbidden or nothing is left: logged */
PRIV_EXPORT doca_error_t priv_err_from_call(const char *call);

#endif
