/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes: posts, claims, lines, their counters' wrap, and ends that do not keep to the rules.
 * Long because every promise is a small test of its own.
 */
#include "lane_rig.h"

#include <stdio.h>
#include "base/kernel.h"

/*
 * Posts, claims, lines
 */

static void head_survives_packing(void **state)
{
	const struct lane_head head = {
		.size = 0xfedcba98, .producer_id = 0x8123, .imm_size = 0xf0, .inline_size = 0x81};
	struct lane_head unpacked = lane_unpack_head(lane_pack_head(head));

	(void)state;
	assert_memory_equal(&unpacked, &head, sizeof(head));
}

static void what_is_inline(void **state)
{
	(void)state;
	assert_true(lane_is_inline(0, 0));
	assert_true(lane_is_inline(112, 0));
	assert_true(lane_is_inline(80, 32));
	assert_false(lane_is_inline(113, 0));
	assert_false(lane_is_inline(81, 32));
	assert_true(lane_is_inline(16, LANE_IMM_MAX));
	assert_false(lane_is_inline(17, LANE_IMM_MAX));
	assert_false(lane_is_inline(UINT32_MAX - 15, 32)); /* sizes do not wrap */
}

/* What is in the line ends where a cache line of the target does, and fills the line. */
static void how_a_long_message_begins(void **state)
{
	static const uint32_t imm_sizes[] = {0, 1, 20, 32, 48, 49, LANE_IMM_MAX};
	uintptr_t target;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(imm_sizes); i++) {
		uint32_t room = LANE_INLINE - imm_sizes[i];

		for (target = 4096; target < 4096 + 64; target++) {
			uint32_t size = lane_begin_size((void *)target, imm_sizes[i]);

			if (!size) {
				assert_true(target % 64 == 0 || room < 64 - target % 64);
				continue;
			}
			assert_int_equal((target + size) % 64, 0);
			assert_true(size <= room && size + 64 > room);
		}
	}
}

static void line_answers_post(void **state)
{
	struct scene *scene = *state;
	struct lane_claim one, two;

	assert_int_equal(scene->producer->id, 5);
	assert_int_equal(claim(scene, 1, &one), LANE_NO_POST);
	post(scene, 100, 10);
	post(scene, 200, 20);
	assert_int_equal(claim(scene, 10, &one), LANE_OK);
	assert_int_equal(claim(scene, 20, &two), LANE_OK);
	assert_ptr_equal(one.target, scene->producer->window + 100);
	assert_ptr_equal(two.target, scene->producer->window + 200);
	assert_int_equal(claim(scene, 1, &two), LANE_NO_POST);
	/* Lines come in the order of the claims, whoever is first. */
	publish(scene, one.index + 1, 20);
	assert_int_equal(take(scene), -1);
	publish(scene, one.index, 10);
	assert_int_equal(take(scene), 10);
	assert_int_equal(take(scene), 20);
	assert_int_equal(take(scene), -1);
}

static void posts_are_seen_when_they_are_published(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;

	fill(scene, 0, 10);
	fill(scene, 10, 10);
	assert_int_equal(claim(scene, 1, &it), LANE_NO_POST);
	lane_post_publish(&scene->consumer);
	assert_int_equal(claim(scene, 1, &it), LANE_OK);
	assert_int_equal(claim(scene, 1, &it), LANE_OK);
	assert_int_equal(claim(scene, 1, &it), LANE_NO_POST);
}

static void a_post_too_small_stays_posted(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;

	post(scene, 0, 10);
	assert_int_equal(claim(scene, 11, &it), LANE_TOO_BIG);
	assert_int_equal(lane_count_claims(&scene->consumer), 0);
	assert_int_equal(claim(scene, 10, &it), LANE_OK);
	assert_int_equal(lane_count_claims(&scene->consumer), 1);
}

/*
 * Runs
 */

/* Up to *count messages. The lane is the scene's producer's own from its first ordinary claim on.
 */
