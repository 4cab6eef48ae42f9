/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: as Prometheus text and as a table.
 */
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/count.h"
#include "base/terminal.h"

#define EUS_MAX	   64u
#define MIB	   (1 << 20)
#define NAME_WIDTH 28 /* a row then has 79 columns */

static uint64_t value_of(const struct doca_sta_eu_ctr_entry *entry)
{
	return __atomic_load_n(entry->val, __ATOMIC_RELAXED);
}

/* the sum over the engine's threads: names are "reads" or "reads_eu3" */
static uint64_t ns_sum(const struct served_ns *ns, const char *name)
{
	const struct doca_sta_eu_ctr_entry *entries;
	size_t length = strlen(name);
	uint64_t sum = 0;
	unsigned int p;
	uint16_t count, i;

	for (p = 0; p < ns->subsys->target->port_count; p++) {
		if (doca_sta_get_ns_stats(ns->subsys->subs[p], ns->handles[p], &entries, &count))
			continue;
		for (i = 0; i < count; i++)
			if (!strncmp(entries[i].name, name, length) &&
			    (!entries[i].name[length] ||
			     !strncmp(entries[i].name + length, "_eu", 3)))
				sum += value_of(&entries[i]);
	}
	return sum;
}

/* Prometheus wants all lines of a metric together, after what it is. */
static void put_help(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP softfield_target_%s %s\n# TYPE softfield_target_%s %s\n", name, help,
		name, type);
}

