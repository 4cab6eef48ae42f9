/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring: order and content, full and empty, both wraps, and a peer that writes whatever it
 * likes.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "base/ring.h"

#define LINES 16u
#define MOST  1000u
#define SLOT  1024u /* for it */
#define ARENA (LINES * SLOT)

struct rig {
	struct ring_sender tx;
	struct ring_receiver rx;
	void *memory, *block;
	size_t size;
};

static void open_ring(struct rig *rig, uint32_t lines, uint32_t most)
{
	rig->size = priv_ring_memory_size(lines, most);
	/* The largest ring is half a gigabyte, of which hardly a page is used. */
	rig->block = calloc(1, rig->size + 127);
	assert_non_null(rig->block);
	rig->memory = (void *)(((uintptr_t)rig->block + 127) & ~(uintptr_t)127);
	priv_ring_receiver_init(&rig->rx, rig->memory, lines, most);
	assert_ok(priv_ring_sender_init(&rig->tx, rig->memory, rig->size));
}

static void close_ring(struct rig *rig)
{
	priv_ring_sender_fini(&rig->tx);
	free(rig->block);
}

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	open_ring(rig, LINES, MOST);
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	close_ring(*state);
	free(*state);
	return 0;
}

/* as if so many records had gone through */
static void move_to(struct rig *rig, uint32_t index)
{
	uint32_t i;

	rig->tx.head = rig->tx.tail = rig->rx.tail = rig->rx.published = index;
	atomic_store(&rig->tx.shared->tail, index);
	for (i = 0; i <= rig->rx.mask; i++)
		atomic_store(&rig->rx.lines[i].seq, index); /* none of those that come */
}

static uint8_t pattern(uint32_t number, uint32_t at)
{
	return (uint8_t)(number * 31 + at * 7 + 5);
}

static bool send(struct rig *rig, uint32_t number, uint32_t size)
{
	uint8_t data[MOST];
	uint32_t i;

	if (!ring_has_room(&rig->tx))
		return false;
	for (i = 0; i < size; i++)
		data[i] = pattern(number, i);
	ring_push(&rig->tx, (uint16_t)number, data, size);
	return true;
}

/* takes one record and compares; the room is given back by ring_publish_tail() */
static void receive(struct rig *rig, uint32_t number, uint32_t size)
{
	const struct ring_line *line = ring_peek(&rig->rx);
	uint8_t data[MOST];
	uint32_t got, i;

	assert_non_null(line);
	assert_int_equal(line->type, (uint16_t)number);
	assert_true(ring_copy(&rig->rx, line, data, sizeof(data), &got));
	assert_int_equal(got, size);
	for (i = 0; i < size; i++)
		assert_int_equal(data[i], pattern(number, i));
	ring_pop(&rig->rx);
}

/*
 * The ordinary
 */

static void sizes_are_rounded(void **state)
{
	static const struct {
		uint32_t lines, most, real_lines, slot;
	} cases[] = {
		{0, 0, 16, 64},
		{1, 1, 16, 64},
		{16, 64, 16, 64},
		{17, 65, 32, 128},
		{1000, 4032, 1024, 4032},
		{1000, 4080, 1024, 4160}, /* not a page apart */
		{8192, 4096, 8192, 4160},
		{1000000, 65535, 8192, 65600},
		{1000000, 1 << 20, 512, (1 << 20) + 64},
		{1000000, UINT32_MAX, 16, (1 << 26) - 64},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(priv_ring_memory_size(cases[i].lines, cases[i].most),
				 sizeof(struct ring_shared) +
					 (size_t)cases[i].real_lines * (RING_LINE + cases[i].slot));
}

/* Neither a queue that holds much nor large messages cost memory by themselves. */
static void the_slots_of_a_backlog_are_not_used_at_first(void **state)
{
	(void)state;
	assert_int_equal(priv_ring_memory_used(16, 1000), priv_ring_memory_size(16, 1000));
	assert_int_equal(priv_ring_memory_used(1024, 4080),
			 sizeof(struct ring_shared) + 1024 * RING_LINE + 16 * 4160);
}

static void an_empty_ring_has_nothing(void **state)
{
	struct rig *rig = *state;

	assert_null(ring_peek(&rig->rx));
	assert_false(ring_publish_tail(&rig->rx));
	assert_true(ring_has_room(&rig->tx));
}

static void records_come_in_order_as_sent(void **state)
{
	static const uint32_t sizes[] = {0, 1, 47, 48, 49, 64, 111, 112, 113, 200};
	struct rig *rig = *state;
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		assert_true(send(rig, i, sizes[i % ARRAY_SIZE(sizes)]));
		if (i % 3 != 2)
			continue;
		receive(rig, i - 2, sizes[(i - 2) % ARRAY_SIZE(sizes)]);
		receive(rig, i - 1, sizes[(i - 1) % ARRAY_SIZE(sizes)]);
		receive(rig, i, sizes[i % ARRAY_SIZE(sizes)]);
		ring_publish_tail(&rig->rx);
	}
}

