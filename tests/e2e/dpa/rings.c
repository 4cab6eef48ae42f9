/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that fills rings in its own memory, which a kernel of another process's DPA empties: by
 * addresses, with no message and no copy between the two. The rings lie in the heap, one behind the
 * other, so they share pages with each other and with whatever else the host has there.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doca_buf_array.h>
#include <doca_mmap.h>
#include "scene.h"

#define NUM_RINGS 4u

/* what the host tells of a ring */
struct invitation {
	size_t size;
	char descriptor[256];
};

static void write_all(int fd, const void *data, size_t size)
{
	MUST(write(fd, data, size) == (ssize_t)size);
}

static void read_all(int fd, void *data, size_t size)
{
	for (size_t got = 0; got < size;) {
		ssize_t n = read(fd, (char *)data + got, size - got);

		MUST(n > 0);
		got += (size_t)n;
	}
}

/*
 * The host
 */

struct host_ring {
	struct ring *ring;
	struct doca_mmap *mmap;
	uint64_t produced;
};

static void share(struct host_ring *host, struct doca_dev *dev, int to)
{
	struct invitation invitation = {0};
	const void *descriptor;
	void *memory = NULL;

	MUST(!posix_memalign(&memory, 64, sizeof(struct ring)));
	memset(memory, 0, sizeof(struct ring));
	host->ring = memory;
	OK(doca_mmap_create(&host->mmap));
	OK(doca_mmap_set_memrange(host->mmap, memory, sizeof(struct ring)));
	OK(doca_mmap_set_permissions(host->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(host->mmap, dev));
	OK(doca_mmap_start(host->mmap));
	OK(doca_mmap_export_pci(host->mmap, dev, &descriptor, &invitation.size));
	MUST(invitation.size <= sizeof(invitation.descriptor));
	memcpy(invitation.descriptor, descriptor, invitation.size);
	write_all(to, &invitation, sizeof(invitation));
}

/* false: it is full */
static bool produce(struct host_ring *host, uint64_t value)
{
	struct ring *ring = host->ring;
	struct slot *slot = &ring->slots[host->produced % RING_SLOTS];

	if (host->produced - __atomic_load_n(&ring->consumed, __ATOMIC_ACQUIRE) == RING_SLOTS)
		return false;
	slot->value = value;
	__atomic_store_n(&slot->sequence, ++host->produced, __ATOMIC_RELEASE);
	return true;
}

static void be_host(uint64_t count, int to)
{
	struct host_ring hosts[NUM_RINGS] = {0};
	struct doca_dev *dev = scene_open_device();
	void *litter = NULL;

	for (unsigned int i = 0; i < NUM_RINGS; i++)
		share(&hosts[i], dev, to);
	for (uint64_t done = 0; done < count * NUM_RINGS;) {
		struct host_ring *host = &hosts[done % NUM_RINGS];

		if (produce(host, done))
			done++;
		else
			sched_yield();
		free(litter); /* the heap around the rings is in use */
		litter = malloc(done % 3000);
	}
	for (unsigned int i = 0; i < NUM_RINGS; i++)
		while (__atomic_load_n(&hosts[i].ring->consumed, __ATOMIC_ACQUIRE) < count)
			sched_yield();
	for (unsigned int i = 0; i < NUM_RINGS; i++) {
		OK(doca_mmap_destroy(hosts[i].mmap));
		free(hosts[i].ring);
	}
	free(litter);
	OK(doca_dev_close(dev));
}

/*
 * The side with the DPA
 */

struct dpu_ring {
	struct doca_mmap *mmap;
	struct doca_buf_arr *slots;
};

static uint64_t import(struct scene *scene, struct dpu_ring *dpu, int from)
{
	struct invitation invitation;
	uint64_t handle;

	read_all(from, &invitation, sizeof(invitation));
	OK(doca_mmap_create_from_export(NULL, invitation.descriptor, invitation.size, scene->dev,
					&dpu->mmap));
	OK(doca_buf_arr_create(RING_SLOTS + 1, &dpu->slots));
	OK(doca_buf_arr_set_target_dpa(dpu->slots, scene->dpa));
	OK(doca_buf_arr_set_params(dpu->slots, dpu->mmap, sizeof(struct slot), 0));
	OK(doca_buf_arr_start(dpu->slots));
	OK(doca_buf_arr_get_dpa_handle(dpu->slots, &handle));
	return handle;
}

static void empty_rings(uint64_t count, int from)
{
	struct dpu_ring rings[NUM_RINGS];
	struct doca_sync_event *done;
	struct scene scene;
	uint64_t expected = count * NUM_RINGS, sum = 0, seen;
	doca_dpa_dev_uintptr_t sums;

	scene_open(&scene);
	done = scene_event(&scene, DPA_TO_CPU);
	sums = scene_alloc(&scene, NUM_RINGS * sizeof(uint64_t));
	for (unsigned int i = 0; i < NUM_RINGS; i++)
		OK(doca_dpa_kernel_launch_update_add(scene.dpa, NULL, 0, done, 1, 1, empty_ring,
						     import(&scene, &rings[i], from), count,
						     sums + i * sizeof(uint64_t)));
	OK(doca_sync_event_wait_gt(done, NUM_RINGS - 1, UINT64_MAX));
	for (unsigned int i = 0; i < NUM_RINGS; i++) {
		scene_read(&scene, &seen, sums + i * sizeof(uint64_t), sizeof(seen));
		sum += seen;
		OK(doca_buf_arr_destroy(rings[i].slots));
		OK(doca_mmap_destroy(rings[i].mmap));
	}
	MUST(sum == expected * (expected - 1) / 2);
	OK(doca_dpa_mem_free(scene.dpa, sums));
	OK(doca_sync_event_destroy(done));
	scene_close(&scene);
}

void scene_rings(uint64_t count)
{
	int status, ends[2];
	pid_t host;

	MUST(!pipe(ends));
	host = fork();
	MUST(host >= 0);
	if (!host) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be_host(count, ends[1]);
		exit(0);
	}
	close(ends[1]);
	empty_rings(count, ends[0]);
	close(ends[0]);
	MUST(waitpid(host, &status, 0) == host && !status);
}
