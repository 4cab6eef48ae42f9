/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: exporting, attaching, copying.
 */
#define LOG_MODULE "link"
#include "link/region.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/copy.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "base/wire.h"
#include "link/process.h"
#include "link/region_pages.h"

/*
 * A copy in a view looks whether the exporter lives, unless another one did within the last of so
 * many ticks (clock.h), some ten microseconds: the look is a system call.
 */
#define LOOK_TICKS 50000

/*
 * The exporter's page. Its address stands in it, so that an importer who has mapped the page can
 * look at it in the exporter's address space too.
 */
struct region_page {
	struct anchor_head head;
	uint64_t addr;
	uint64_t size;
	uint64_t page_addr;
	uint32_t access;
	uint32_t obstacle;     /* enum takeover: why it cannot be mapped */
	uint64_t inode;	       /* of the file of its pages, whose offsets are their addresses */
	uint32_t file;	       /* its descriptor */
	_Atomic uint32_t live; /* last: cleared by the exporter, for good */
};
static_assert(sizeof(struct region_page) == 64, "shared layout");

struct region_export {
	struct anchor anchor;
	struct region_pages pages;
	uint8_t blob[REGION_BLOB_SIZE];
};

struct region_remote {
	struct region_desc desc;
	uint64_t page_addr;
	const struct region_page *local; /* exporter is this very process: its page, else NULL */
	struct region_view view;
	_Atomic uint64_t seen; /* ticks: when the exporter was last known to live */
	struct anchor anchor;
	struct fork_watch fork_watch;
};

/*
 * Held by whoever copies within this process: an export that is withdrawn waits for them, and comes
 * before new copies. The address of the exporter's page decides which of the locks it is.
 */
#define LOCAL_LOCKS 64
static pthread_rwlock_t local_locks[LOCAL_LOCKS];

static pthread_rwlock_t *local_lock(uint64_t page_addr)
{
	return &local_locks[(page_addr >> 12) % LOCAL_LOCKS];
}