static const struct doca_sta_eu_ctr_entry *find_counter(struct doca_sta_eu_handle *eu,
							const char *name)
{
	const struct doca_sta_eu_ctr_entry *entries;
	uint16_t count, i;

	if (doca_sta_get_eu_stats(eu, &entries, &count))
		return NULL;
	for (i = 0; i < count; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	return NULL;
}

/* counters of the engine's units */
static const struct {
	const char *counter, *help;
} engine_metrics[] = {
	{"rx_capsules", "commands received from hosts"},
	{"reads", "reads that have succeeded"},
	{"writes", "writes that have succeeded"},
	{"read_bytes", "bytes of those reads"},
	{"write_bytes", "bytes of those writes"},
	{"non_offload", "commands that the program executes, not the engine"},
	{"validation_err", "commands refused because of a mistake of the host"},
	{"no_buffer", "commands that had to wait for a data buffer"},
	{"remote", "reads and writes passed to the thread that has the disk's queue"},
	{"transport_err", "queues that have ended with an error of the transport"},
	{"notify_dropped", "failed commands that were not reported: too many reports wait"},
	{"app_full", "commands that had to wait because the program has too many"},
	{"tx_responses", "responses sent to hosts"},
	{"tx_data", "bytes of data sent to hosts"},
	{"fetches", "commands whose data was fetched from the host"},
	{"be_submitted", "reads and writes given to a disk"},
	{"be_completed", "reads and writes that a disk has completed"},
	{"be_err", "those of them that have failed"},
	{"sq_full", "reads and writes that had to wait for room in the disk's queue"},
};

static const char *help_of(const char *counter)
{
	size_t i;

	for (i = 0; i < COUNT(engine_metrics); i++)
		if (!strcmp(engine_metrics[i].counter, counter))
			return engine_metrics[i].help;
	return "not described";
}

/* one counter of all units that have it */
static void put_counter(FILE *out, struct doca_sta_eu_handle *const *eus, uint32_t eu_count,
			const char *counter)
{
	const struct doca_sta_eu_ctr_entry *entry;
	const char *unit;
	char name[128];
	uint32_t i;

	snprintf(name, sizeof(name), "%s_total", counter);
	put_help(out, name, "counter", help_of(counter));
	for (i = 0; i < eu_count; i++) {
		entry = find_counter(eus[i], counter);
		if (entry && !doca_sta_get_eu_name(eus[i], &unit))
			fprintf(out, "softfield_target_%s{unit=\"%s\"} %" PRIu64 "\n", name, unit,
				value_of(entry));
	}
}

static void put_engine(FILE *out, const struct target *target)
{
	struct doca_sta_eu_handle *eus[EUS_MAX];
	const struct doca_sta_eu_ctr_entry *entries;
	uint32_t eu_count = EUS_MAX, i, before;
	uint16_t count, j;

	if (doca_sta_get_eu_handle(target->sta, eus, &eu_count))
		return;
	for (i = 0; i < eu_count; i++) {
		if (doca_sta_get_eu_stats(eus[i], &entries, &count))
			continue;
		for (j = 0; j < count; j++) {
			for (before = 0; before < i; before++)
				if (find_counter(eus[before], entries[j].name))
					break;
			if (before == i)
				put_counter(out, eus, eu_count, entries[j].name);
		}
	}
}

/* what of a namespace is shown, and as what */
static const struct {
	const char *counter, *metric, *help;
} ns_metrics[STATS_NS_COUNTERS] = {
	{"reads", "namespace_reads_total", "reads that have succeeded"},
	{"writes", "namespace_writes_total", "writes that have succeeded"},
	{"read_bytes", "namespace_read_bytes_total", "bytes of those reads"},
	{"write_bytes", "namespace_write_bytes_total", "bytes of those writes"},
	{"errors", "namespace_errors_total", "reads and writes that the disk has failed"},
};

/* The value of a label. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			fputc(*text, out);
	}
}

static void put_namespaces(FILE *out, const struct target *target)
{
	struct list_node *s, *n;
	size_t i;

	for (i = 0; i < STATS_NS_COUNTERS; i++) {
		put_help(out, ns_metrics[i].metric, "counter", ns_metrics[i].help);
		list_for_each (s, &target->subsystems) {
			const struct served_subsys *subsys =
				container_of(s, struct served_subsys, node);

			list_for_each (n, &subsys->namespaces) {
				const struct served_ns *ns =
					container_of(n, struct served_ns, node);

				fprintf(out, "softfield_target_%s{subsystem=\"",
					ns_metrics[i].metric);
				put_escaped(out, subsys->subsys->nqn);
				fprintf(out, "\",nsid=\"%u\"} %" PRIu64 "\n", ns->nsid,
					ns_sum(ns, ns_metrics[i].counter));
			}
		}
	}
}

char *stats_prometheus(const struct target *target)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_help(out, "connections", "gauge", "queues that hosts have connected");
	fprintf(out, "softfield_target_connections %u\n", target->conn_count);
	put_engine(out, target);
	put_namespaces(out, target);
	fclose(out);
	return text;
}

/* Names differ at their end, and a row has to fit a terminal. */
static void put_name(FILE *out, const char *nqn)
{
	size_t len = strlen(nqn);

	if (len > (size_t)NAME_WIDTH)
		fprintf(out, "..%s", nqn + len - (NAME_WIDTH - 2));
	else
		fprintf(out, "%-*s", NAME_WIDTH, nqn);
}

/* per second since the last table, errors in all */
static void print_ns(FILE *out, struct served_ns *ns, double seconds)
{
	double rate[STATS_NS_COUNTERS];
	size_t i;

	for (i = 0; i < STATS_NS_COUNTERS; i++) {
		uint64_t now = ns_sum(ns, ns_metrics[i].counter);

		rate[i] = seconds > 0 ? (double)(now - ns->shown[i]) / seconds : 0;
		ns->shown[i] = now;
	}
	put_name(out, ns->subsys->subsys->nqn);
	fprintf(out, " %5u %9.0f %9.0f %8.1f %8.1f %6" PRIu64 "\n", ns->nsid, rate[0], rate[1],
		rate[2] / MIB, rate[3] / MIB, ns->shown[4]);
}

void stats_table(struct target *target, uint64_t now_ns)
{
	double seconds = target->table_ns ? (double)(now_ns - target->table_ns) / 1e9 : 0;
	FILE *out = output_begin();
	struct list_node *s, *n;

	target->table_ns = now_ns;
	if (isatty(STDOUT_FILENO) && !terminal_is_dumb())
		fputs("\033[H\033[J", out); /* in the place of the last one */
	fprintf(out, "%-*s %5s %9s %9s %8s %8s %6s\n", NAME_WIDTH, "subsystem", "nsid", "reads/s",
		"writes/s", "rd MiB/s", "wr MiB/s", "errors");
	list_for_each (s, &target->subsystems) {
		const struct served_subsys *subsys = container_of(s, struct served_subsys, node);

		list_for_each (n, &subsys->namespaces)
			print_ns(out, container_of(n, struct served_ns, node), seconds);
	}
	fprintf(out, "connections: %u\n", target->conn_count);
	output_end(out);
}
