/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers: reference counts, data, lists.
 */
#include "memtest.h"
#include "core/buf.h"

#define COUNT 8
#define SIZE  128

static char memory[SIZE];

struct rig {
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf[COUNT];
};

static int set_up(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));

	rig->mmap = started_mmap(memory, SIZE);
	rig->inventory = started_inventory(COUNT);
	for (int i = 0; i < COUNT; i++)
		assert_ok(doca_buf_inventory_buf_get_by_addr(rig->inventory, rig->mmap,
							     memory + 16 * i, 16, &rig->buf[i]));
	*state = rig;
	return 0;
}

/* Whatever is still out is taken back; then everything must be there again. */
static int tear_down(void **state)
{
	struct rig *rig = *state;

	for (int i = 0; i < COUNT; i++)
		while (rig->buf[i]->refcount && buf_is_head(rig->buf[i]))
			assert_ok(doca_buf_dec_refcount(rig->buf[i], NULL));
	assert_int_equal(count_bufs(rig->mmap), 0);
	assert_int_equal(count_free(rig->inventory), COUNT);
	assert_ok(doca_buf_inventory_destroy(rig->inventory));
	assert_ok(doca_mmap_destroy(rig->mmap));
	free(rig);
	return 0;
}

static uint32_t list_len(const struct doca_buf *buf)
{
	uint32_t len = 0;

	assert_ok(doca_buf_get_list_len(buf, &len));
	return len;
}

/* first, in list, last: as three digits */
static int place(const struct doca_buf *buf)
{
	uint8_t is_first, is_in_list, is_last;

	assert_ok(doca_buf_is_first_in_list(buf, &is_first));
	assert_ok(doca_buf_is_in_list(buf, &is_in_list));
	assert_ok(doca_buf_is_last_in_list(buf, &is_last));
	return is_first * 100 + is_in_list * 10 + is_last;
}

static void refcount_goes_up_and_down(void **state)
{
	struct doca_buf *buf = ((struct rig *)*state)->buf[0];
	uint16_t count = 0;

	assert_ok(doca_buf_get_refcount(buf, &count));
	assert_int_equal(count, 1);
	assert_ok(doca_buf_inc_refcount(buf, &count));
	assert_int_equal(count, 1); /* before */
	assert_ok(doca_buf_inc_refcount(buf, NULL));
	assert_ok(doca_buf_dec_refcount(buf, &count));
	assert_int_equal(count, 3);
	assert_ok(doca_buf_get_refcount(buf, &count));
	assert_int_equal(count, 2);
}

static void refcount_ends_at_65535(void **state)
{
	struct doca_buf *buf = ((struct rig *)*state)->buf[0];
	uint16_t count = 0;

	for (int i = 1; i < UINT16_MAX; i++)
		assert_ok(doca_buf_inc_refcount(buf, NULL));
	assert_err(doca_buf_inc_refcount(buf, &count), TOO_BIG);
	assert_int_equal(count, 0);
	assert_ok(doca_buf_get_refcount(buf, &count));
	assert_int_equal(count, UINT16_MAX);
}

static void double_free_is_refused(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_buf_dec_refcount(rig->buf[3], NULL));
	assert_int_equal(count_bufs(rig->mmap), COUNT - 1);
	assert_int_equal(count_free(rig->inventory), 1);
	assert_err(doca_buf_dec_refcount(rig->buf[3], NULL), BAD_STATE);
	assert_err(doca_buf_inc_refcount(rig->buf[3], NULL), BAD_STATE);
	assert_err(doca_buf_dec_refcount(NULL, NULL), INVALID_VALUE);
	assert_err(doca_buf_inc_refcount(NULL, NULL), INVALID_VALUE);
	assert_int_equal(count_free(rig->inventory), 1);
}

