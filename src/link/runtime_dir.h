/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runtime folder: sockets of servers as files, and what the dead have left of them.
 *
 * A file outlives a killed server. Whoever comes by removes it, with the folder locked: between
 * bind() and listen() a socket looks dead and is not.
 */
#ifndef SOFTFIELD_LINK_RUNTIME_DIR_H
#define SOFTFIELD_LINK_RUNTIME_DIR_H

#include "link/address.h"

/*
 * For a server that is about to bind the address: makes the folder if need be, locks it until
 * runtime_dir_unlock(), and removes what dead servers have left. A process that never gives the
 * lock back keeps nobody from starting: then *ret_fd is -1 and nothing is removed.
 */
doca_error_t runtime_dir_lock(const struct address *address, int *ret_fd);
void runtime_dir_unlock(const int *fd);
/*
 * For others: removes the file if no server listens on it. Waits for nobody: AGAIN, if the folder
 * is locked. NOT_FOUND; IN_USE: there is a server. ret_pid: its process, or -1
 */
doca_error_t runtime_dir_sweep(const struct address *address, pid_t *ret_pid);
/* Removes what dead servers of any name have left, as everybody does who comes by. */
void runtime_dir_tidy(void);
/* Removes the file of a server of this process; not another's that has taken its place. */
void runtime_dir_unlink(const struct address *address);
/* Calls visit with the address of each file of ours; not an error: no folder */
doca_error_t runtime_dir_visit(void (*visit)(const struct address *address, void *arg), void *arg);

#endif