static struct lane_line *claim_run(struct scene *scene, uint32_t size, uint32_t *count,
				   uint32_t *index)
{
	struct lane_posts posts = lane_next_posts(scene->producer);
	struct lane_line *line = NULL;
	uint32_t max, fitting = 0;
	struct lane_claim it;

	if (!lane_is_owned_by(scene->producer, &scene->key)) {
		assert_int_equal(claim(scene, UINT32_MAX, &it), LANE_TOO_BIG);
		if (!lane_is_owned_by(scene->producer, &scene->key))
			skip(); /* without membarrier() */
	}
	if (lane_begin(scene->producer, &scene->key) &&
	    lane_find_post(scene->producer, size, size) == LANE_OK) {
		*index = scene->producer->line;
		max = lane_limit_several(scene->producer, LANE_NARROW / size, *count);
		for (; fitting < max && lane_posts_have_room(&posts, size); posts.index++)
			fitting++;
		if (lane_take(scene->producer, fitting, size))
			line = lane_line_at(scene->producer, *index);
	}
	lane_end(&scene->key);
	*count = fitting;
	return line;
}

static void write_run(struct lane_line *line, uint32_t index, uint32_t size, uint32_t inline_size)
{
	lane_write(line, index,
		   (struct lane_head){
			   .size = size, .producer_id = 7, .inline_size = (uint8_t)inline_size});
}

static void a_run_answers_several_posts(void **state)
{
	struct lane_arrivals arrivals = {0};
	struct scene *scene = *state;
	uint32_t index, count = 6;
	struct lane_line *line;
	unsigned int i;

	for (i = 0; i < 8; i++)
		post(scene, 0, 10);
	line = claim_run(scene, 8, &count, &index);
	assert_int_equal(count, 6);
	assert_false(lane_has_come(&scene->consumer, &arrivals));
	write_run(line, index, 8, 48);
	for (i = 0; i < 6; i++)
		assert_true(lane_has_come(&scene->consumer, &arrivals));
	for (i = 0; i < 6; i++) {
		assert_int_equal(lane_inline_size(&scene->consumer,
						  (struct lane_head){.size = 8, .inline_size = 48}),
				 8);
		assert_int_equal(scene->consumer.taken, 8 * i);
		assert_int_equal(take(scene), 8);
	}
	assert_false(lane_has_come(&scene->consumer, &arrivals));
	assert_int_equal(take(scene), -1);
	assert_int_equal(scene->consumer.line, 1);
	/* Those that are left, behind it. */
	line = claim_run(scene, 8, &count, &index);
	assert_int_equal(count, 2);
	write_run(line, index, 8, 16);
	assert_int_equal(take(scene), 8);
	assert_int_equal(take(scene), 8);
	assert_int_equal(take(scene), -1);
	assert_null(claim_run(scene, 8, &count, &index));
}

static void a_run_ends_before_a_post_too_small(void **state)
{
	struct scene *scene = *state;
	uint32_t index, count = 6;

	post(scene, 0, 10);
	post(scene, 0, 10);
	post(scene, 0, 7);
	assert_non_null(claim_run(scene, 8, &count, &index));
	assert_int_equal(count, 2);
	assert_null(claim_run(scene, 8, &count, &index));
}

