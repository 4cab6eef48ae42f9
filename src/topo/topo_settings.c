/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers with a name: limits, faults, waiting times. The same rows and the same parser serve the
 * topology file and the SOFTFIELD_* variables.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topo/load.h"
#include "base/cleanup.h"
#include "base/count.h"
#include "base/name_list.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define S  (1000 * MS)

#define DURATION_MAX (3600 * S)

static const struct setting limit_rows[] = {
#define LIMIT(name_, value, min_, max_, text_)                                                     \
	{.name = #name_,                                                                           \
	 .kind = SETTING_COUNT,                                                                    \
	 .offset = offsetof(struct topo_limits, name_),                                            \
	 .size = sizeof(uint64_t),                                                                 \
	 .min = min_,                                                                              \
	 .max = max_,                                                                              \
	 .text = text_},
#include "core/limits.def"
#undef LIMIT
};

#define FAULT(name_, kind_, member, max_, text_)                                                   \
	{                                                                                          \
		.name = name_, .kind = kind_, .offset = offsetof(struct topo_faults, member),      \
		.size = sizeof(((struct topo_faults *)NULL)->member), .max = max_, .text = text_   \
	}

static const struct setting fault_rows[] = {
	FAULT("delay", SETTING_DURATION, delay_ns, DURATION_MAX, "delay of each arriving message"),
	FAULT("jitter", SETTING_DURATION, jitter_ns, DURATION_MAX, "most that is added to it"),
	FAULT("drop_after", SETTING_COUNT, drop_after, INT64_MAX,
	      "messages until the connection breaks; 0: never"),
	FAULT("kill_after", SETTING_COUNT, kill_after, INT64_MAX,
	      "messages until the process is killed; 0: never"),
	FAULT("full", SETTING_PERCENT, full_percent, 100,
	      "percent of sends that find a full queue"),
	FAULT("seed", SETTING_COUNT, seed, INT64_MAX, "start of the random numbers"),
};

static const struct setting wait_rows[] = {
	{.name = "connect_wait",
	 .kind = SETTING_DURATION,
	 .offset = offsetof(struct topo, connect_wait_ns),
	 .size = sizeof(uint64_t),
	 .max = DURATION_MAX,
	 .text = "time a client waits for its server to appear"},
};

#define TABLE(rows_)                                                                               \
	{                                                                                          \
		.rows = (rows_), .count = COUNT(rows_)                                             \
	}

const struct setting_table topo_limit_settings = TABLE(limit_rows);
const struct setting_table topo_fault_settings = TABLE(fault_rows);
const struct setting_table topo_wait_settings = TABLE(wait_rows);

static doca_error_t refuse_unknown(const struct setting_table *table, const char *name,
				   struct topo_why *why)
{
	char known[700] = "";

	if (table == &topo_limit_settings) /* too many for a line */
		return topo_refuse(why, "unknown \"%.64s\"; softfield limits lists what there is",
				   name);
	for (size_t i = 0; i < table->count; i++)
		name_list_add(known, sizeof(known), table->rows[i].name);
	return topo_refuse(why, "unknown \"%.64s\"; known: %s", name, known);
}

static bool matches_short(const struct setting *setting, const char *name)
{
	const char *rest = strchr(setting->name, '_');

	return rest && !strcmp(rest + 1, name);
}

doca_error_t topo_setting_find(const struct setting_table *table, const char *name,
			       const struct setting **ret_setting, struct topo_why *why)
{
	const struct setting *found = NULL;

	for (size_t i = 0; i < table->count; i++) {
		if (!strcmp(table->rows[i].name, name)) {
			*ret_setting = &table->rows[i];
			return DOCA_SUCCESS;
		}
	}
	for (size_t i = 0; i < table->count; i++) {
		if (!matches_short(&table->rows[i], name))
			continue;
		if (found)
			return topo_refuse(why, "\"%s\" may mean %s or %s", name, found->name,
					   table->rows[i].name);
		found = &table->rows[i];
	}
	if (!found)
		return refuse_unknown(table, name, why);
	*ret_setting = found;
	return DOCA_SUCCESS;
}

/* the factor that a unit stands for; 0: there is no such unit */
static uint64_t unit_factor(enum setting_kind kind, const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"", MS}, {"ns", 1}, {"us", US}, {"ms", MS}, {"s", S}};

	if (kind == SETTING_COUNT)
		return !*unit;
	if (kind == SETTING_PERCENT)
		return !*unit || !strcmp(unit, "%");
	for (size_t i = 0; i < COUNT(units); i++) {
		if (!strcmp(units[i].name, unit))
			return units[i].ns;
	}
	return 0;
}

