/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading what a stranger can change at any time: once, into a local, which is then checked and
 * used. The compiler does not read it again. It orders nothing: what has to come first has been
 * waited for with an acquire.
 */
#ifndef SOFTFIELD_BASE_READ_ONCE_H
#define SOFTFIELD_BASE_READ_ONCE_H

#define read_once(field) (*(const volatile __typeof__(field) *)&(field))

#endif