/* Each has its immediate data before its data. */
static void what_is_in_a_run_with_immediate_data(void **state)
{
	static const struct {
		struct lane_head head;
		uint32_t each, count;
	} runs[] = {
		{{.imm_size = 8, .inline_size = 40}, 8, 6},
		{{.imm_size = 8, .inline_size = 39}, 8, 5},
		{{.imm_size = 4, .size = 8, .inline_size = 44}, 12, 4},
		{{.imm_size = 24, .inline_size = 24}, 24, 2},
		{{.imm_size = 32}, 32, 1},
		{{.imm_size = 32, .size = 8, .inline_size = 8}, 40, 1},
		{{.imm_size = 8, .size = UINT32_MAX - 7, .inline_size = 40}, 0, 1},
		{{.imm_size = UINT8_MAX, .size = UINT8_MAX, .inline_size = LANE_INLINE}, 510, 1},
	};
	struct lane_consumer lane = {0};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		struct lane_head head = runs[i].head;
		uint32_t line = lane.line, count;

		for (count = 0; lane.line == line; count++) {
			assert_int_equal(lane.taken, count * runs[i].each);
			assert_int_equal(lane_imm_size(&lane, head), head.imm_size);
			assert_int_equal(lane_inline_size(&lane, head), head.size < head.inline_size
										? head.size
										: head.inline_size);
			lane_advance(&lane, head);
		}
		assert_int_equal(count, runs[i].count);
		assert_int_equal(lane.taken, 0);
	}
	/* The peer has made it shorter meanwhile. */
	lane.taken = 24;
	assert_int_equal(lane_imm_size(&lane, (struct lane_head){.imm_size = 25}), 1);
	assert_int_equal(lane_inline_size(&lane, (struct lane_head){.imm_size = 25, .size = 9}), 0);
	assert_int_equal(lane_imm_size(&lane, (struct lane_head){.imm_size = 24}), 0);
}

/* One without data is alone in its line, and so is one with less than a second behind it. */
static void what_is_left_over_is_no_message(void **state)
{
	static const uint32_t sizes[][2] = {
		{0, 48}, {30, 48}, {0, 0}, {100, 112}, {UINT32_MAX, 112}};
	struct scene *scene = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint32_t index, count = 1;
		struct lane_line *line;

		post(scene, 0, 10);
		line = claim_run(scene, 1, &count, &index);
		assert_non_null(line);
		write_run(line, index, sizes[i][0], sizes[i][1]);
		assert_int_equal(take(scene), sizes[i][0]);
		assert_int_equal(take(scene), -1);
	}
}

/* The peer may write the line again at any time. */
static void a_run_that_becomes_shorter_has_nothing_left(void **state)
{
	struct scene *scene = *state;
	uint32_t index, count = 2;
	struct lane_line *line;
	struct lane_head head;

	post(scene, 0, 10);
	post(scene, 0, 10);
	line = claim_run(scene, 8, &count, &index);
	write_run(line, index, 8, 48);
	assert_int_equal(take(scene), 8);
	write_run(line, index, 1000, 7);
	head = lane_unpack_head(lane_read_word(line));
	assert_true(lane_has_next(&scene->consumer));
	assert_int_equal(lane_inline_size(&scene->consumer, head), 0);
	assert_int_equal(take(scene), 1000);
	assert_int_equal(take(scene), -1);
}

/* Everything comes round many times, also the 32 bits of the indices. */
static void goes_round_and_round(struct scene *scene, uint32_t start, unsigned int count)
{
	unsigned int sent = 0, taken = 0;

	scene->consumer.tail = scene->consumer.filled = scene->consumer.published = start;
	scene->consumer.line = scene->consumer.released = start;
	scene->producer->claimed = scene->producer->posted = scene->producer->line = start;
	atomic_store(&scene->consumer.shared->posted, start);
	atomic_store(&scene->consumer.shared->started, start);
	while (taken < count) {
		struct lane_claim it;

		while (scene->consumer.filled - scene->consumer.tail <= scene->consumer.mask)
			post(scene, 0, WINDOW);
		while (sent < count && claim(scene, sent & 0xffff, &it) == LANE_OK) {
			publish(scene, it.index, sent & 0xffff);
			sent++;
		}
		assert_int_equal(lane_count_claims(&scene->consumer), sent - taken);
		while (taken < sent) {
			assert_int_equal(take(scene), taken & 0xffff);
			taken++;
		}
		assert_int_equal(take(scene), -1);
	}
}

