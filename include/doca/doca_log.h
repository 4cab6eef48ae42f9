/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logging: sources of messages, levels, and backends that write them.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a logger's name, NUL included. */
#define DOCA_LOGGER_NAME_SIZE 256

/** Levels: the bigger, the more is said. */
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10, /**< nothing */
	DOCA_LOG_LEVEL_CRIT = 20,    /**< the program cannot go on */
	DOCA_LOG_LEVEL_ERROR = 30,   /**< something has failed */
	DOCA_LOG_LEVEL_WARNING = 40, /**< something is wrong and was coped with */
	DOCA_LOG_LEVEL_INFO = 50,    /**< what goes on */
	DOCA_LOG_LEVEL_DEBUG = 60,   /**< for those who look for a fault */
	DOCA_LOG_LEVEL_TRACE = 70, /**< every operation; compiled in by DOCA_LOGGING_ALLOW_TRACE */
};

/** Where messages go. */
struct doca_log_backend;

/** A source, or a group of sources, of messages: a node of the tree that names with :: form. */
struct doca_logger;

/**
 * Tells that a message is in the buffer of a backend. Called by the thread that logs.
 *
 * @param [in] buf the buffer; the message is at its start, NUL-terminated.
 */
typedef void (*log_flush_callback)(char *buf);

/*
 * Logging
 */

/** Logs a message of a level, as printf() does, for the source of this file (DOCA_LOG_REGISTER). */
#define DOCA_LOG(level, ...) doca_log(level, log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)

/** DOCA_LOG() with DOCA_LOG_LEVEL_CRIT. */
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)

/** DOCA_LOG() with DOCA_LOG_LEVEL_ERROR. */
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)

/** DOCA_LOG() with DOCA_LOG_LEVEL_WARNING. */
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)

/** DOCA_LOG() with DOCA_LOG_LEVEL_INFO. */
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)

/** DOCA_LOG() with DOCA_LOG_LEVEL_DEBUG. */
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/** DOCA_LOG() with DOCA_LOG_LEVEL_TRACE; nothing unless DOCA_LOGGING_ALLOW_TRACE is defined. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...)                                                                          \
	do {                                                                                       \
	} while (0)
#endif

/**
 * Names the source of the messages of a file: DOCA_LOG_REGISTER(PROGRAM::PART); at file scope,
 * once.
 *
 * Registered before main() and before constructors that ask for no priority. The semicolon may be
 * left out.
 */
