/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forking, pinning, and not outliving each other.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pair.h"

void bench_fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

void *pair_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		bench_fail("cannot map %zu shared bytes: %s", size, strerror(errno));
	return memory;
}

void pair_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_fail("cannot run on CPU %d: %s", cpu, strerror(errno));
}

/* Only async-signal-safe calls: the parent may be anywhere. */
static void child_ended(int signal_number)
{
	static const char text[] = "bench: the answering process failed\n";
	siginfo_t info = {0};

	(void)signal_number;
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
		return;
	if (info.si_code == CLD_EXITED && info.si_status == 0)
		return;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0)
		_exit(1);
	_exit(1);
}

pid_t pair_fork(const int cpu[2], void (*answer)(void *arg), void *arg)
{
	struct sigaction action = {.sa_handler = child_ended, .sa_flags = SA_RESTART};
	pid_t parent = getpid();
	pid_t child;

	fflush(stdout);
	sigaction(SIGCHLD, &action, NULL);
	child = fork();
	if (child < 0)
		bench_fail("cannot fork: %s", strerror(errno));
	if (child == 0) {
		signal(SIGCHLD, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) /* it died before prctl() */
			_exit(1);
		pair_pin(cpu[1]);
		answer(arg);
		exit(0);
	}
	pair_pin(cpu[0]);
	return child;
}

void pair_join(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			bench_fail("lost the answering process: %s", strerror(errno));
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		bench_fail("the answering process failed");
}
