/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line as programs of release 1.3 have it: they fill in a structure for each flag,
 * their callbacks get the configuration first and answer nothing, and the parser ends a program
 * whose command line is wrong. doca_argp.h brings it. Not to be included by programs.
 *
 * The number of arguments of doca_argp_init() and doca_argp_start() tells which form is meant; what
 * comes between them follows the first. Everything here is inferred from public programs.
 */
#ifndef SOFTFIELD_ARGP_1_3_H_
#define SOFTFIELD_ARGP_1_3_H_

#include <stdbool.h>

#include <doca_argp.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <softfield_cast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the program is, for doca_argp_init(). */
struct doca_argp_program_type_config {
	bool is_dpdk; /**< it uses DPDK: rte_eal_init() gets what stands before -- */
	bool is_grpc; /**< it uses gRPC; nothing follows from it */
};

/** What doca_argp_start() tells of the flags that every program has. */
struct doca_argp_program_general_config {
	int log_level;	       /**< enum doca_log_level, also when it was given as 0 to 4 */
	char grpc_address[24]; /**< empty */
};

#ifndef SOFTFIELD_ARGP_INSIDE /* the library has a structure of its own of this name */
#define softfield_argp_param_1_3 doca_argp_param
#endif

/** A flag, for doca_argp_register_param(), which copies it. */
struct softfield_argp_param_1_3 {
	const char *short_flag;		  /**< without the dash */
	const char *long_flag;		  /**< without the dashes; NULL: none */
	const char *arguments;		  /**< for the usage text; NULL: none */
	const char *description;	  /**< for the usage text */
	void (*callback)(void *, void *); /**< gets the configuration, and the value */
	enum doca_argp_type arg_type;	  /**< what the value is; 0: text */
	bool is_mandatory;		  /**< it must be given */
	bool is_cli_only;		  /**< not in the configuration file */
};

/**
 * @brief doca_argp_init() up to release 1.3. Parameters are structures of the program's until
 * doca_argp_destroy().
 *
 * @param [in] program_name name for the usage text; NULL: from argv[0]. Copied.
 * @param [in] type what the program is; NULL: nothing special.
 * @param [in] program_config given to all callbacks.
 *
 * @return what doca_argp_init() answers.
 *
 * One thread: the parser is one for the process. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_argp_init_1_3(const char *program_name,
				     const struct doca_argp_program_type_config *type,
				     void *program_config);

/**
 * @brief doca_argp_start() up to release 1.3. What is wrong ends the program, with a message and
 * exit status 1.
 *
 * @param [in] argc number of arguments.
 * @param [in] argv the arguments; argv[0] is the program's name.
 * @param [out] general_config what every program is told, until the next call; NULL: not wanted.
 *
 * @return DOCA_SUCCESS
 *
 * One thread: the parser is one for the process. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_argp_start_1_3(int argc, char **argv,
				      struct doca_argp_program_general_config **general_config);

/**
 * The number of arguments chooses the form. In C, where literals have commas, too, the compiler
 * counts if there may be more than two.
 */
#ifdef __cplusplus
#define SOFTFIELD_ARGP_FORM(form_1_3, today, ...) SOFTFIELD_PICK_3(__VA_ARGS__, form_1_3, today, 0)
#else
#define SOFTFIELD_ARGP_TWO(today)		~, today
#define SOFTFIELD_ARGP_SECOND(...)		SOFTFIELD_PICK_1(__VA_ARGS__)
#define SOFTFIELD_ARGP_SIZE_OF_REST(first, ...) sizeof((const volatile void *const[]){__VA_ARGS__})
#define SOFTFIELD_ARGP_FORM(form_1_3, today, ...)                                                  \
	SOFTFIELD_ARGP_SECOND(                                                                     \
		SOFTFIELD_PICK_2(__VA_ARGS__, SOFTFIELD_ARGP_TWO(today), 0),                       \
		__extension__ __builtin_choose_expr(SOFTFIELD_ARGP_SIZE_OF_REST(__VA_ARGS__) ==    \
							    2 * sizeof(void *),                    \
						    form_1_3, today),                              \
		0)
#endif
#define doca_argp_init(...)                                                                        \
	SOFTFIELD_ARGP_FORM(softfield_argp_init_1_3, doca_argp_init, __VA_ARGS__)(__VA_ARGS__)
#define doca_argp_start(...)                                                                       \
	SOFTFIELD_ARGP_FORM(softfield_argp_start_1_3, doca_argp_start, __VA_ARGS__)(__VA_ARGS__)

#ifdef DOCA_LEGACY_1_4
/** Callbacks of that age have other types: two pointers, no answer. */
#define doca_argp_register_version_callback(callback)                                              \
	doca_argp_register_version_callback(                                                       \
		SOFTFIELD_CAST(doca_argp_param_cb_t, SOFTFIELD_CAST(void (*)(void), callback)))
#define doca_argp_register_validation_callback(callback)                                           \
	doca_argp_register_validation_callback(SOFTFIELD_CAST(                                     \
		doca_argp_validation_cb_t, SOFTFIELD_CAST(void (*)(void), callback)))
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_ARGP_1_3_H_ */
