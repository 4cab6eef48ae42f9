/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration file between its files: config_json.c, and config_hosts.c for who may connect.
 */
#ifndef SOFTFIELD_TARGET_CONFIG_JSON_H
#define SOFTFIELD_TARGET_CONFIG_JSON_H

#include "target.h"

#include "topo/reader.h"

#define CONFIG_KEY_BEGINS "DHHC-1:"

doca_error_t config_read_nqn(struct reader *reader, struct json_object *value, const char **ret);
/* target: struct subsys_config */
doca_error_t config_read_hosts(struct reader *reader, struct json_object *value, void *target);

#endif
