/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command line and JSON file of a program.
 *
 * Order of calls: doca_argp_init(), parameters and commands, doca_argp_start(), the program, and
 * doca_argp_destroy().
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a parameter, and what its callback gets. */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0, /**< not set */
	DOCA_ARGP_TYPE_STRING = 1,  /**< char *: the text itself */
	DOCA_ARGP_TYPE_INT = 2,	    /**< int * */
	DOCA_ARGP_TYPE_BOOLEAN = 3, /**< bool *, true; takes no value on the command line */
#ifdef DOCA_ARGP_LEGACY_3_0
	/** Up to release 3.0: a JSON object. The name compiles; the library takes 4 as DEVICE. */
	DOCA_ARGP_TYPE_JSON_OBJ = 4,
#else
	DOCA_ARGP_TYPE_DEVICE = 4, /**< struct doca_argp_device_ctx *: an open device */
#endif
	DOCA_ARGP_TYPE_DEVICE_REP =
		5,		   /**< struct doca_argp_device_rep_ctx *: an open representor */
	DOCA_ARGP_TYPE_DOUBLE = 6, /**< double * */
};

/** A parameter. */
struct doca_argp_param;

/** A command: a word on the command line with parameters of its own. */
struct doca_argp_cmd;

/**
 * What the callback of a parameter of type DEVICE gets. The program closes the device, unless the
 * callback fails.
 */
struct doca_argp_device_ctx {
	struct doca_dev *dev; /**< the device */
	/** what followed the name after a comma, until doca_argp_destroy(); NULL: nothing */
	const char *devargs;
};

/**
 * What the callback of a parameter of type DEVICE_REP gets. The program closes the representor,
 * unless the callback fails; doca_argp_destroy() closes the device.
 */
struct doca_argp_device_rep_ctx {
	struct doca_argp_device_ctx dev_ctx; /**< the device */
	struct doca_dev_rep *dev_rep;	     /**< its representor */
};

/**
 * Tells the value of a parameter. Its first argument points to the value, as enum doca_argp_type
 * says, and is valid during the call only; the second is the program_config of doca_argp_init(). An
 * error ends doca_argp_start(), which returns it.
 *
 * The version callback has the same type; its first argument is NULL.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/** Tells that a command was given, after its parameters. Gets program_config. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/** Gets the flags that are meant for DPDK, argv[0] being the program's name. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/** Checks the values as a whole, after all parameters. Gets program_config. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/** Gets the messages of the parser itself instead of the log. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
					      va_list args);

/** Opens the device that a parameter names instead of doca_dev_open(); usr_ctx is as registered. */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(struct doca_devinfo *devinfo, void *usr_ctx,
						struct doca_dev **dev);

#ifdef DOCA_LEGACY_2_2
/* What releases up to 2.2 called these types. */
typedef doca_argp_param_cb_t callback_func;
typedef doca_argp_dpdk_cb_t dpdk_callback;
typedef doca_argp_validation_cb_t validation_callback;
#endif

/*
 * Program
 */

/**
 * @brief Prepares the parser. First call of all; doca_argp_destroy() is the last.
 *
 * @param [in] program_name name for the usage text; NULL: from argv[0]. Copied.
 * @param [in] program_config given to all callbacks.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the parser is prepared already
 * - DOCA_ERROR_INVALID_VALUE: program_name is empty
 * - DOCA_ERROR_NO_MEMORY: no memory
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * @brief Frees the parser with all parameters and commands. doca_argp_init() may be called again.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * @brief Parses the command line and the JSON file that it names, and calls the callbacks.
 *
 * Callbacks of parameters run in the order of the command line, then those of the file for what
 * the command line has not given, then the validation callback; an error of theirs is returned as
 * it is. Built in are -h --help (usage text, exit status 0), -v --version (version callback, exit
 * status 0), -l --log-level and --sdk-log-level (a number of enum doca_log_level), and -j --json
 * (file with the sections doca_dpdk_flags, doca_general_flags and doca_program_flags; long names
 * are the keys, also outside of them).
 *
 * @param [in] argc number of arguments; 0 with NULL: none.
 * @param [in] argv the arguments; argv[0] is the program's name.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, doca_argp_start() has succeeded already,
 *   or a callback has called it, or doca_argp_destroy()
 * - DOCA_ERROR_INITIALIZATION: on a card only, never here
 * - DOCA_ERROR_INVALID_VALUE: argv is NULL or one of the arguments is, argc is less than 1, a value
 *   is wrong, missing, or given twice, or a mandatory parameter is missing
 * - DOCA_ERROR_NOT_SUPPORTED: a flag, a command, or a key of the file, is unknown
 * - DOCA_ERROR_IO_FAILED: the file cannot be read, or is no JSON
 * - DOCA_ERROR_NO_MEMORY: no memory
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * @brief Prints the usage text to standard output: "DOCA Flags", then "Program Flags".
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * @brief Sets what -v and --version do before the program ends. Unless set: print the versions.
 *
 * @param [in] callback the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * @brief Registers the callback that checks the values as a whole.
 *
 * @param [in] callback the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * @brief Registers the callback that gets the parser's own messages.
 *
 * @param [in] callback the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 * - DOCA_ERROR_ALREADY_EXIST: there is one already
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * @brief Undoes doca_argp_register_logger_callback().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * @brief Declares that the program uses DPDK: what stands before -- on the command line is for
 * DPDK.
 *
 * @param [in] callback gets those flags.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * @brief Registers the callbacks that open the devices that parameters of type DEVICE and
 * DEVICE_REP name.
 *
 * @param [in] callback the callback.
 * @param [in] usr_ctx given to it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx);

/**
 * @brief Lets unknown keys of the JSON file pass.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_pedantic_config_parsing(void);

/**
 * @brief Level of -l, or the global lower limit when it was not given.
 *
 * @param [out] log_level enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: log_level is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * @brief Level of --sdk-log-level, or the global limit of the libraries when it was not given.
 *
 * @param [out] log_level enum doca_log_level.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: log_level is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/*
 * Parameters. Type, callback, description and a short or a long name are required. Strings are
 * copied. Setters of one that is registered do nothing with what registering it would refuse, and
 * take no name away.
 */

