/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold, whatever the programs do. Every message is predicted from who sent it on which
 * connection and its place there, so that the receiver can check all of it.
 */
#ifndef SOFTFIELD_TESTS_SIM_MODEL_H
#define SOFTFIELD_TESTS_SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_MSG_MIN 16u /* the first message of a connection names its key */

/* What has gone one way on one connection, as its sender and its receiver know it. */
struct flow {
	uint64_t key; /* of the sender's end: unique in the run; 0: not known yet */
	uint32_t max_size;
	uint32_t submitted; /* sender */
	uint32_t told_sent, told_failed;
	uint32_t received; /* receiver */
};

/* fills the next message of a flow; returns its size */
uint32_t model_next_message(const struct flow *flow, uint8_t *msg);
/*
 * Is it what comes next in the flow? false: reason says what is wrong. Learns the key from the
 * first one.
 */
bool model_is_next(struct flow *flow, const uint8_t *msg, uint32_t size, const char **ret_reason);

#endif
