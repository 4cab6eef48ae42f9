/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QEMU with an NVMe controller and nothing that runs.
 *
 * Doorbells are words of ours: a thread looks for changes and writes the registers. A change that
 * is overwritten before it looks is no loss, as with any doorbell only the latest value counts.
 */
#include "qtest.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/list.h"

#define QEMU	   "qemu-system-x86_64"
#define RAM_SIZE   (128u << 20)
#define HEAP_START (1u << 20) /* below are the processor's things */
#define PAGE	   4096u
#define BAR	   0xfe000000u /* anywhere in the hole for 32-bit PCI devices */
#define DEVICE	   0x80000000u | 4u << 11
#define DOORBELLS  64u /* registers of 4 bytes from 0x1000 on */

struct qtest {
	struct nvme_bus bus;
	char folder[64];
	pid_t pid;
	FILE *lines;
	pthread_mutex_t lock; /* the socket */
	uint8_t *ram;
	uint16_t owner_pages[RAM_SIZE /
			     PAGE]; /* of the piece that starts here; 0: free, or inside */
	uint8_t used[RAM_SIZE / PAGE];
	pthread_mutex_t heap_lock;
	_Atomic uint32_t doorbells[DOORBELLS], written[DOORBELLS];
	pthread_t pump;
	atomic_bool stopping;
};

static void die(const char *what)
{
	perror(what);
	abort();
}

/*
 * The socket
 */

static uint64_t ask(struct qtest *qtest, const char *line)
{
	char answer[256];
	uint64_t value = 0;

	pthread_mutex_lock(&qtest->lock);
	if (fprintf(qtest->lines, "%s\n", line) < 0 || fflush(qtest->lines))
		die("qtest: writing");
	do {
		if (!fgets(answer, sizeof(answer), qtest->lines))
			die("qtest: QEMU has gone away");
	} while (!strncmp(answer, "IRQ", 3));
	if (strncmp(answer, "OK", 2) != 0) {
		fprintf(stderr, "qtest: %s: %s", line, answer);
		abort();
	}
	if (answer[2] == ' ')
		value = strtoull(answer + 3, NULL, 0);
	pthread_mutex_unlock(&qtest->lock);
	return value;
}

static void set_config(struct qtest *qtest, unsigned int reg, uint32_t value)
{
	char line[64];

	snprintf(line, sizeof(line), "outl 0xcf8 %#x", DEVICE | reg);
	ask(qtest, line);
	snprintf(line, sizeof(line), "outl 0xcfc %#x", value);
	ask(qtest, line);
}

static struct qtest *qtest_of(struct nvme_bus *bus)
{
	return container_of(bus, struct qtest, bus);
}

static uint32_t bus_read(struct nvme_bus *bus, uint32_t reg)
{
	char line[64];

	snprintf(line, sizeof(line), "readl %#x", BAR + reg);
	return (uint32_t)ask(qtest_of(bus), line);
}

static void bus_write(struct nvme_bus *bus, uint32_t reg, uint32_t value)
{
	char line[64];

	snprintf(line, sizeof(line), "writel %#x %#x", BAR + reg, value);
	ask(qtest_of(bus), line);
}

static _Atomic uint32_t *bus_doorbell(struct nvme_bus *bus, uint32_t reg)
{
	struct qtest *qtest = qtest_of(bus);
	unsigned int index = (reg - NVME_PROP_DOORBELLS) / 4;

	if (index >= DOORBELLS)
		abort();
	/* of a queue that is new: what an older one left is no value that it could ring with */
	atomic_store(&qtest->doorbells[index], 0);
	while (atomic_load(&qtest->written[index]))
		sched_yield();
	return &qtest->doorbells[index];
}

static void *pump(void *arg)
{
	struct qtest *qtest = arg;
	unsigned int i;

	while (!atomic_load(&qtest->stopping)) {
		bool idle = true;

		for (i = 0; i < DOORBELLS; i++) {
			uint32_t value = atomic_load(&qtest->doorbells[i]);

			if (value == atomic_load(&qtest->written[i]))
				continue;
			bus_write(&qtest->bus, NVME_PROP_DOORBELLS + 4 * i, value);
			atomic_store(&qtest->written[i], value);
			idle = false;
		}
		if (idle)
			sched_yield();
	}
	return NULL;
}

/*
 * Bus memory: the first free run of pages
 */

static bool is_free(const struct qtest *qtest, size_t page, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (qtest->used[page + i])
			return false;
	return true;
}

void *qtest_alloc(struct qtest *qtest, size_t size)
{
	size_t count = (size + PAGE - 1) / PAGE, page = HEAP_START / PAGE;
	void *memory = NULL;

	pthread_mutex_lock(&qtest->heap_lock);
	while (page + count <= RAM_SIZE / PAGE && !is_free(qtest, page, count))
		page++;
	if (page + count <= RAM_SIZE / PAGE) {
		memset(&qtest->used[page], 1, count);
		qtest->owner_pages[page] = (uint16_t)count;
		memory = qtest->ram + page * PAGE;
		memset(memory, 0, count * PAGE);
	}
	pthread_mutex_unlock(&qtest->heap_lock);
	return memory;
}

void qtest_free(struct qtest *qtest, void *memory)
{
	size_t page = (size_t)((uint8_t *)memory - qtest->ram) / PAGE;

	pthread_mutex_lock(&qtest->heap_lock);
	if (!qtest->owner_pages[page])
		abort();
	memset(&qtest->used[page], 0, qtest->owner_pages[page]);
	qtest->owner_pages[page] = 0;
	pthread_mutex_unlock(&qtest->heap_lock);
}

