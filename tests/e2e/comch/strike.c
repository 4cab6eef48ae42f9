/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program and kills it with SIGKILL: at its N-th system call after the first line it prints,
 * before or after the kernel has done it, or some microseconds after its start. The first way meets
 * every step of what a program does with the kernel, again and again at the same place; the second
 * one meets what happens in between.
 *
 * usage: strike call|us N PROGRAM [ARGUMENT...]
 * exit status: 0 killed; 77 this machine does not let it trace; 1 it ended by itself
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static pid_t start(char **command, bool traced)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	execv(command[0], command);
	perror(command[0]);
	_exit(2);
}

/* waits for the next stop; ends us when the program ends */
static int next_stop(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	if (WIFEXITED(status))
		exit(WEXITSTATUS(status) == 77 ? 77 : 1);
	if (WIFSIGNALED(status))
		exit(1);
	return WSTOPSIG(status);
}

/* has the program just begun to print? */
static bool is_print(pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
		fail("PTRACE_GET_SYSCALL_INFO");
	return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_write &&
	       info.entry.args[0] == STDOUT_FILENO;
}

/* each system call stops the program twice */
static void run_to_call(pid_t pid, unsigned long stops)
{
	bool counting = false;
	int signal = 0;

	next_stop(pid); /* execve */
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		fail("PTRACE_SETOPTIONS");
	while (stops) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, signal))
			fail("PTRACE_SYSCALL");
		signal = next_stop(pid);
		if (signal != (SIGTRAP | 0x80))
			continue; /* a real one: handed on */
		signal = 0;
		counting = counting || is_print(pid);
		stops -= counting;
	}
}

static void wait_us(unsigned long us)
{
	struct timespec delay = {.tv_sec = (time_t)(us / 1000000),
				 .tv_nsec = (long)(us % 1000000) * 1000};

	while (nanosleep(&delay, &delay) && errno == EINTR)
		;
}

int main(int argc, char **argv)
{
	unsigned long n;
	bool by_call;
	int status;
	pid_t pid;

	if (argc < 4 || (strcmp(argv[1], "call") && strcmp(argv[1], "us"))) {
		fprintf(stderr, "usage: %s call|us N PROGRAM [ARGUMENT...]\n", argv[0]);
		return 2;
	}
	by_call = !strcmp(argv[1], "call");
	n = strtoul(argv[2], NULL, 10);
	pid = start(argv + 3, by_call);
	if (by_call)
		run_to_call(pid, n);
	else
		wait_us(n);
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
}