static void data_moves_and_memory_does_not(void **state)
{
	struct doca_buf *buf = ((struct rig *)*state)->buf[1];
	void *head, *data;
	size_t len, data_len, space;

	assert_ok(doca_buf_set_data(buf, memory + 20, 5));
	assert_ok(doca_buf_get_head(buf, &head));
	assert_ok(doca_buf_get_len(buf, &len));
	assert_ok(doca_buf_get_data(buf, &data));
	assert_ok(doca_buf_get_data_len(buf, &data_len));
	assert_ptr_equal(head, memory + 16);
	assert_int_equal(len, 16);
	assert_ptr_equal(data, memory + 20);
	assert_int_equal(data_len, 5);
	assert_true(buf_find_space(buf, &space));
	assert_int_equal(space, 7);

	assert_ok(doca_buf_set_data_len(buf, 12));
	assert_ok(doca_buf_get_data(buf, &data));
	assert_ok(doca_buf_get_data_len(buf, &data_len));
	assert_ptr_equal(data, memory + 20);
	assert_int_equal(data_len, 12);
	assert_true(buf_find_space(buf, &space));
	assert_int_equal(space, 0);

	assert_ok(doca_buf_reset_data_len(buf));
	assert_ok(doca_buf_get_data(buf, &data));
	assert_ok(doca_buf_get_data_len(buf, &data_len));
	assert_ptr_equal(data, memory + 20);
	assert_int_equal(data_len, 0);
}

static void unsound_data_is_seen(void **state)
{
	struct doca_buf *buf = ((struct rig *)*state)->buf[1];

	assert_true(buf_is_sound(buf));
	assert_ok(doca_buf_set_data(buf, memory + 16, 16));
	assert_true(buf_is_sound(buf));
	assert_ok(doca_buf_set_data(buf, memory + 32, 0));
	assert_true(buf_is_sound(buf));
	assert_ok(doca_buf_set_data_len(buf, 1));
	assert_false(buf_is_sound(buf));
	assert_ok(doca_buf_set_data(buf, memory + 15, 1));
	assert_false(buf_is_sound(buf));
	assert_ok(doca_buf_set_data(buf, memory + 17, SIZE_MAX));
	assert_false(buf_is_sound(buf));
}

static void a_single_buffer_is_a_list_of_one(void **state)
{
	struct doca_buf *buf = ((struct rig *)*state)->buf[0];
	struct doca_buf *other = buf;

	assert_int_equal(place(buf), 101);
	assert_int_equal(list_len(buf), 1);
	assert_ok(doca_buf_get_next_in_list(buf, &other));
	assert_null(other);
	assert_ok(doca_buf_get_last_in_list(buf, &other));
	assert_ptr_equal(other, buf);
}

static void lists_are_chained_head_to_tail(void **state)
{
	struct doca_buf **buf = ((struct rig *)*state)->buf;
	struct doca_buf *at;

	assert_ok(doca_buf_chain_list(buf[0], buf[1]));
	assert_ok(doca_buf_chain_list(buf[2], buf[3]));
	assert_ok(doca_buf_chain_list(buf[0], buf[2]));
	assert_ok(doca_buf_chain_list_tail(buf[0], buf[3], buf[4]));
	assert_int_equal(list_len(buf[0]), 5);
	assert_int_equal(place(buf[0]), 110);
	assert_int_equal(place(buf[2]), 10);
	assert_int_equal(place(buf[4]), 11);
	at = buf[0];
	for (int i = 0; i < 5; i++) {
		struct doca_buf *last;

		assert_ptr_equal(at, buf[i]);
		assert_ok(doca_buf_get_last_in_list(at, &last));
		assert_ptr_equal(last, buf[4]);
		assert_ok(doca_buf_get_next_in_list(at, &at));
	}
	assert_null(at);
}