static void goes_round(void **state)
{
	goes_round_and_round(*state, 0, 1000);
}

static void indices_may_wrap(void **state)
{
	goes_round_and_round(*state, UINT32_MAX - 100, 1000);
}

/* how much of the mapping that begins there is mapped page by page */
static unsigned long resident_kb(const void *mapping)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long begin, kb = 0;
	bool found = false;
	char line[512];

	assert_non_null(smaps);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-", &begin) == 1 && strchr(line, '-'))
			found = begin == (unsigned long)mapping;
		if (found && sscanf(line, "Rss: %lu kB", &kb) == 1)
			break;
	}
	fclose(smaps);
	return kb;
}

static void producers_are_told_of_a_stream(void **state)
{
	struct scene *scene = *state;

	scene->consumer.in_stream = true;
	post(scene, 0, 8);
	assert_true(lane_refresh(scene->producer, 4));
	assert_int_equal(scene->producer->prefetch_end, scene->producer->line + 1);
	scene->consumer.in_stream = false;
	post(scene, 0, 8);
	assert_true(lane_refresh(scene->producer, 4));
	assert_int_equal(scene->producer->prefetch_end, scene->producer->line);
}

static void a_touched_piece_is_mapped(void **state)
{
	struct scene *scene = *state;
	char *window = scene->producer->window;

	assert_int_equal(resident_kb(window), 0);
	lane_touch(scene->producer, window + 1, 1);
	if (madvise(window, 4096, MADV_POPULATE_WRITE))
		skip(); /* a kernel that cannot */
	assert_int_equal(resident_kb(window), WINDOW / 1024);
	/* to the last byte, and twice */
	lane_touch(scene->producer, window + WINDOW - 1, 1);
	lane_touch(scene->producer, window, WINDOW);
}

/*
 * Waking
 */

static void wakes_a_sleeper_once(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;
	unsigned int i;

	for (i = 0; i < 4; i++)
		post(scene, 0, 10);
	assert_int_equal(claim(scene, 1, &it), LANE_OK);
	publish(scene, it.index, 1);
	assert_false(has_rung(scene->listener));
	sleeper_announce(&scene->consumer.sleeper, false);
	for (i = 0; i < 2; i++) {
		assert_int_equal(claim(scene, 1, &it), LANE_OK);
		publish(scene, it.index, 1);
		assert_int_equal(has_rung(scene->listener), i == 0);
	}
	sleeper_announce(&scene->consumer.sleeper, false);
	sleeper_revoke(&scene->consumer.sleeper);
	assert_int_equal(claim(scene, 1, &it), LANE_OK);
	publish(scene, it.index, 1);
	assert_false(has_rung(scene->listener));
}

static void tells_once_that_somebody_waits_for_a_post(void **state)
{
	struct scene *scene = *state;

	fill(scene, 0, 10);
	assert_false(lane_post_publish(&scene->consumer));
	lane_wait_for_post(scene->producer);
	fill(scene, 0, 10);
	assert_true(lane_post_publish(&scene->consumer));
	fill(scene, 0, 10);
	assert_false(lane_post_publish(&scene->consumer));
	assert_true(lane_has_post(scene->producer));
}

/*
 * Closing
 */

static void a_closed_lane_gives_no_claims(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;

	assert_false(lane_consumer_close(&scene->consumer));
	assert_int_equal(claim(scene, 1, &it), LANE_GONE);
	assert_true(lane_has_post(scene->producer)); /* that is, something to look at */
}

static void a_claim_that_meets_the_close_is_taken_back(void **state)
{
	struct scene *scene = *state;
	struct lane_claim one, two;

	post(scene, 0, 10);
	post(scene, 0, 10);
	assert_int_equal(claim(scene, 1, &one), LANE_OK);
	assert_false(lane_consumer_close(&scene->consumer));
	sleeper_announce(&scene->consumer.sleeper, false);
	assert_int_equal(claim(scene, 1, &two), LANE_GONE);
	assert_int_equal(lane_count_claims(&scene->consumer), 1);
	assert_true(has_rung(scene->listener)); /* it may have seen the claim, and sleep for it */
	publish(scene, one.index, 1);
	assert_int_equal(take(scene), 1);
	assert_int_equal(lane_count_claims(&scene->consumer), 0);
}