static doca_error_t refuse_value(const struct setting *setting, const char *text,
				 struct topo_why *why)
{
	if (setting->kind == SETTING_DURATION)
		return topo_refuse(why,
				   "\"%.64s\" is not a duration like 500us, 10ms or 2s (a bare "
				   "number means ms) of at most %" PRIu64 "s",
				   text, setting->max / S);
	if (setting->min == setting->max)
		return topo_refuse(why, "\"%.64s\" is not possible: fixed at %" PRIu64 " (%s)",
				   text, setting->min, setting->text);
	return topo_refuse(why, "\"%.64s\" is not a number from %" PRIu64 " to %" PRIu64 "%s (%s)",
			   text, setting->min, setting->max,
			   setting->kind == SETTING_PERCENT ? "%" : "", setting->text);
}

/* decimal digits only: strtoull() would take a sign, space and an overflow as well */
static bool parse_digits(const char **text, uint64_t *ret_number)
{
	const char *at = *text;
	uint64_t number = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*ret_number = number;
	return true;
}

static void store(const struct setting *setting, uint64_t number, void *base)
{
	uint32_t narrow = (uint32_t)number;

	assert(setting->size == sizeof(number) || setting->size == sizeof(narrow));
	if (setting->size == sizeof(number))
		memcpy((char *)base + setting->offset, &number, sizeof(number));
	else
		memcpy((char *)base + setting->offset, &narrow, sizeof(narrow));
}

doca_error_t topo_setting_parse(const struct setting *setting, const char *text, void *base,
				struct topo_why *why)
{
	const char *unit = text;
	uint64_t number, factor;

	if (!parse_digits(&unit, &number))
		return refuse_value(setting, text, why);
	factor = unit_factor(setting->kind, unit);
	if (!factor || __builtin_mul_overflow(number, factor, &number) || number < setting->min ||
	    number > setting->max)
		return refuse_value(setting, text, why);
	store(setting, number, base);
	return DOCA_SUCCESS;
}

/* "name=value", which is cut in place */
static doca_error_t parse_pair(const struct setting_table *table, char *pair, uint64_t *seen,
			       void *base, struct topo_why *why)
{
	char *value = strchr(pair, '=');
	const struct setting *setting;
	struct topo_why reason;
	doca_error_t err;
	uint64_t bit;

	if (!value)
		return topo_refuse(why, "\"%.64s\" is not of the form name=value", pair);
	*value++ = '\0';
	err = topo_setting_find(table, pair, &setting, why);
	if (err)
		return err;
	bit = UINT64_C(1) << (setting - table->rows);
	if (*seen & bit)
		return topo_refuse(why, "\"%s\" is given twice", setting->name);
	*seen |= bit;
	err = topo_setting_parse(setting, value, base, &reason);
	if (err)
		return topo_refuse(why, "%s: %.800s", setting->name, reason.text);
	return DOCA_SUCCESS;
}

doca_error_t topo_settings_parse_list(const struct setting_table *table, const char *text,
				      void *base, size_t base_size, struct topo_why *why)
{
	_cleanup_free_ char *copy = strdup(text);
	_cleanup_free_ void *draft = malloc(base_size);
	uint64_t seen = 0;
	char *rest = copy;

	assert(table->count <= 64);
	if (!copy || !draft)
		return DOCA_ERROR_NO_MEMORY;
	memcpy(draft, base, base_size);
	while (rest && *rest) {
		char *pair = strsep(&rest, ",");
		doca_error_t err = parse_pair(table, pair, &seen, draft, why);

		if (err)
			return err;
	}
	memcpy(base, draft, base_size);
	return DOCA_SUCCESS;
}

doca_error_t topo_limits_check(const struct topo_limits *limits, struct topo_why *why)
{
	if (limits->comch_default_recv_queue_size > limits->comch_max_recv_queue_size)
		return topo_refuse(why,
				   "comch_default_recv_queue_size %" PRIu64
				   " is above comch_max_recv_queue_size %" PRIu64,
				   limits->comch_default_recv_queue_size,
				   limits->comch_max_recv_queue_size);
	return DOCA_SUCCESS;
}