static void push_fails_when_the_lines_are_full(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	for (i = 0; i < LINES; i++)
		assert_true(send(rig, i, 8));
	assert_false(send(rig, i, 8));
	receive(rig, 0, 8);
	assert_false(send(rig, i, 8)); /* read, but not given back */
	ring_publish_tail(&rig->rx);
	assert_true(send(rig, LINES, 8));
	assert_false(send(rig, i, 8));
	for (i = 1; i <= LINES; i++)
		receive(rig, i, 8);
	assert_null(ring_peek(&rig->rx));
}

static void there_is_a_slot_for_every_line(void **state)
{
	struct rig *rig = *state;
	uint32_t round, i;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < LINES; i++)
			assert_true(send(rig, round + i, MOST - i));
		assert_false(send(rig, 0, 1));
		for (i = 0; i < LINES; i++)
			receive(rig, round + i, MOST - i);
		ring_publish_tail(&rig->rx);
	}
}

/* Whatever the sizes, no two records that are under way are in one slot. */
static void slots_of_any_sizes_are_kept_apart(void **state)
{
	struct rig *rig = *state;
	uint32_t sizes[LINES] = {0}, sent, received = 0, size = 1;

	for (sent = 0; sent < 3000; sent++) {
		size = (size * 5 + 1) % (MOST + 1);
		sizes[sent % LINES] = size;
		assert_true(send(rig, sent, size));
		while (sent - received >= sent % LINES) {
			receive(rig, received, sizes[received % LINES]);
			received++;
			ring_publish_tail(&rig->rx);
			if (received > sent)
				break;
		}
	}
}

static void few_under_way_use_few_slots(void **state)
{
	bool seen[1024] = {false};
	struct rig rig;
	uint32_t i, count = 0;

	(void)state;
	open_ring(&rig, ARRAY_SIZE(seen), MOST);
	for (i = 0; i < 5000; i++) {
		assert_true(send(&rig, i, MOST));
		seen[ring_peek(&rig.rx)->offset / SLOT] = true;
		receive(&rig, i, MOST);
		ring_publish_tail(&rig.rx);
	}
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		count += seen[i];
	assert_in_range(count, 1, RING_LOOK + 1);
	close_ring(&rig);
}

static void indices_wrap_at_2_to_the_32(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	move_to(rig, UINT32_MAX - 20);
	for (i = 0; i < 100; i++) {
		assert_true(send(rig, i, 120));
		if (i < 3)
			continue;
		receive(rig, i - 3, 120); /* three always stay behind */
		ring_publish_tail(&rig->rx);
	}
	assert_int_equal(rig->tx.head, 100 - 21);
}

static void a_full_ring_wraps_with_its_content(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	move_to(rig, UINT32_MAX - LINES / 2 + 1);
	for (i = 0; i < LINES; i++)
		assert_true(send(rig, i, 60));
	assert_false(send(rig, i, 1));
	for (i = 0; i < LINES; i++)
		receive(rig, i, 60);
	assert_null(ring_peek(&rig->rx));
	ring_publish_tail(&rig->rx);
	assert_true(send(rig, i, 60));
}

static void every_kind_of_ring_works(void **state)
{
	static const uint32_t lines[] = {16, 64, 8192}, most[] = {64, 4096, 65535};
	unsigned int i, j;
	uint32_t number;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		for (j = 0; j < ARRAY_SIZE(most); j++) {
			struct rig rig;

			open_ring(&rig, lines[i], most[j]);
			for (number = 0; number < 3 * lines[i]; number++) {
				assert_true(send(&rig, number, number % 33));
				receive(&rig, number, number % 33);
				ring_publish_tail(&rig.rx);
			}
			close_ring(&rig);
		}
	}
}

/*
 * Waking
 */

static void a_sleeping_receiver_is_woken_once(void **state)
{
	struct rig *rig = *state;

	assert_false(ring_wants_wake(&rig->tx));
	sleeper_announce(&rig->rx.sleeper, false);
	send(rig, 0, 1);
	assert_true(ring_wants_wake(&rig->tx));
	send(rig, 1, 1);
	assert_false(ring_wants_wake(&rig->tx));
	sleeper_announce(&rig->rx.sleeper, false);
	sleeper_revoke(&rig->rx.sleeper);
	assert_false(ring_wants_wake(&rig->tx));
}

