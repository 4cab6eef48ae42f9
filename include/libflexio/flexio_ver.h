/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions of FlexIO, for programs that name the one they were written for.
 */
#ifndef LIBFLEXIO_FLEXIO_VER_H_
#define LIBFLEXIO_FLEXIO_VER_H_

/** A version as a number; later ones are greater. */
#define FLEXIO_VER(major, minor, patch) (((major) << 20) | ((minor) << 10) | (patch))

#endif /* LIBFLEXIO_FLEXIO_VER_H_ */