static void init_local_locks(void)
{
	for (size_t i = 0; i < LOCAL_LOCKS; i++)
		local_locks[i] =
			(pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
}

/* In a child of fork() a thread that is not there may have been copying. */
__attribute__((constructor)) static void watch_forks(void)
{
	init_local_locks();
	pthread_atfork(NULL, NULL, init_local_locks);
}

/* Blob: behind the reference address u64, size u64, access u32. */
static const struct anchor_blob blob_kind = {0x52464653u /* "SFFR" */, REGION_BLOB_SIZE};

void region_blob_encode(const struct region_desc *desc, uint8_t blob[REGION_BLOB_SIZE])
{
	struct wire_writer w = anchor_blob_begin(&blob_kind, blob, &desc->ref);

	wire_put_u64(&w, desc->addr);
	wire_put_u64(&w, desc->size);
	wire_put_u32(&w, desc->access);
	anchor_blob_end(&blob_kind, blob, &w);
}

/*
 * Text
 */

#define TEXT_FORMAT "{\"addr\":%" PRIu64 ",\"len\":%" PRIu64 ",\"region\":\""
#define TEXT_KEY    "\"region\":\""
#define TEXT_END    "\"}"

static const char digits[] = "0123456789abcdef";

void region_text_encode(const struct region_desc *desc, char text[REGION_TEXT_SIZE])
{
	uint8_t blob[REGION_BLOB_SIZE];

	region_blob_encode(desc, blob);
	text += sprintf(text, TEXT_FORMAT, desc->addr, desc->size);
	for (size_t i = 0; i < sizeof(blob); i++) {
		*text++ = digits[blob[i] >> 4];
		*text++ = digits[blob[i] & 15];
	}
	strcpy(text, TEXT_END);
}

/* What else the text says was for the program. */
static bool text_decode(const char *text, size_t size, uint8_t blob[REGION_BLOB_SIZE])
{
	const char *pos = memmem(text, size, TEXT_KEY, strlen(TEXT_KEY));

	if (!pos)
		return false;
	pos += strlen(TEXT_KEY);
	if ((size_t)(text + size - pos) < (size_t)2 * REGION_BLOB_SIZE)
		return false;
	for (size_t i = 0; i < REGION_BLOB_SIZE; i++, pos += 2) {
		const char *high = memchr(digits, pos[0], sizeof(digits) - 1);
		const char *low = memchr(digits, pos[1], sizeof(digits) - 1);

		if (!high || !low)
			return false;
		blob[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return true;
}

doca_error_t region_blob_decode(const void *blob, size_t size, struct region_desc *ret_desc)
{
	uint8_t decoded[REGION_BLOB_SIZE];
	struct region_desc desc = {0};
	struct wire_reader r;

	if (size > REGION_BLOB_SIZE && text_decode(blob, size, decoded)) {
		blob = decoded;
		size = sizeof(decoded);
	}
	if (anchor_blob_open(&blob_kind, blob, size, &r, &desc.ref))
		return DOCA_ERROR_INVALID_VALUE;
	desc.addr = wire_get_u64(&r);
	desc.size = wire_get_u64(&r);
	desc.access = wire_get_u32(&r);
	if (!desc.size || desc.addr + desc.size < desc.addr || !desc.access ||
	    (desc.access & ~(REGION_READ | REGION_WRITE)))
		return DOCA_ERROR_INVALID_VALUE;
	*ret_desc = desc;
	return DOCA_SUCCESS;
}

/*
 * Exporting
 */

static void share_pages(struct region_export *region, void *addr, size_t size,
			enum takeover obstacle)
{
	struct region_page *page = region->anchor.mem;

	page->obstacle = region_pages_add(&region->pages, addr, size, obstacle);
	page->file = (uint32_t)region->pages.file;
	page->inode = region->pages.inode;
}

doca_error_t region_export_create(void *addr, size_t size, uint32_t access, enum takeover obstacle,
				  struct region_export **ret_export)
{
	struct region_desc desc = {.addr = (uintptr_t)addr, .size = size, .access = access};
	struct region_export *region;
	struct region_page *page;
	doca_error_t err;
	NO_CANCEL();

	assert(addr && size && access);
	region = calloc(1, sizeof(*region));
	if (!region)
		return DOCA_ERROR_NO_MEMORY;
	err = anchor_create(ANCHOR_REGION, sizeof(*page), F_SEAL_FUTURE_WRITE, &region->anchor);
	if (err) {
		free(region);
		return err;
	}
	page = region->anchor.mem;
	page->addr = desc.addr;
	page->size = desc.size;
	page->access = access;
	page->page_addr = (uintptr_t)page;
	atomic_store_explicit(&page->live, 1, memory_order_relaxed); /* nobody knows it yet */
	share_pages(region, addr, size, obstacle);
	/*
	 * Where Yama restricts who may copy from whom, exporting means: any process of this user.
	 * EINVAL: no Yama here.
	 */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	desc.ref = region->anchor.ref;
	region_blob_encode(&desc, region->blob);
	*ret_export = region;
	return DOCA_SUCCESS;
}

void region_export_destroy(struct region_export *region)
{
	struct region_page *page;
	NO_CANCEL();

	if (!region)
		return;
	page = region->anchor.mem;
	if (region->anchor.ref.pid == (uint32_t)getpid()) { /* else its parent's, still */
		pthread_rwlock_t *lock = local_lock((uintptr_t)page);

		pthread_rwlock_wrlock(lock);
		/* Relaxed: of others, nobody looks at what comes after it. */
		atomic_store_explicit(&page->live, 0, memory_order_relaxed);
		pthread_rwlock_unlock(lock);
	}
	region_pages_remove(&region->pages);
	anchor_close(&region->anchor);
	free(region);
}

const uint8_t *region_export_blob(const struct region_export *region)
{
	return region->blob;
}

/*
 * Copying
 */

static doca_error_t error_of_copy(int err)
{
	switch (err) {
	case ESRCH:
		return DOCA_ERROR_CONNECTION_RESET;
	case EPERM:
		return DOCA_ERROR_NOT_PERMITTED;
	case ENOMEM:
		return DOCA_ERROR_NO_MEMORY;
	default:
		return DOCA_ERROR_IO_FAILED;
	}
}

/* Is this, as just read from the exporter's address space, the page that was attached? */
static bool page_is_live(const struct region_remote *remote, const struct region_page *page)
{
	return memcmp(page->head.id, remote->desc.ref.id, ANCHOR_ID_SIZE) == 0 &&
	       page->page_addr == remote->page_addr && page->live == 1;
}

typedef ssize_t copy_call(pid_t pid, const struct iovec *local, unsigned long local_count,
			  const struct iovec *remote, unsigned long remote_count,
			  unsigned long flags);

/* A process whose first thread has ended has its memory in the others only. */
static ssize_t copy_by_kernel(copy_call *call, pid_t pid, const struct iovec *local,
			      const struct iovec *remote, unsigned int count)
{
	ssize_t n = call(pid, local, count, remote, count, 0);
	pid_t thread;

	if (n >= 0 || errno != ESRCH)
		return n;
	thread = process_find_thread(pid);
	if (thread && thread != pid)
		return call(thread, local, count, remote, count, 0);
	errno = ESRCH;
	return n;
}

/* Reads the exporter's page, and after it size bytes at offset of the region, in one call. */
static doca_error_t read_other_process(const struct region_remote *remote, uint64_t offset,
				       void *dst, size_t size)
{
	struct region_page page;
	const struct iovec to[2] = {{&page, sizeof(page)}, {dst, size}};
	const struct iovec from[2] = {
		{(void *)(uintptr_t)remote->page_addr, sizeof(page)},
		{(void *)(uintptr_t)(remote->desc.addr + offset), size},
	};
	const unsigned int count = size ? 2 : 1;
	ssize_t n;

	n = copy_by_kernel(process_vm_readv, (pid_t)remote->desc.ref.pid, to, from, count);
	if (n < 0 && errno != EFAULT)
		return error_of_copy(errno);
	if (n < (ssize_t)sizeof(page) || !page_is_live(remote, &page))
		return DOCA_ERROR_CONNECTION_RESET;
	if ((size_t)n != sizeof(page) + size)
		return DOCA_ERROR_IO_FAILED;
	return DOCA_SUCCESS;
}

static doca_error_t write_other_process(const struct region_remote *remote, uint64_t offset,
					const void *src, size_t size)
{
	const struct iovec from = {(void *)src, size};
	const struct iovec to = {(void *)(uintptr_t)(remote->desc.addr + offset), size};
	doca_error_t err;
	ssize_t n;

	err = read_other_process(remote, 0, NULL, 0);
	if (err)
		return err;
	n = copy_by_kernel(process_vm_writev, (pid_t)remote->desc.ref.pid, &from, &to, 1);
	if (n < 0)
		return error_of_copy(errno);
	return (size_t)n == size ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t check_copy(const struct region_remote *remote, uint64_t offset, size_t size,
			       uint32_t access)
{
	if (!(remote->desc.access & access))
		return DOCA_ERROR_NOT_PERMITTED;
	if (offset > remote->desc.size || size > remote->desc.size - offset)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

/* Does the exporter still export this? Its death and exec() are noticed a moment late. */
static doca_error_t check_live(struct region_remote *remote)
{
	const struct region_page *page = remote->anchor.mem;
	uint64_t now = clock_ticks();
	doca_error_t err;

	/* Relaxed, all: whatever is copied now may be so before the exporter does something. */
	if (!atomic_load_explicit(&page->live, memory_order_relaxed))
		return DOCA_ERROR_CONNECTION_RESET;
	if (now - atomic_load_explicit(&remote->seen, memory_order_relaxed) < LOOK_TICKS)
		return DOCA_SUCCESS;
	err = read_other_process(remote, 0, NULL, 0);
	if (!err)
		atomic_store_explicit(&remote->seen, now, memory_order_relaxed);
	return err;
}

/* What the exporter had written before a copy is seen by it; and by those after it, what it did. */
static doca_error_t copy_in_view(struct region_remote *remote, void *dst, const void *src,
				 size_t size)
{
	doca_error_t err = check_live(remote);

	if (err)
		return err;
	atomic_thread_fence(memory_order_acq_rel);
	copy_bytes(dst, src, size);
	atomic_thread_fence(memory_order_acq_rel);
	return DOCA_SUCCESS;
}

/* For an exporter that is this process. */
static doca_error_t copy_here(const struct region_remote *remote, void *dst, const void *src,
			      size_t size)
{
	pthread_rwlock_t *lock = local_lock(remote->page_addr);
	bool live;

	pthread_rwlock_rdlock(lock);
	live = atomic_load_explicit(&remote->local->live, memory_order_relaxed);
	if (live)
		copy_move(dst, src, size, size);
	pthread_rwlock_unlock(lock);
	return live ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_RESET;
}

doca_error_t priv_region_read(struct region_remote *remote, uint64_t offset, void *dst, size_t size)
{
	doca_error_t err = check_copy(remote, offset, size, REGION_READ);
	const char *src;

	if (err)
		return err;
	if (!remote->view.addr)
		return read_other_process(remote, offset, dst, size);
	src = remote->view.addr + offset;
	return remote->local ? copy_here(remote, dst, src, size)
			     : copy_in_view(remote, dst, src, size);
}

doca_error_t priv_region_write(struct region_remote *remote, uint64_t offset, const void *src,
			       size_t size)
{
	doca_error_t err = check_copy(remote, offset, size, REGION_WRITE);
	char *dst;

	if (err)
		return err;
	if (!remote->view.addr)
		return write_other_process(remote, offset, src, size);
	dst = remote->view.addr + offset;
	return remote->local ? copy_here(remote, dst, src, size)
			     : copy_in_view(remote, dst, src, size);
}

/*
 * Attaching
 */

static struct region_view open_view(const struct region_remote *remote)
{
	const struct region_page *page = remote->anchor.mem;
	const struct region_view_source source = {
		.file = {.pid = remote->desc.ref.pid, .fd = page->file},
		.inode = page->inode,
		.addr = remote->desc.addr,
		.size = remote->desc.size,
		.writable = remote->desc.access & REGION_WRITE,
	};

	if (remote->local)
		return (struct region_view){.addr = (char *)(uintptr_t)remote->desc.addr};
	return page->obstacle ? (struct region_view){.obstacle = page->obstacle}
			      : region_view_open(&source);
}

/* What this process has exported is the parent's now. */
static void disown(struct fork_watch *watch)
{
	struct region_remote *remote = container_of(watch, struct region_remote, fork_watch);

	if (!remote->local)
		return;
	remote->local = NULL;
	remote->view = (struct region_view){.obstacle = TAKEOVER_NOT_MAPPED};
}

/* Does the exporter's own page say what the blob says? */
static bool page_matches(const struct region_page *page, const struct region_desc *desc)
{
	return page->addr == desc->addr && page->size == desc->size && page->access == desc->access;
}

/* Can we copy at all? Found out now, not at the first task. */
static doca_error_t probe(const struct region_remote *remote)
{
	doca_error_t err = read_other_process(remote, 0, NULL, 0);

	if (err == DOCA_ERROR_NOT_PERMITTED)
		LOG_ERR("the kernel does not let this process copy from process %u: same user? "
			"same container? /proc/sys/kernel/yama/ptrace_scope above 1? seccomp?",
			remote->desc.ref.pid);
	else if (err)
		LOG_ERR("cannot copy from process %u, which has exported this region: %s",
			remote->desc.ref.pid, doca_error_get_descr(err));
	return err;
}

doca_error_t region_attach(const struct region_desc *desc, struct region_remote **ret_remote)
{
	const struct region_page *page;
	struct region_remote *remote;
	doca_error_t err;
	NO_CANCEL();

	remote = calloc(1, sizeof(*remote));
	if (!remote)
		return DOCA_ERROR_NO_MEMORY;
	err = anchor_open(&desc->ref, ANCHOR_REGION, sizeof(*page), false, &remote->anchor);
	if (err)
		goto free_remote;
	page = remote->anchor.mem;
	remote->desc = *desc;
	remote->page_addr = page->page_addr;
	if (!page_matches(page, desc)) {
		LOG_ERR("the descriptor differs from what process %u exports", desc->ref.pid);
		err = DOCA_ERROR_INVALID_VALUE;
		goto close_anchor;
	}
	if (desc->ref.pid == (uint32_t)getpid())
		remote->local = page;
	else
		err = probe(remote);
	if (err)
		goto close_anchor;
	remote->view = open_view(remote);
	if (remote->view.obstacle)
		LOG_INFO("memory of process %u (%" PRIu64 " bytes) is copied by the kernel: %s",
			 desc->ref.pid, desc->size, priv_takeover_describe(remote->view.obstacle));
	priv_fork_watch(&remote->fork_watch, disown);
	*ret_remote = remote;
	return DOCA_SUCCESS;

close_anchor:
	anchor_close(&remote->anchor);
free_remote:
	free(remote);
	return err;
}

void region_detach(struct region_remote *remote)
{
	NO_CANCEL();

	if (!remote)
		return;
	priv_fork_unwatch(&remote->fork_watch);
	region_view_close(&remote->view);
	anchor_close(&remote->anchor);
	free(remote);
}

const struct region_view *region_remote_view(struct region_remote *remote)
{
	region_view_keep(&remote->view);
	return &remote->view;
}
