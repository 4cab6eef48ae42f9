/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Standard output and error, which may be pipes that nobody reads, or whose reader goes: hosts are
 * served nevertheless.
 */
#include "target.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT_MAX (1u << 20) /* what is said while there is more than that is lost */

static struct {
	char *text; /* being made */
	size_t size;
	char *kept; /* not written yet */
	size_t kept_size;
} output;

/*
 * Errors are for now: what finds no room is lost. The pipe is opened once more because others, who
 * have it from us or from whom we have it, do not expect that it does not block.
 */
void output_init(void)
{
	struct stat st;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	if (fstat(STDERR_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return;
	fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDERR_FILENO);
	close(fd);
}

FILE *output_begin(void)
{
	FILE *file = open_memstream(&output.text, &output.size);

	if (!file) {
		fputs("softfield target: out of memory\n", stderr);
		exit(1);
	}
	return file;
}

static void keep(void)
{
	char *kept = output.kept_size < KEPT_MAX
			     ? realloc(output.kept, output.kept_size + output.size)
			     : NULL;

	if (!kept)
		return;
	memcpy(kept + output.kept_size, output.text, output.size);
	output.kept = kept;
	output.kept_size += output.size;
}

void output_end(FILE *file)
{
	fclose(file);
	if (output.size)
		keep();
	free(output.text);
	output_flush();
}

bool output_flush(void)
{
	struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};

	/* A pipe that is ready takes PIPE_BUF bytes at once. */
	while (output.kept_size && poll(&fd, 1, 0) > 0) {
		size_t size = output.kept_size < PIPE_BUF ? output.kept_size : PIPE_BUF;
		ssize_t n = write(STDOUT_FILENO, output.kept, size);

		if (n <= 0)
			n = (ssize_t)output.kept_size; /* nobody ever will */
		output.kept_size -= (size_t)n;
		memmove(output.kept, output.kept + n, output.kept_size);
	}
	if (output.kept_size)
		return false;
	free(output.kept);
	output.kept = NULL;
	return true;
}