/**
 * @brief Creates a parameter.
 *
 * @param [out] param the parameter; registering it gives it away, else doca_argp_param_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: param is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * @brief Destroys a parameter that was not registered.
 *
 * @param [in] param the parameter.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or the parameter was registered
 * - DOCA_ERROR_INVALID_VALUE: param is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * @brief Adds a parameter to the program. The parser owns it from then on, also when this fails.
 *
 * The short names of the built-in flags are free: a program may have a -l of its own, and the level
 * is set by --log-level then.
 *
 * @param [in] input_param the parameter.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, doca_argp_start() was, or the
 *   parameter was registered
 * - DOCA_ERROR_INITIALIZATION: something required is missing, or a name is taken
 * - DOCA_ERROR_NO_MEMORY: a setter of it found no memory
 * - DOCA_ERROR_INVALID_VALUE: input_param is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * @brief Sets the name after one dash, without it. It may have several characters.
 *
 * @param [in] param the parameter, not registered.
 * @param [in] name the name.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * @brief Sets the name after two dashes, without them; also the key in the JSON file.
 *
 * @param [in] param the parameter, not registered.
 * @param [in] name the name.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * @brief Sets what the usage text shows after the name, such as "<path>".
 *
 * @param [in] param the parameter, not registered.
 * @param [in] arguments the text.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * @brief Sets the description shown in the usage text.
 *
 * @param [in] param the parameter, not registered.
 * @param [in] description the text.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * @brief Sets the callback that gets the value.
 *
 * @param [in] param the parameter, not registered.
 * @param [in] callback the callback.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * @brief Sets the type.
 *
 * @param [in] param the parameter, not registered.
 * @param [in] type the type.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * @brief Makes a parameter mandatory.
 *
 * @param [in] param the parameter, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * @brief Lets a parameter be given on the command line only, not in the JSON file.
 *
 * @param [in] param the parameter, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * @brief Lets a parameter be given several times (in the JSON file: as an array). Its callback
 * runs for each.
 *
 * @param [in] param the parameter, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * @brief Makes a parameter singular: when it is given, it must be the only one.
 *
 * @param [in] param the parameter, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * @brief Lets the commands below take a parameter, too.
 *
 * @param [in] param the parameter, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * @brief Leaves a parameter out of the usage text.
 *
 * @param [in] param the parameter, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/*
 * Commands. Name and description are required. Strings are copied. Setters of one that is
 * registered do nothing with what registering it would refuse.
 */

/**
 * @brief Creates a command.
 *
 * @param [out] cmd the command; registering it gives it away, else doca_argp_cmd_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: cmd is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or doca_argp_start() was
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * @brief Destroys a command that was not registered, with its parameters and commands.
 *
 * @param [in] cmd the command.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, or the command was registered
 * - DOCA_ERROR_INVALID_VALUE: cmd is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * @brief Adds a command to the program. The parser owns it from then on, also when this fails.
 *
 * @param [in] input_cmd the command.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, doca_argp_start() was, or the
 *   command was registered
 * - DOCA_ERROR_INITIALIZATION: something required is missing, or the name is taken
 * - DOCA_ERROR_NO_MEMORY: a setter of it found no memory
 * - DOCA_ERROR_INVALID_VALUE: input_cmd is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * @brief Adds a parameter to a command. The command owns it from then on, also when this fails.
 *
 * @param [in] cmd the command.
 * @param [in] input_param the parameter.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, doca_argp_start() was, or the
 *   parameter was registered
 * - DOCA_ERROR_INITIALIZATION: something required is missing, or a name is taken
 * - DOCA_ERROR_NO_MEMORY: a setter of it found no memory
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param);

/**
 * @brief Adds a command to another command, which owns it from then on, also when this fails.
 *
 * @param [in] cmd the command above.
 * @param [in] input_cmd the command below.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init() was not called, doca_argp_start() was, or input_cmd
 *   was registered
 * - DOCA_ERROR_INITIALIZATION: something required is missing, or the name is taken
 * - DOCA_ERROR_NO_MEMORY: a setter of it found no memory
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or cmd is input_cmd or below it
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * @brief Sets the word on the command line.
 *
 * @param [in] cmd the command, not registered.
 * @param [in] name the word.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * @brief Sets the description shown in the usage text.
 *
 * @param [in] cmd the command, not registered.
 * @param [in] description the text.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * @brief Sets the callback for a command that was given.
 *
 * @param [in] cmd the command, not registered.
 * @param [in] callback the callback.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * @brief Leaves a command out of the usage text.
 *
 * @param [in] cmd the command, not registered.
 *
 * One thread: the parser is one for the process. Source: spec core 9.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_argp_1_3.h>

#endif /* DOCA_ARGP_H_ */