static void a_sender_that_waits_is_woken_once(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	for (i = 0; i < LINES; i++)
		send(rig, i, 1);
	ring_wait_for_room(&rig->tx);
	assert_false(ring_publish_tail(&rig->rx)); /* nothing read, no room */
	receive(rig, 0, 1);
	assert_true(ring_publish_tail(&rig->rx));
	receive(rig, 1, 1);
	assert_false(ring_publish_tail(&rig->rx));
}

/*
 * A hostile receiver: the sender's view
 */

static void a_header_that_lies_is_refused(void **state)
{
	static const struct {
		uint32_t magic, lines, slot;
	} lies[] = {
		{0, LINES, SLOT},
		{RING_MAGIC + 1, LINES, SLOT},
		{RING_MAGIC, 0, SLOT},
		{RING_MAGIC, 1, SLOT},
		{RING_MAGIC, LINES - 1, SLOT},
		{RING_MAGIC, LINES + 1, SLOT},
		{RING_MAGIC, LINES / 2, SLOT},
		{RING_MAGIC, 2 * LINES, SLOT},
		{RING_MAGIC, 1u << 31, SLOT},
		{RING_MAGIC, UINT32_MAX, SLOT},
		{RING_MAGIC, LINES, 0},
		{RING_MAGIC, LINES, 1},
		{RING_MAGIC, LINES, SLOT - 1},
		{RING_MAGIC, LINES, SLOT + 1},
		{RING_MAGIC, LINES, SLOT + 64},
		{RING_MAGIC, LINES, 2 * SLOT},
		{RING_MAGIC, LINES, 1u << 31},
		{RING_MAGIC, LINES, UINT32_MAX},
		{RING_MAGIC, LINES, UINT32_MAX - 63},
	};
	struct rig *rig = *state;
	struct ring_sender sender = {0};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		rig->tx.shared->magic = lies[i].magic;
		rig->tx.shared->line_count = lies[i].lines;
		rig->tx.shared->slot_size = lies[i].slot;
		assert_err(priv_ring_sender_init(&sender, rig->memory, rig->size), INVALID_VALUE);
		assert_null(sender.used);
	}
}

static void memory_that_is_too_small_is_refused(void **state)
{
	struct rig *rig = *state;
	struct ring_sender sender;
	size_t size;

	for (size = 0; size < rig->size; size += size < 600 ? 1 : 61)
		assert_err(priv_ring_sender_init(&sender, rig->memory, size), INVALID_VALUE);
	assert_err(priv_ring_sender_init(&sender, rig->memory, rig->size - 1), INVALID_VALUE);
}

static void a_header_that_changes_later_changes_nothing(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	rig->tx.shared->line_count = 1u << 30;
	rig->tx.shared->slot_size = 1u << 30;
	rig->tx.shared->magic = 0;
	for (i = 0; i < 100; i++) {
		assert_true(send(rig, i, 100));
		receive(rig, i, 100);
		ring_publish_tail(&rig->rx);
	}
}

static void a_tail_beyond_the_head_breaks_the_ring(void **state)
{
	static const uint32_t tails[] = {LINES + 1, LINES + 2, 2 * LINES, 1u << 31, UINT32_MAX};
	unsigned int i;
	uint32_t j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		struct rig rig;

		open_ring(&rig, LINES, ARENA);
		for (j = 0; j < LINES; j++)
			assert_true(send(&rig, j, 1));
		atomic_store(&rig.tx.shared->tail, tails[i]);
		assert_false(ring_has_room(&rig.tx));
		assert_true(rig.tx.broken);
		/* For good, whatever it says later. */
		atomic_store(&rig.tx.shared->tail, LINES);
		assert_false(ring_has_room(&rig.tx));
		close_ring(&rig);
	}
}

static void a_tail_that_goes_back_breaks_the_ring(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	for (i = 0; i < LINES; i++)
		send(rig, i, 1);
	atomic_store(&rig->tx.shared->tail, 8);
	for (i = 0; i < 8; i++)
		assert_true(send(rig, i, 1));
	atomic_store(&rig->tx.shared->tail, 7);
	assert_false(ring_has_room(&rig->tx));
	assert_true(rig->tx.broken);
}

/*
 * A hostile sender: the receiver's view
 */

