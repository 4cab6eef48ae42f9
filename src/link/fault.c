/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults on purpose.
 */
#define LOG_MODULE "link"
#include "link/fault.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/pow2.h"
#include "topo/party.h"

static doca_error_t current_faults(struct topo_faults *ret_faults)
{
	const struct party *party = priv_party_current();
	const struct topo *topo;
	doca_error_t err;

	if (party->faults) {
		*ret_faults = *party->faults;
		return DOCA_SUCCESS;
	}
	err = priv_topo_get(&topo);
	if (!err)
		*ret_faults = topo->faults;
	return err;
}

static bool is_slow(const struct topo_faults *faults)
{
	return faults->delay_ns || faults->jitter_ns;
}

static bool is_any(const struct topo_faults *faults)
{
	return is_slow(faults) || faults->drop_after || faults->kill_after || faults->full_percent;
}

static void die(void)
{
	raise(SIGKILL);
}

static void heat(struct timer *timer)
{
	priv_poll_group_heat(container_of(timer, struct fault, timer)->poller);
}

doca_error_t priv_fault_create(struct poller *poller, uint32_t line_count, struct fault **ret_fault)
{
	struct topo_faults config;
	struct fault *fault;
	doca_error_t err;

	*ret_fault = NULL;
	err = current_faults(&config);
	if (err || !is_any(&config))
		return err;
	fault = calloc(1, sizeof(*fault));
	if (!fault)
		return DOCA_ERROR_NO_MEMORY;
	fault->config = config;
	fault->random.state = config.seed;
	fault->poller = poller;
	fault->kill = die;
	fault->timer.fire = heat;
	list_init(&fault->timer.node);
	if (is_slow(&config) && line_count) {
		assert(is_pow2(line_count));
		fault->mask = line_count - 1;
		fault->due_ns = calloc(line_count, sizeof(*fault->due_ns));
		if (!fault->due_ns) {
			free(fault);
			return DOCA_ERROR_NO_MEMORY;
		}
	}
	*ret_fault = fault;
	return DOCA_SUCCESS;
}

void priv_fault_destroy(struct fault *fault)
{
	if (!fault)
		return;
	priv_poll_group_timer_remove(&fault->timer);
	free(fault->due_ns);
	free(fault);
}

/*
 * Delay
 */

/* Gives what has arrived since the last look its time. Records are read in order all the same. */
static void note_arrivals(struct fault *fault, const void *queue, uint32_t tail,
			  bool (*has_arrived)(const void *queue, uint32_t index))
{
	const struct topo_faults *config = &fault->config;

	while (fault->seen - tail <= fault->mask && has_arrived(queue, fault->seen))
		fault->due_ns[fault->seen++ & fault->mask] =
			clock_now_ns() + config->delay_ns +
			random_below(&fault->random, config->jitter_ns + 1);
}

static unsigned int limit_to(unsigned int max, uint64_t count, uint64_t limit)
{
	return limit && limit - count < max ? (unsigned int)(limit - count) : max;
}

unsigned int priv_fault_count_due(struct fault *fault, const void *queue, uint32_t tail,
				  bool (*has_arrived)(const void *queue, uint32_t index),
				  unsigned int max)
{
	unsigned int due = 0;
	uint64_t now;

	if (fault->spent)
		return 0;
	max = limit_to(max, fault->count, fault->config.drop_after);
	max = limit_to(max, fault->count, fault->config.kill_after);
	if (!fault->due_ns)
		return max;
	note_arrivals(fault, queue, tail, has_arrived);
	now = clock_now_ns();
	while (due < max && tail + due != fault->seen &&
	       fault->due_ns[(tail + due) & fault->mask] <= now)
		due++;
	if (!due && tail != fault->seen && !list_is_linked(&fault->timer.node))
		priv_poll_group_timer_add(fault->poller->group, &fault->timer,
					  fault->due_ns[tail & fault->mask] - now);
	return due;
}

static bool has_record(const void *rx, uint32_t index)
{
	return ring_has_record(rx, index);
}

bool priv_fault_holds(struct fault *fault, const struct ring_receiver *rx)
{
	return !priv_fault_count_due(fault, rx, rx->tail, has_record, 1);
}

/*
 * Ends
 */

static bool is_at(uint64_t count, uint64_t limit)
{
	return limit && count >= limit;
}

void priv_fault_count(struct fault *fault)
{
	fault->count++;
	if (!is_at(fault->count, fault->config.drop_after) &&
	    !is_at(fault->count, fault->config.kill_after))
		return;
	fault->spent = true;
	priv_poll_group_heat(fault->poller);
}

bool priv_fault_strike(struct fault *fault)
{
	if (!fault->spent || fault->struck)
		return false;
	fault->struck = true;
	if (is_at(fault->count, fault->config.kill_after)) {
		LOG_WRN("fault injection: killing this process after %" PRIu64 " messages",
			fault->count);
		fault->kill();
	}
	LOG_WRN("fault injection: breaking a connection after %" PRIu64 " messages", fault->count);
	return true;
}

/*
 * Full queues
 */

bool priv_fault_lets_send(struct fault *fault)
{
	if (fault->spent)
		return false;
	if (!fault->refused && random_percent(&fault->random, fault->config.full_percent)) {
		fault->refused = true;
		return false;
	}
	fault->refused = false;
	priv_fault_count(fault);
	return true;
}
