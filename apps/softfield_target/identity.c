/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that nobody has given: the same after each restart, others on each machine. Hosts take what
 * has the same name for the same thing.
 */
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FNV_PRIME 0x100000001b3ull

/* FNV-1a */
static uint64_t hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * FNV_PRIME;
	return hash;
}

/* what hosts see of the machine's id, which is nobody's business: machine-id(5) */
static uint64_t machine_hash(bool *is_known)
{
	char id[40] = "";
	FILE *file = fopen("/etc/machine-id", "re");

	if (file) {
		if (!fgets(id, sizeof(id), file))
			id[0] = '\0';
		fclose(file);
	}
	id[strcspn(id, "\n")] = '\0';
	*is_known = strlen(id) == 32; /* before the first boot is over it may say something else */
	return hash(0xcbf29ce484222325ull, *is_known ? id : "");
}

void identity_nqn(char nqn[NVME_NQN_SIZE], const char *name)
{
	bool is_known;
	uint64_t machine = machine_hash(&is_known);
	int at = snprintf(nqn, NVME_NQN_SIZE, "%s", IDENTITY_NQN_PREFIX);

	if (is_known)
		at += snprintf(nqn + at, NVME_NQN_SIZE - (size_t)at, "%08" PRIx32 ":",
			       (uint32_t)(machine ^ machine >> 32));
	for (; *name && at < 100; name++)
		nqn[at++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789.-_",
				   *name)
				    ? *name
				    : '-';
	nqn[at] = '\0';
}

void identity_serial(struct subsys_config *subsys)
{
	bool is_known;

	if (!subsys->serial[0])
		snprintf(subsys->serial, sizeof(subsys->serial), "SF%016" PRIx64,
			 hash(machine_hash(&is_known), subsys->nqn));
}

/* with the text's end */
static uint64_t hash_whole(uint64_t before, const char *text)
{
	return hash(before, text) * FNV_PRIME;
}

void identity_uuid(const struct served_ns *ns, uint8_t uuid[16])
{
	uint64_t words[2] = {0xcbf29ce484222325ull, 0x84222325cbf29ce4ull};
	char rest[48];
	unsigned int i;

	snprintf(rest, sizeof(rest), "%u %u %llx", ns->nsid, (unsigned int)ns->attr.kind,
		 (unsigned long long)ns->salt);
	for (i = 0; i < 2; i++) {
		words[i] = hash_whole(words[i], ns->subsys->subsys->nqn);
		words[i] = hash_whole(words[i], ns->path ? ns->path : "");
		words[i] = hash_whole(words[i], rest);
	}
	memcpy(uuid, words, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}