static void only_heads_can_be_chained(void **state)
{
	struct doca_buf **buf = ((struct rig *)*state)->buf;

	assert_ok(doca_buf_chain_list(buf[0], buf[1]));
	assert_err(doca_buf_chain_list(buf[0], buf[0]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list(buf[1], buf[2]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list(buf[2], buf[1]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list_tail(buf[0], buf[0], buf[2]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list_tail(buf[0], NULL, buf[2]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list_tail(buf[2], buf[1], buf[3]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list(NULL, buf[2]), INVALID_VALUE);
	assert_err(doca_buf_chain_list(buf[2], NULL), INVALID_VALUE);
	assert_ok(doca_buf_inc_refcount(buf[2], NULL)); /* somebody else has it too */
	assert_err(doca_buf_chain_list(buf[0], buf[2]), NOT_PERMITTED);
	assert_int_equal(list_len(buf[0]), 2);
	assert_int_equal(list_len(buf[2]), 1);
	assert_ok(doca_buf_dec_refcount(buf[3], NULL)); /* is anybody's from now on */
	assert_err(doca_buf_chain_list(buf[3], buf[4]), NOT_PERMITTED);
	assert_err(doca_buf_chain_list(buf[4], buf[3]), NOT_PERMITTED);
}

static void the_head_counts_for_all(void **state)
{
	struct rig *rig = *state;
	uint16_t count = 0;
	uint32_t len;

	for (int i = 1; i < 4; i++)
		assert_ok(doca_buf_chain_list(rig->buf[0], rig->buf[i]));
	assert_err(doca_buf_inc_refcount(rig->buf[1], NULL), NOT_PERMITTED);
	assert_err(doca_buf_dec_refcount(rig->buf[1], NULL), NOT_PERMITTED);
	assert_err(doca_buf_get_list_len(rig->buf[1], &len), NOT_PERMITTED);
	assert_ok(doca_buf_get_refcount(rig->buf[1], &count));
	assert_int_equal(count, 1);
	assert_ok(doca_buf_inc_refcount(rig->buf[0], NULL));
	assert_ok(doca_buf_dec_refcount(rig->buf[0], NULL));
	assert_int_equal(count_free(rig->inventory), 0);
	assert_ok(doca_buf_dec_refcount(rig->buf[0], NULL));
	assert_int_equal(count_free(rig->inventory), 4);
	assert_int_equal(count_bufs(rig->mmap), COUNT - 4);
	for (int i = 0; i < 4; i++)
		assert_err(doca_buf_dec_refcount(rig->buf[i], NULL), BAD_STATE);
}

static void lists_are_cut_in_two(void **state)
{
	struct doca_buf **buf = ((struct rig *)*state)->buf;
	struct doca_buf *last;
	uint16_t count = 0;

	for (int i = 1; i < 5; i++)
		assert_ok(doca_buf_chain_list(buf[0], buf[i]));
	assert_ok(doca_buf_unchain_list(buf[0], buf[2]));
	assert_int_equal(list_len(buf[0]), 2);
	assert_int_equal(list_len(buf[2]), 3);
	assert_ok(doca_buf_get_last_in_list(buf[0], &last));
	assert_ptr_equal(last, buf[1]);
	assert_ok(doca_buf_get_last_in_list(buf[2], &last));
	assert_ptr_equal(last, buf[4]);
	assert_ok(doca_buf_get_refcount(buf[2], &count));
	assert_int_equal(count, 1);
	/* Both are whole lists again. */
	assert_ok(doca_buf_chain_list(buf[2], buf[0]));
	assert_int_equal(list_len(buf[2]), 5);
}

static void what_is_not_in_the_list_cannot_be_cut_off(void **state)
{
	struct doca_buf **buf = ((struct rig *)*state)->buf;

	assert_ok(doca_buf_chain_list(buf[0], buf[1]));
	assert_ok(doca_buf_chain_list(buf[0], buf[2]));
	assert_err(doca_buf_unchain_list(buf[0], buf[0]), INVALID_VALUE);
	assert_err(doca_buf_unchain_list(buf[0], buf[3]), INVALID_VALUE);
	assert_err(doca_buf_unchain_list(buf[1], buf[2]), INVALID_VALUE);
	assert_err(doca_buf_unchain_list(buf[3], buf[3]), INVALID_VALUE);
	assert_err(doca_buf_unchain_list(NULL, buf[1]), INVALID_VALUE);
	assert_err(doca_buf_unchain_list(buf[0], NULL), INVALID_VALUE);
	assert_err(doca_buf_get_list_len(NULL, NULL), INVALID_VALUE);
	assert_err(doca_buf_get_last_in_list(NULL, NULL), INVALID_VALUE);
	assert_int_equal(list_len(buf[0]), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(refcount_goes_up_and_down),
		TEST(refcount_ends_at_65535),
		TEST(double_free_is_refused),
		TEST(data_moves_and_memory_does_not),
		TEST(unsound_data_is_seen),
		TEST(a_single_buffer_is_a_list_of_one),
		TEST(lists_are_chained_head_to_tail),
		TEST(only_heads_can_be_chained),
		TEST(the_head_counts_for_all),
		TEST(lists_are_cut_in_two),
		TEST(what_is_not_in_the_list_cannot_be_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
