/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: as Prometheus text and as a table.
 */
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EUS_MAX 64u

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

static void put_engine(FILE *out, const struct target *target)
{
	struct doca_sta_eu_handle *eus[EUS_MAX];
	const struct doca_sta_eu_ctr_entry *entries;
	uint32_t count = EUS_MAX, i;
	uint16_t n, j;

	if (doca_sta_get_eu_handle(target->sta, eus, &count))
		return;
	for (i = 0; i < count; i++) {
		const char *name;

		if (doca_sta_get_eu_name(eus[i], &name) ||
		    doca_sta_get_eu_stats(eus[i], &entries, &n))
			continue;
		for (j = 0; j < n; j++)
			fprintf(out, "softfield_target_%s_total{unit=\"%s\"} %" PRIu64 "\n",
				entries[j].name, name, value_of(&entries[j]));
	}
}

static void put_namespaces(FILE *out, const struct target *target)
{
	static const char *const names[] = {"reads", "writes", "read_bytes", "write_bytes",
					    "errors"};
	struct list_node *s, *n;
	size_t i;

	list_for_each (s, &target->subsystems) {
		const struct served_subsys *subsys = container_of(s, struct served_subsys, node);

		list_for_each (n, &subsys->namespaces) {
			const struct served_ns *ns = container_of(n, struct served_ns, node);

			for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
				fprintf(out,
					"softfield_target_namespace_%s_total{subsystem=\"%s\","
					"nsid=\"%u\"} %" PRIu64 "\n",
					names[i], subsys->subsys->nqn, ns->nsid,
					ns_sum(ns, names[i]));
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
	fprintf(out, "softfield_target_connections %u\n", target->conn_count);
	put_engine(out, target);
	put_namespaces(out, target);
	fclose(out);
	return text;
}

void stats_table(const struct target *target)
{
	struct list_node *s, *n;

	printf("%-40s %5s %12s %12s %10s %10s %8s\n", "subsystem", "nsid", "reads", "writes",
	       "MiB read", "MiB writ", "errors");
	list_for_each (s, &target->subsystems) {
		const struct served_subsys *subsys = container_of(s, struct served_subsys, node);

		list_for_each (n, &subsys->namespaces) {
			const struct served_ns *ns = container_of(n, struct served_ns, node);

			printf("%-40.40s %5u %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64
			       " %8" PRIu64 "\n",
			       subsys->subsys->nqn, ns->nsid, ns_sum(ns, "reads"),
			       ns_sum(ns, "writes"), ns_sum(ns, "read_bytes") >> 20,
			       ns_sum(ns, "write_bytes") >> 20, ns_sum(ns, "errors"));
		}
	}
	printf("connections: %u\n", target->conn_count);
	fflush(stdout);
}
