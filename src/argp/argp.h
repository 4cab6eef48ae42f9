/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of libdoca_argp. A process has one command line, so there is one struct argp, from
 * doca_argp_init() to doca_argp_destroy(). doca_argp_start() works in two halves: everything that
 * the user has given is read and checked first (line.c, json.c, value.c); then the callbacks run.
 *
 * Flags belong to commands. The program itself is the command "root"; its parent is the command
 * "doca", which owns the flags that every program has. A flag is looked up from the command in hand
 * upwards, so a command may use a name that means something else above it.
 */
#ifndef SOFTFIELD_ARGP_ARGP_H
#define SOFTFIELD_ARGP_ARGP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/list.h"
#include "base/log.h"
#define SOFTFIELD_ARGP_INSIDE
#include "doca_argp.h"

struct json_object;

/* A callback of release 1.3: gets the configuration, and the value; answers nothing. */
typedef void (*argp_cb_1_3_t)(void *, void *);

struct doca_argp_param {
	struct list_node node;	     /* in the owner's params, or in argp->loose_params */
	struct doca_argp_cmd *owner; /* NULL: not registered */
	char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	argp_cb_1_3_t callback_1_3; /* instead of the other one */
	enum doca_argp_type type;
	bool mandatory, cli_only, multiple, singular, inherited, hidden;
	bool no_memory; /* a setter could not copy its text */
	unsigned int uses;
};

struct doca_argp_cmd {
	struct list_node node;	      /* in the parent's cmds, or in argp->loose_cmds */
	struct doca_argp_cmd *parent; /* NULL: not registered */
	struct list_node params, cmds;
	char *name, *description;
	doca_argp_cmd_cb_t callback;
	bool hidden, no_memory;
};

/* A flag that was given, with its value. */
struct argp_value {
	struct doca_argp_param *param;
	char *text; /* as given */
	union {
		int number;
		double real;
		bool boolean;
	};
};

/* A device that was opened for a flag. */
struct argp_device {
	struct list_node node;
	char *text;		 /* what devargs points into */
	struct doca_dev *parent; /* of a representor: ours to close */
};

struct argp {
	char *program_name; /* NULL: from argv[0], in doca_argp_start() */
	void *config;
	struct doca_argp_cmd doca, root;
	struct doca_argp_param *help, *version, *json_path;
	struct list_node loose_params, loose_cmds; /* created, not registered */
	doca_argp_param_cb_t version_cb;
	doca_argp_validation_cb_t validation_cb;
	doca_argp_logger_cb_t logger_cb;
	doca_argp_dpdk_cb_t dpdk_cb;
	doca_argp_dev_open_cb_t dev_open_cb;
	void *dev_open_arg;
	bool form_1_3;			/* see softfield_argp_init_1_3() */
	bool lenient;			/* ignores unknown JSON keys */
	bool started;			/* everything was fine */
	bool running;			/* in doca_argp_start() */
	int log_level, sdk_log_level;	/* as given; 0: not */
	struct doca_argp_cmd *selected; /* the innermost command given, or root */
	struct argp_value *values;	/* of the command line, then of JSON */
	size_t value_count, value_capacity;
	size_t line_value_count;  /* those of the command line */
	struct json_object *json; /* the strings of values point into it */
	char **dpdk_flags;	  /* copies, without the program's name */
	size_t dpdk_flag_count;
	struct list_node devices;
};

#define ARGP_LABEL_SIZE 128

/* argp.c */
struct argp *argp_current(void); /* NULL: not initialised */
/* the current one, or NULL once it has been started: for everything that registers something */
struct argp *argp_configurable(void);
/* frees everything and ends the program: after the help or the version */
_Noreturn void argp_leave(void);
__attribute__((format(printf, 3, 4))) void
argp_log(enum doca_log_level level, const struct log_place *place, const char *format, ...);
#define argp_err(...)                                                                              \
	argp_log(DOCA_LOG_LEVEL_ERROR,                                                             \
		 &(const struct log_place){"argp", __FILE__, __LINE__, __func__}, __VA_ARGS__)

