/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *	confined PROGRAM [ARGUMENT...]
 *
 * Runs a program as in a container whose filter forbids what reaches into other processes, and
 * userfaultfd.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/kernel.h"

#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

#define LOAD(member)	  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define FORBID		  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define FORBID_IF(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), FORBID

static int confine(void)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		FORBID_IF(SYS_ptrace),
		FORBID_IF(SYS_process_vm_readv),
		FORBID_IF(SYS_process_vm_writev),
		FORBID_IF(SYS_kcmp),
		FORBID_IF(SYS_pidfd_getfd),
		FORBID_IF(SYS_userfaultfd),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		LOAD(args[1]),
		FORBID_IF(USERFAULTFD_IOC_NEW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (confine()) {
		fprintf(stderr, "seccomp: %s\n", strerror(errno));
		return 77;
	}
	execv(argv[1], argv + 1);
	fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
	return 1;
}
