/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Version of the headers, at compile time, and of the library, at run time: numbers that programs
 * compare. The interface holds everything of that release, and what came after it.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 0
#define DOCA_VERSION_PATCH 58

/** "major.minor.patch", the patch with four digits. */
#define DOCA_VERSION_STRING "3.0.0058"

/** A version as one number that can be compared. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch)                                               \
	((size_t)((major) << 24 | (minor) << 16 | (patch)))

/** Version of these headers. */
#define DOCA_VERSION_EXACT                                                                         \
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/** DOCA_VERSION_CALC_EXACT() with room for builds between two patches. */
#define DOCA_VERSION_CALC(major, minor, patch)                                                     \
	((size_t)((major) << 24 | (minor) << 16 | ((patch)*1000)))

/** Version of these headers, in the form of DOCA_VERSION_CALC(). */
#define DOCA_VERSION_OFFICIAL                                                                      \
	DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/** True when the headers are of exactly this version. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
	(DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)

/** True when the headers are of this version or a later one. */
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
	(DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

/*
 * The names of releases up to 2.2. Build files read them as text: literal, with one blank between
 * name and value.
 */
#define DOCA_VER_MAJOR 3
#define DOCA_VER_MINOR 0
#define DOCA_VER_PATCH 58

/** DOCA_VERSION_STRING under an earlier name. */
#define DOCA_VER_STRING "3.0.0058"

/** DOCA_VERSION_CALC_EXACT() under an earlier name. */
#define DOCA_VERSION_NUM(major, minor, patch) DOCA_VERSION_CALC_EXACT(major, minor, patch)

/** DOCA_VERSION_EXACT under an earlier name. */
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)

/**
 * @brief Version of the headers the program was compiled with.
 *
 * @return DOCA_VERSION_STRING, a constant string.
 *
 * Any thread, any time. Source: spec core 0.
 */
static inline const char *doca_version(void)
{
	return DOCA_VERSION_STRING;
}

/**
 * @brief Version of the library the program runs with.
 *
 * A program that was compiled earlier may run with a later library; compare with doca_version().
 *
 * @return a constant string of the form of DOCA_VERSION_STRING; never NULL, not to be freed.
 *
 * Any thread, any time. Source: spec core 0.
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_VERSION_H_ */
