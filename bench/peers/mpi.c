/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: MPI point-to-point messages; two ranks started by mpirun. Built once per implementation.
 */
#include <mpi.h>
#include "pair.h"
#include "window.h"

#define TAG 1

static MPI_Request sends[WINDOW_SIZE], recvs[WINDOW_SIZE];
static int other_rank;

static void start_send(const void *message, size_t size, unsigned int slot)
{
	MPI_Isend(message, (int)size, MPI_BYTE, other_rank, TAG, MPI_COMM_WORLD, &sends[slot]);
}

static void start_recv(void *buffer, size_t size, unsigned int slot)
{
	MPI_Irecv(buffer, (int)size, MPI_BYTE, other_rank, TAG, MPI_COMM_WORLD, &recvs[slot]);
}

static void wait_requests(MPI_Request *requests, unsigned int count)
{
	static MPI_Status statuses[WINDOW_SIZE];

	if (count == 1)
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	else
		MPI_Waitall((int)count, requests, statuses);
}

static void wait_sends(unsigned int count)
{
	wait_requests(sends, count);
}

static void wait_recvs(unsigned int count)
{
	wait_requests(recvs, count);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct window window = {
		.name = MPI_PEER_NAME,
		.start_send = start_send,
		.start_recv = start_recv,
		.wait_sends = wait_sends,
		.wait_recvs = wait_recvs,
	};
	int rank, ranks;

	MPI_Init(&argc, &argv);
	options_parse(&options, argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks != 2)
		bench_fail("%d ranks: start me with mpirun -np 2", ranks);
	other_rank = !rank;
	pair_pin(options.cpu[rank]);
	window_bench(&window, rank == 0 ? SIDE_MEASURES : SIDE_ANSWERS, &options);
	MPI_Finalize();
	return 0;
}
