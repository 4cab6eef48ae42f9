/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sub-commands of softfield: each gets its own arguments, argv[0] being its name, and returns
 * the exit code.
 */
#ifndef SOFTFIELD_TOOLS_COMMANDS_H
#define SOFTFIELD_TOOLS_COMMANDS_H

int command_devices(int argc, char **argv);
int command_servers(int argc, char **argv);
int command_limits(int argc, char **argv);
int command_topology(int argc, char **argv);
int command_target(int argc, char **argv);
int command_version(int argc, char **argv);

#endif