static void so_is_that_of_a_line(void **state)
{
	struct scene *scene = *state;
	struct lane_claim one;
	uint32_t index;

	post(scene, 0, 10);
	post(scene, 0, 10);
	assert_int_equal(claim(scene, 1, &one), LANE_OK); /* sees both posts */
	assert_false(lane_consumer_close(&scene->consumer));
	sleeper_announce(&scene->consumer.sleeper, false);
	assert_false(lane_claim_line(scene->producer, &scene->key, 1, &index));
	assert_int_equal(lane_count_claims(&scene->consumer), 1);
	assert_true(has_rung(scene->listener) ||
		    !lane_is_owned_by(scene->producer, &scene->key)); /* without membarrier() */
}

static void so_is_that_of_a_run(void **state)
{
	struct scene *scene = *state;
	uint32_t index, count = 6;

	post(scene, 0, 10);
	post(scene, 0, 10);
	post(scene, 0, 10);
	assert_non_null(claim_run(scene, 8, &count, &index));
	assert_int_equal(count, 3);
	assert_int_equal(lane_count_claims(&scene->consumer), 3);
	post(scene, 0, 10);
	post(scene, 0, 10);
	assert_false(lane_consumer_close(&scene->consumer));
	assert_null(claim_run(scene, 8, &count, &index));
	assert_int_equal(lane_count_claims(&scene->consumer), 3);
}

static void closing_tells_that_somebody_waits(void **state)
{
	struct scene *scene = *state;

	lane_wait_for_post(scene->producer);
	assert_true(lane_consumer_close(&scene->consumer));
}

/*
 * The other side's memory
 */

static void nonsense_of_the_consumer_is_refused(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;

	post(scene, WINDOW - 9, 10);
	assert_int_equal(claim(scene, 10, &it), LANE_NONSENSE);
	assert_int_equal(claim(scene, 9, &it), LANE_OK);
	post(scene, UINT64_MAX, 10);
	assert_int_equal(claim(scene, 1, &it), LANE_NONSENSE);
	/* What fits into the line needs no place. */
	assert_int_equal(lane_claim(scene->producer, &scene->key, 1, true, &it), LANE_OK);
	atomic_store(&scene->consumer.shared->posted, scene->producer->claimed - 1);
	assert_int_equal(claim(scene, 1, &it), LANE_NONSENSE);
	atomic_store(&scene->consumer.shared->posted,
		     scene->producer->claimed + scene->producer->mask + 2);
	assert_int_equal(claim(scene, 1, &it), LANE_NONSENSE);
	/* Whoever waits for a post would never sleep. */
	atomic_store(&scene->consumer.shared->posted, scene->producer->claimed);
	assert_int_equal(claim(scene, 1, &it), LANE_NO_POST);
	assert_false(lane_has_post(scene->producer));
	atomic_store(&scene->consumer.shared->started, scene->producer->claimed + 1);
	assert_true(lane_has_post(scene->producer));
	assert_int_equal(claim(scene, 1, &it), LANE_NONSENSE);
}

static void spoil_magic(struct lane_shared *shared)
{
	shared->magic++;
}

static void spoil_line_count(struct lane_shared *shared)
{
	shared->line_count = 24;
}

static void take_line_count_away(struct lane_shared *shared)
{
	shared->line_count = 0;
}

static void double_line_count(struct lane_shared *shared)
{
	shared->line_count *= 128; /* more than there is memory for */
}

static void make_line_count_endless(struct lane_shared *shared)
{
	shared->line_count = 1u << 31;
}

