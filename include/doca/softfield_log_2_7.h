/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logging of releases 2.2 to 2.6: DOCA_LOG() takes INFO for DOCA_LOG_LEVEL_INFO. doca_log.h
 * brings it when DOCA_LEGACY_2_7 is defined. Not to be included by programs.
 */
#ifndef SOFTFIELD_LOG_2_7_H_
#define SOFTFIELD_LOG_2_7_H_

#include <doca_log.h>

#define SOFTFIELD_LEVEL_DISABLE 0, DOCA_LOG_LEVEL_DISABLE
#define SOFTFIELD_LEVEL_CRIT	0, DOCA_LOG_LEVEL_CRIT
#define SOFTFIELD_LEVEL_ERROR	0, DOCA_LOG_LEVEL_ERROR
#define SOFTFIELD_LEVEL_WARNING 0, DOCA_LOG_LEVEL_WARNING
#define SOFTFIELD_LEVEL_INFO	0, DOCA_LOG_LEVEL_INFO
#define SOFTFIELD_LEVEL_DEBUG	0, DOCA_LOG_LEVEL_DEBUG
#define SOFTFIELD_LEVEL_TRACE	0, DOCA_LOG_LEVEL_TRACE

#define SOFTFIELD_SECOND(...)	       SOFTFIELD_SECOND_OF(__VA_ARGS__, 0)
#define SOFTFIELD_SECOND_OF(a, b, ...) b

/*
 * A short level makes one of the pairs above, the second of which counts. Any other makes something
 * that nobody looks at, and is itself the second. It begins with a letter or digit: "##" takes no
 * bracket. Nor does it expand DEBUG or INFO, which programs may have as macros of their own.
 */
#undef DOCA_LOG
#define DOCA_LOG(level, ...)                                                                       \
	doca_log(SOFTFIELD_SECOND(SOFTFIELD_LEVEL_##level, level), log_source, __FILE__, __LINE__, \
		 __func__, __VA_ARGS__)

#endif /* SOFTFIELD_LOG_2_7_H_ */