uint64_t qtest_address(const struct qtest *qtest, const void *memory)
{
	uint64_t at = (uint64_t)((const uint8_t *)memory - qtest->ram);

	return at < RAM_SIZE ? at : UINT64_MAX;
}

static void *bus_alloc(struct nvme_bus *bus, size_t size, uint64_t *ret_addr)
{
	void *memory = qtest_alloc(qtest_of(bus), size);

	if (memory)
		*ret_addr = qtest_address(qtest_of(bus), memory);
	return memory;
}

static void bus_free(struct nvme_bus *bus, void *memory)
{
	qtest_free(qtest_of(bus), memory);
}

static void bus_close(struct nvme_bus *bus)
{
	(void)bus;
}

static const struct nvme_bus_ops qtest_ops = {
	.read = bus_read,
	.write = bus_write,
	.doorbell = bus_doorbell,
	.alloc = bus_alloc,
	.free = bus_free,
	.close = bus_close,
};

struct nvme_bus *qtest_bus(struct qtest *qtest)
{
	return &qtest->bus;
}

/*
 * QEMU
 */

bool qtest_is_possible(void)
{
	return system("command -v " QEMU " >/dev/null 2>&1") == 0;
}

static int make_file(const struct qtest *qtest, const char *name, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", qtest->folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		die(path);
	return fd;
}

static void make_files(struct qtest *qtest)
{
	static const uint8_t halt[] = {0xfa, 0xf4, 0xeb, 0xfd}; /* cli; hlt; jmp to the hlt */
	int fd = make_file(qtest, "bios", 65536);

	if (pwrite(fd, halt, sizeof(halt), 65520) != sizeof(halt)) /* where the processor starts */
		die("bios");
	close(fd);
	close(make_file(qtest, "disk", QTEST_DISK_SIZE));
	fd = make_file(qtest, "ram", RAM_SIZE);
	qtest->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (qtest->ram == MAP_FAILED)
		die("ram");
	close(fd);
}

static void run_qemu(const struct qtest *qtest, pid_t parent)
{
	char bios[128], socket[128], memory[192], drive[192], size[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	snprintf(bios, sizeof(bios), "%s/bios", qtest->folder);
	snprintf(socket, sizeof(socket), "unix:%s/socket", qtest->folder);
	snprintf(memory, sizeof(memory),
		 "memory-backend-file,id=m,size=%u,mem-path=%s/ram,share=on", RAM_SIZE,
		 qtest->folder);
	snprintf(drive, sizeof(drive), "if=none,id=d,format=raw,file=%s/disk", qtest->folder);
	snprintf(size, sizeof(size), "%u", RAM_SIZE >> 20);
	execlp(QEMU, QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-accel", "tcg",
	       "-bios", bios, "-qtest", socket, "-qtest-log", "/dev/null", "-m", size, "-object",
	       memory, "-machine", "q35,memory-backend=m", "-drive", drive, "-device",
	       "nvme,serial=qtest,drive=d,addr=4.0,max_ioqpairs=4,mdts=7", (char *)NULL);
	_exit(127);
}

static void accept_qemu(struct qtest *qtest, int server)
{
	int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		die("qtest: QEMU does not come");
	close(server);
	qtest->lines = fdopen(fd, "r+");
	if (!qtest->lines)
		die("fdopen");
}

struct qtest *qtest_start(void)
{
	const struct timeval patience = {.tv_sec = 30};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct qtest *qtest = calloc(1, sizeof(*qtest));
	pid_t parent = getpid();
	int server;

	if (!qtest)
		die("calloc");
	qtest->bus.ops = &qtest_ops;
	pthread_mutex_init(&qtest->lock, NULL);
	pthread_mutex_init(&qtest->heap_lock, NULL);
	strcpy(qtest->folder, "/tmp/qtest.XXXXXX");
	if (!mkdtemp(qtest->folder))
		die(qtest->folder);
	make_files(qtest);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", qtest->folder);
	server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(server, 1) ||
	    setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		die("qtest: socket");
	qtest->pid = fork();
	if (qtest->pid == 0)
		run_qemu(qtest, parent);
	accept_qemu(qtest, server);
	set_config(qtest, 0x10, BAR);
	set_config(qtest, 0x14, 0);
	set_config(qtest, 4, 6); /* decodes its registers, may reach memory */
	if (pthread_create(&qtest->pump, NULL, pump, qtest))
		die("pthread_create");
	return qtest;
}

static void remove_file(const struct qtest *qtest, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", qtest->folder, name);
	unlink(path);
}

void qtest_stop(struct qtest *qtest)
{
	atomic_store(&qtest->stopping, true);
	pthread_join(qtest->pump, NULL);
	kill(qtest->pid, SIGTERM);
	waitpid(qtest->pid, NULL, 0);
	fclose(qtest->lines);
	munmap(qtest->ram, RAM_SIZE);
	remove_file(qtest, "bios");
	remove_file(qtest, "disk");
	remove_file(qtest, "ram");
	remove_file(qtest, "socket");
	rmdir(qtest->folder);
	free(qtest);
}

void qtest_read_disk(const struct qtest *qtest, void *data, size_t size, size_t offset)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/disk", qtest->folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, data, size, (off_t)offset) != (ssize_t)size)
		die(path);
	close(fd);
}