static void wrong_layouts_are_refused(void **state)
{
	void (*const spoil[])(struct lane_shared *) = {
		spoil_magic,	   spoil_line_count,	    take_line_count_away,
		double_line_count, make_line_count_endless,
	};
	struct scene *scene = *state;
	struct lane_shared *shared = scene->consumer.shared;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spoil); i++) {
		struct lane_shared before = *shared;

		spoil[i](shared);
		assert_err(attach(scene), INVALID_VALUE);
		memcpy(shared, &before, offsetof(struct lane_shared, posted));
	}
	shared->imm_max = 1000; /* more than we ever send is no harm */
	assert_ok(attach(scene));
	assert_int_equal(scene->producer->imm_max, LANE_IMM_MAX);
}

static void the_largest_lane_is_none_too_large(void **state)
{
	struct scene *scene = *state;

	lane_consumer_fini(&scene->consumer);
	assert_ok(lane_consumer_init(&scene->consumer, LANE_LINES_MAX, 32));
	assert_ok(attach(scene));
	assert_int_equal(scene->producer->mask, LANE_LINES_MAX - 1);
}

static void wrong_descriptors_are_refused(void **state)
{
	struct scene *scene = *state;
	int small = new_window(64);

	/* memory, window, bell: each must be what it is meant to be; all are closed in any case */
	assert_int_not_equal(lane_producer_create(KEY, dup(small), dup(scene->window),
						  dup(scene->bell), &scene->producer),
			     DOCA_SUCCESS);
	assert_int_not_equal(lane_producer_create(KEY, dup(scene->consumer.mem->fd),
						  dup(scene->bell), dup(scene->bell),
						  &scene->producer),
			     DOCA_SUCCESS);
	assert_int_not_equal(lane_producer_create(KEY, dup(scene->consumer.mem->fd),
						  dup(scene->window), dup(scene->window),
						  &scene->producer),
			     DOCA_SUCCESS);
	assert_null(scene->producer);
	close(small);
}

/* Address space is finite, and windows have a share of it: lanes are never that large. */
static void memory_far_beyond_need_is_refused(void **state)
{
	struct scene *scene = *state;
	int fd = new_window((size_t)1 << 40);
	void *memory = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_true(memory != MAP_FAILED);
	memcpy(memory, scene->consumer.shared, offsetof(struct lane_shared, posted));
	munmap(memory, WINDOW);
	assert_err(lane_producer_create(KEY, fd, dup(scene->window), dup(scene->bell),
					&scene->producer),
		   INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_survives_packing),
		cmocka_unit_test(what_is_inline),
		cmocka_unit_test(how_a_long_message_begins),
		TEST(line_answers_post),
		TEST(posts_are_seen_when_they_are_published),
		TEST(a_post_too_small_stays_posted),
		TEST(a_run_answers_several_posts),
		TEST(a_run_ends_before_a_post_too_small),
		cmocka_unit_test(what_is_in_a_run_with_immediate_data),
		TEST(what_is_left_over_is_no_message),
		TEST(a_run_that_becomes_shorter_has_nothing_left),
		TEST(goes_round),
		TEST(indices_may_wrap),
		TEST(producers_are_told_of_a_stream),
		TEST(a_touched_piece_is_mapped),
		TEST(wakes_a_sleeper_once),
		TEST(tells_once_that_somebody_waits_for_a_post),
		TEST(a_closed_lane_gives_no_claims),
		TEST(a_claim_that_meets_the_close_is_taken_back),
		TEST(so_is_that_of_a_line),
		TEST(so_is_that_of_a_run),
		TEST(closing_tells_that_somebody_waits),
		TEST(nonsense_of_the_consumer_is_refused),
		TEST_ALONE(wrong_layouts_are_refused),
		TEST_ALONE(the_largest_lane_is_none_too_large),
		TEST_ALONE(wrong_descriptors_are_refused),
		TEST_ALONE(memory_far_beyond_need_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