static void forge(struct rig *rig, uint32_t size, uint32_t offset)
{
	struct ring_line *line = &rig->rx.lines[rig->rx.tail & rig->rx.mask];

	line->size = size;
	line->offset = offset;
	atomic_store(&line->seq, rig->rx.tail + 1);
}

static void absurd_sizes_and_offsets_are_not_copied(void **state)
{
	static const struct {
		uint32_t size, offset;
	} records[] = {
		{ARENA + 1, 0},
		{UINT32_MAX, 0},
		{UINT32_MAX, UINT32_MAX},
		{113, ARENA - 112},
		{113, ARENA},
		{113, ARENA + 1},
		{113, UINT32_MAX},
		{113, UINT32_MAX - 112},
		{ARENA, 1},
		{1u << 31, 1u << 31},
	};
	struct rig *rig = *state;
	uint8_t data[2 * ARENA];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(records); i++) {
		uint32_t size = 12345;

		memset(data, 0x5a, sizeof(data));
		forge(rig, records[i].size, records[i].offset);
		assert_null(ring_view(&rig->rx, ring_peek(&rig->rx), sizeof(data), &size));
		assert_false(ring_copy(&rig->rx, ring_peek(&rig->rx), data, sizeof(data), &size));
		assert_int_equal(data[0], 0x5a);
	}
}

static void more_than_the_callers_room_is_not_copied(void **state)
{
	struct rig *rig = *state;
	uint8_t data[ARENA];
	uint32_t size;

	memset(data, 0x5a, sizeof(data));
	forge(rig, 10, 0);
	assert_false(ring_copy(&rig->rx, ring_peek(&rig->rx), data, 9, &size));
	forge(rig, 100, 0);
	assert_false(ring_copy(&rig->rx, ring_peek(&rig->rx), data, 99, &size));
	assert_int_equal(data[0], 0x5a);
	assert_true(ring_copy(&rig->rx, ring_peek(&rig->rx), data, 100, &size));
	assert_int_equal(size, 100);
	assert_int_equal(data[99], 0);
}

static void the_last_bytes_of_the_arena_can_be_used(void **state)
{
	struct rig *rig = *state;
	uint8_t data[ARENA];
	uint32_t size;

	forge(rig, 128, ARENA - 128);
	assert_ptr_equal(ring_view(&rig->rx, ring_peek(&rig->rx), 128, &size),
			 rig->rx.arena + ARENA - 128);
	assert_int_equal(size, 128);
	assert_null(ring_view(&rig->rx, ring_peek(&rig->rx), 127, &size));
	assert_true(ring_copy(&rig->rx, ring_peek(&rig->rx), data, sizeof(data), &size));
	forge(rig, ARENA, 0);
	assert_true(ring_copy(&rig->rx, ring_peek(&rig->rx), data, sizeof(data), &size));
	assert_int_equal(size, ARENA);
}

static void a_sequence_out_of_turn_is_no_record(void **state)
{
	static const uint32_t seqs[] = {0, 2, LINES + 1, UINT32_MAX, 1u << 31};
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seqs); i++) {
		atomic_store(&rig->rx.lines[0].seq, seqs[i]);
		assert_null(ring_peek(&rig->rx));
	}
	atomic_store(&rig->rx.lines[0].seq, 1);
	assert_non_null(ring_peek(&rig->rx));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_rounded),
		cmocka_unit_test(the_slots_of_a_backlog_are_not_used_at_first),
		TEST(an_empty_ring_has_nothing),
		TEST(records_come_in_order_as_sent),
		TEST(push_fails_when_the_lines_are_full),
		TEST(there_is_a_slot_for_every_line),
		TEST(slots_of_any_sizes_are_kept_apart),
		cmocka_unit_test(few_under_way_use_few_slots),
		TEST(indices_wrap_at_2_to_the_32),
		TEST(a_full_ring_wraps_with_its_content),
		cmocka_unit_test(every_kind_of_ring_works),
		TEST(a_sleeping_receiver_is_woken_once),
		TEST(a_sender_that_waits_is_woken_once),
		TEST(a_header_that_lies_is_refused),
		TEST(memory_that_is_too_small_is_refused),
		TEST(a_header_that_changes_later_changes_nothing),
		cmocka_unit_test(a_tail_beyond_the_head_breaks_the_ring),
		TEST(a_tail_that_goes_back_breaks_the_ring),
		TEST(absurd_sizes_and_offsets_are_not_copied),
		TEST(more_than_the_callers_room_is_not_copied),
		TEST(the_last_bytes_of_the_arena_can_be_used),
		TEST(a_sequence_out_of_turn_is_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
