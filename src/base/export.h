/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Visibility of functions that one of our libraries offers the others. Their names start with priv_
 * and the loader keeps them in a private version node, so that mixed installations are refused.
 */
#ifndef SOFTFIELD_BASE_EXPORT_H
#define SOFTFIELD_BASE_EXPORT_H

#define PRIV_EXPORT __attribute__((visibility("default")))

#endif
