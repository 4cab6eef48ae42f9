/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel may know and the system's headers may be too old to name. Whether the kernel at
 * hand does is what each call finds out.
 */
#ifndef SOFTFIELD_BASE_KERNEL_H
#define SOFTFIELD_BASE_KERNEL_H

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#ifndef MADV_POPULATE_READ /* Linux 5.14, glibc 2.35 */
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#ifndef MREMAP_DONTUNMAP /* Linux 5.7, glibc 2.32 */
#define MREMAP_DONTUNMAP 4
#endif

#ifndef SYS_pidfd_open /* Linux 5.3 and 5.6; the same for all processors */
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

#endif