/* param.c */
/* NO_MEMORY */
doca_error_t param_new(struct argp *argp, struct doca_argp_param **ret_param);
void param_free(struct doca_argp_param *param);
/* takes ownership whatever the answer; errors as doca_argp_register_param() */
doca_error_t param_register(struct doca_argp_cmd *cmd, struct doca_argp_param *param);
/* by name from cmd upwards; NULL: none */
struct doca_argp_param *param_find_short(const struct doca_argp_cmd *cmd, const char *name);
struct doca_argp_param *param_find_long(const struct doca_argp_cmd *cmd, const char *name,
					size_t len);
/* "-p/--pci-addr" for messages */
const char *param_label(const struct doca_argp_param *param, char buf[ARGP_LABEL_SIZE]);
/* copies text to *ret_copy, freeing what was there; false: no memory */
bool argp_copy_text(const char *text, char **ret_copy);

/* argp_1_3.c: what programs of release 1.3 do otherwise */
/* errors as doca_argp_register_param() */
doca_error_t param_register_1_3(struct argp *argp, const struct softfield_argp_param_1_3 *form);
/* calls back as that release did; callback: of that age, whatever its type says */
void call_1_3(void (*callback)(void), void *config, void *param);
/* a level as it was counted then, from 0, as today's; others are what they are */
int log_level_from_1_3(int level);

/* cmd.c */
void cmd_init(struct doca_argp_cmd *cmd, struct doca_argp_cmd *parent);
void cmd_fini(struct doca_argp_cmd *cmd);
void cmd_free(struct doca_argp_cmd *cmd);
struct doca_argp_cmd *cmd_find(struct doca_argp_cmd *parent, const char *name);

/* builtin.c: the flags that every program has */
doca_error_t builtin_register(struct argp *argp);

/* line.c: the command line. NOT_SUPPORTED, INVALID_VALUE, NO_MEMORY */
doca_error_t line_parse(struct argp *argp, int argc, char **argv);

/* json.c: the configuration file. IO_FAILED, NOT_SUPPORTED, INVALID_VALUE, NO_MEMORY */
doca_error_t json_load(struct argp *argp, const char *path);
/* the same for text that is in memory; file: its name in messages */
doca_error_t json_take(struct argp *argp, const char *file, const char *text, size_t size);
/* NULL: not a string, or one that would end at a \u0000 in it */
const char *json_text(struct json_object *value);
void json_free(struct argp *argp);

/* value.c */
/*
 * Remembers a use of param. file: where it comes from, for messages; NULL: the command line.
 * INVALID_VALUE: not a value of its type, or one use too many. NO_MEMORY
 */
doca_error_t value_add(struct argp *argp, struct doca_argp_param *param, char *text,
		       const char *file);
/* INVALID_VALUE: a mandatory flag is missing, or a singular one is not alone */
doca_error_t value_check_all(const struct argp *argp);
/* runs the callback; its answer */
doca_error_t value_call(struct argp *argp, struct argp_value *value);
/* is the JSON type the one that a flag of this type takes? expects: what it takes, for messages */
bool value_type_takes_json(enum doca_argp_type type, const struct json_object *object);
const char *value_type_expects(enum doca_argp_type type);
bool value_type_is_known(enum doca_argp_type type);

/* device.c: opens what text names and hands it to the callback */
doca_error_t device_call(struct argp *argp, struct doca_argp_param *param, const char *text);
doca_error_t device_rep_call(struct argp *argp, struct doca_argp_param *param, const char *text);
void device_close_all(struct argp *argp);

/* dpdk.c: flags for DPDK, from the command line or from JSON */
doca_error_t dpdk_add_flag(struct argp *argp, const char *flag);
doca_error_t dpdk_take_json(struct argp *argp, const char *file, struct json_object *section);
doca_error_t dpdk_call(struct argp *argp, char *program);
void dpdk_free(struct argp *argp);

/* usage.c */
void usage_print(const struct argp *argp, const struct doca_argp_cmd *cmd, FILE *file);

#endif