#define DOCA_LOG_REGISTER(source)                                                                  \
	static int log_source;                                                                     \
	static void __attribute__((constructor(101))) doca_log_register_source_of_file_(void)      \
	{                                                                                          \
		doca_log_register_source(#source, &log_source);                                    \
	}                                                                                          \
	DOCA_LOG_REGISTER_END_

#ifdef __cplusplus
#define DOCA_LOG_REGISTER_END_
#else /* before a semicolon or before the next declaration: nobody warns of either */
#define DOCA_LOG_REGISTER_END_ __extension__
#endif

/**
 * @brief Logs one line. Programs use the macros.
 *
 * @param [in] level enum doca_log_level, but DOCA_LOG_LEVEL_DISABLE: that is a limit only.
 * @param [in] source number that doca_log_register_source() gave.
 * @param [in] fname file the message comes from.
 * @param [in] line line in it.
 * @param [in] func function it comes from.
 * @param [in] format as for printf(); a newline is added.
 * @param [in] ... as for printf().
 *
 * @return DOCA_SUCCESS: also when no backend takes the message, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or there is no such level or source
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...) __attribute__((format(printf, 6, 7)));

/**
 * @brief Names a source of messages. Two of one name are one source, until both are undone.
 *
 * May be called before main().
 *
 * @param [in] source_name the name, with :: between its parts; cut after 255 bytes. Copied.
 * @param [out] source number for doca_log().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty
 * - DOCA_ERROR_NO_MEMORY: no memory for the source, or too many names (4096)
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * @brief Undoes doca_log_register_source().
 *
 * @param [in] source the number; not to be used afterwards.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is no such source
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/*
 * Backends. Those without _sdk take what the program logs, those with _sdk what the libraries log:
 * two worlds that do not mix. Without a backend nothing is written, unless the program is built as
 * one of releases up to 2.2 (softfield_log_1_5.h).
 */

/**
 * @brief Writes the program's messages to standard output (INFO and more) and standard error
 * (WARNING and more serious). Its levels follow the global ones and cannot be set.
 *
 * @return DOCA_SUCCESS: also when there is one already, or
 * - DOCA_ERROR_NO_MEMORY: no memory for the backend
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * @brief Sends the program's messages to a stream.
 *
 * @param [in] fptr a stream, open for writing; it stays the program's and must stay open.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * @brief Sends the library's own messages to a stream.
 *
 * @param [in] fptr a stream, open for writing; it stays the program's and must stay open.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends_sdk()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * @brief Sends the program's messages to a descriptor.
 *
 * @param [in] fd a descriptor, open for writing; it stays the program's and must stay open.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: fd is not an open descriptor, or backend is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * @brief Sends the library's own messages to a descriptor.
 *
 * @param [in] fd a descriptor, open for writing; it stays the program's and must stay open.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: fd is not an open descriptor, or backend is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends_sdk()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * @brief Sends the program's messages to a buffer in memory.
 *
 * Each message is written at the start of the buffer, over the last one, and the handler is
 * called.
 *
 * @param [in] buf the buffer; it must stay allocated.
 * @param [in] capacity bytes in it; longer messages are cut.
 * @param [in] handler called after each message.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or capacity is 0
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend);

/**
 * @brief Sends the library's own messages to a buffer in memory.
 *
 * Each message is written at the start of the buffer, over the last one, and the handler is
 * called.
 *
 * @param [in] buf the buffer; it must stay allocated.
 * @param [in] capacity bytes in it; longer messages are cut.
 * @param [in] handler called after each message.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or capacity is 0
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends_sdk()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
						  log_flush_callback handler,
						  struct doca_log_backend **backend);

/**
 * @brief doca_log_backend_create_with_buf() up to release 2.5.
 *
 * @param [in] buf see there.
 * @param [in] capacity see there.
 * @param [in] handler see there.
 * @param [out] backend see there.
 *
 * @return see doca_log_backend_create_with_buf().
 *
 * Any thread. Source: names of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buffer(char *buf, size_t capacity,
						 log_flush_callback handler,
						 struct doca_log_backend **backend);

/**
 * @brief doca_log_backend_create_with_buf_sdk() up to release 2.5.
 *
 * @param [in] buf see there.
 * @param [in] capacity see there.
 * @param [in] handler see there.
 * @param [out] backend see there.
 *
 * @return see doca_log_backend_create_with_buf_sdk().
 *
 * Any thread. Source: names of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buffer_sdk(char *buf, size_t capacity,
						     log_flush_callback handler,
						     struct doca_log_backend **backend);

/**
 * @brief Sends the program's messages to the system log.
 *
 * @param [in] name the program's name in the system log. Copied.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend);

/**
 * @brief Sends the library's own messages to the system log.
 *
 * @param [in] name the program's name in the system log. Copied.
 * @param [out] backend the backend. It lives until the program ends.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or too many backends, see doca_log_get_max_num_backends_sdk()
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
						     struct doca_log_backend **backend);

/*
 * Levels. A backend passes what lies between its upper limit (the most serious that is shown) and
 * its lower limit (the most talkative). New backends take the global limits over.
 */

/**
 * @brief Sets the most talkative level that a backend shows.
 *
 * @param [in] backend a backend of the program's messages.
 * @param [in] level enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or of the libraries' messages, or there is no such
 *   level
 * - DOCA_ERROR_NOT_PERMITTED: doca_log_backend_set_level_lower_limit_strict() forbids it, or the
 *   backend is the standard one
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
						    uint32_t level);

/**
 * @brief Sets the most serious level that a backend shows.
 *
 * @param [in] backend a backend of the program's messages.
 * @param [in] upper_limit enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or of the libraries' messages, or there is no such
 *   level
 * - DOCA_ERROR_NOT_PERMITTED: doca_log_backend_set_level_upper_limit_strict() forbids it, or the
 *   backend is the standard one
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
						    uint32_t upper_limit);

/**
 * @brief Keeps a backend from ever showing more than now: neither a direct nor a global change
 * makes it more talkative.
 *
 * @param [in] backend a backend of the program's messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * @brief Keeps the upper limit of a backend from being raised towards more serious messages ever
 * after.
 *
 * @param [in] backend a backend of the program's messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * @brief Sets the most talkative level that a backend of the libraries' messages shows.
 *
 * @param [in] backend a backend that an _sdk function has made.
 * @param [in] level enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or of the program's messages, or there is no such
 *   level
 * - DOCA_ERROR_NOT_PERMITTED: the backend may not become more talkative
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * @brief Sets the lower limit of all backends of the program's messages, present and future. INFO
 * at first.
 *
 * @param [in] level enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is no such level
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * @brief Sets the upper limit of all backends of the program's messages, present and future. CRIT
 * at first.
 *
 * @param [in] upper_limit enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is no such level
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * @brief Sets the lower limit of all backends of the libraries' messages, present and future. INFO
 * at first.
 *
 * @param [in] level enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is no such level
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * @brief What doca_log_level_set_global_lower_limit() has set.
 *
 * @return the level.
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * @brief What doca_log_level_set_global_upper_limit() has set.
 *
 * @return the level.
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * @brief What doca_log_level_set_global_sdk_limit() has set.
 *
 * @return the level.
 *
 * Any thread. Source: spec core 8.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * @brief How many backends of the program's messages there can be.
 *
 * @return the number.
 *
 * Any thread. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends(void);

/**
 * @brief How many backends of the libraries' messages there can be.
 *
 * @return the number.
 *
 * Any thread. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends_sdk(void);

/*
 * Loggers: levels per source. The sources A::B and A::C make a logger A with two below it.
 */

/**
 * @brief Lists loggers.
 *
 * @param [in] parent the logger whose descendants are wanted; NULL: the roots and theirs.
 * @param [in] depth how many generations; 0: all.
 * @param [out] loggers array of *nb_loggers elements and a NULL; give it back with
 *        doca_logger_destroy_list().
 * @param [out] nb_loggers how many elements.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: loggers or nb_loggers is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the list
 *
 * Any thread. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_create_list(const struct doca_logger *parent, uint8_t depth,
				     struct doca_logger ***loggers, uint32_t *nb_loggers);

/**
 * @brief Gives a list of doca_logger_create_list() back. The loggers stay.
 *
 * @param [in] loggers the list.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: loggers is NULL
 *
 * Any thread; the list is the caller's. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_destroy_list(struct doca_logger **loggers);

/**
 * @brief Sets the most talkative level that a logger lets through to the backends.
 *
 * @param [in] logger the logger.
 * @param [in] level enum doca_log_level.
 * @param [in] propagate not 0: all loggers below it as well.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: logger is NULL, or there is no such level
 *
 * Any thread. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate);

/**
 * @brief What doca_logger_set_level() has set; DOCA_LOG_LEVEL_TRACE, that is all, before.
 *
 * @param [in] logger the logger.
 * @param [out] level the level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level);

/**
 * @brief Full name of a logger, such as "A::B".
 *
 * @param [in] logger the logger.
 * @param [out] name DOCA_LOGGER_NAME_SIZE bytes; NUL-terminated.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_name(const struct doca_logger *logger,
				  char name[DOCA_LOGGER_NAME_SIZE]);

/**
 * @brief Looks a logger up in a list.
 *
 * @param [in] loggers a list of doca_logger_create_list().
 * @param [in] name full name of the logger.
 *
 * @return the logger; NULL when it is not in the list, or an argument is NULL.
 *
 * Any thread; the list is the caller's. Source: symbols of 3.1 to 3.3, behaviour inferred.
 */
DOCA_EXPERIMENTAL
struct doca_logger *doca_logger_find_by_name(struct doca_logger **loggers, const char *name);

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifdef DOCA_LEGACY_2_7
#include <softfield_log_2_7.h>
#endif
#include <softfield_log_2_2.h>

#endif /* DOCA_LOG_H_ */
