/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that can be predicted.
 */
#include "model.h"

#include <string.h>
#include "base/random.h"

static struct random content_of(uint64_t key, uint32_t place)
{
	return (struct random){.state = key * 0x9e3779b97f4a7c15u + place};
}

/* small ones, ones around the size of a line, and any size */
static uint32_t size_of(struct random *random, uint32_t place, uint32_t max_size)
{
	uint32_t size;

	switch (random_below(random, 4)) {
	case 0:
		size = 1 + (uint32_t)random_below(random, 16);
		break;
	case 1:
		size = 40 + (uint32_t)random_below(random, 30);
		break;
	case 2:
		size = max_size - (uint32_t)random_below(random, 3);
		break;
	default:
		size = 1 + (uint32_t)random_below(random, max_size);
	}
	if (size > max_size)
		size = max_size;
	return !place && size < MODEL_MSG_MIN ? MODEL_MSG_MIN : size;
}

static uint32_t write_message(uint64_t key, uint32_t place, uint32_t max_size, uint8_t *msg)
{
	struct random random = content_of(key, place);
	uint32_t size = size_of(&random, place, max_size);
	uint32_t i;

	for (i = 0; i < size; i++)
		msg[i] = (uint8_t)random_next(&random);
	if (!place)
		memcpy(msg, &key, sizeof(key));
	return size;
}

uint32_t model_next_message(const struct flow *flow, uint8_t *msg)
{
	return write_message(flow->key, flow->submitted, flow->max_size, msg);
}

bool model_is_next(struct flow *flow, const uint8_t *msg, uint32_t size, const char **ret_reason)
{
	uint8_t expected[65536];
	uint32_t expected_size;

	if (!flow->received) {
		*ret_reason = "the first message is too short";
		if (size < MODEL_MSG_MIN)
			return false;
		memcpy(&flow->key, msg, sizeof(flow->key));
	}
	expected_size = write_message(flow->key, flow->received, flow->max_size, expected);
	*ret_reason = "the size is not that of the next message: loss, duplicate or disorder";
	if (size != expected_size)
		return false;
	*ret_reason = "the content is not that of the next message";
	if (memcmp(msg, expected, size))
		return false;
	flow->received++;
	return true;
}
