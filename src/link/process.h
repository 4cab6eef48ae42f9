/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether other processes live.
 */
#ifndef SOFTFIELD_LINK_PROCESS_H
#define SOFTFIELD_LINK_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Has it ended? It may be a zombie; 0 is a process that cannot be seen from here. */
bool process_is_dead(pid_t pid);
/* Has it ended, or begun to? Its sockets close one after another: it may still seem to listen. */
bool process_is_dying(pid_t pid);

/*
 * Any of its threads that has not begun to end. The first thread may have, by pthread_exit(), and
 * then shows nothing of the process: neither memory nor descriptors. 0: there is none.
 */
pid_t process_find_thread(pid_t pid);

/*
 * There is an instant in a death at which nothing shows it. So a process is believed to live only
 * after so many looks, this far apart.
 */
#define PROCESS_LOOKS	5
#define PROCESS_LOOK_NS 1000000

#endif
