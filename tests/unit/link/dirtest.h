/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A runtime folder of the test's own, and addresses in it.
 */
#ifndef SOFTFIELD_TESTS_UNIT_LINK_DIRTEST_H
#define SOFTFIELD_TESTS_UNIT_LINK_DIRTEST_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "link/link.h"

static char dir[] = "/tmp/softfield-test-XXXXXX";

static inline struct link_addr make_addr(const char *service)
{
	struct link_addr addr = {.function = "0000:b1:00.0"};
	const struct topo *topo;

	assert_ok(priv_topo_get(&topo));
	addr.card = &topo->cards[0];
	snprintf(addr.service, sizeof(addr.service), "%s", service);
	return addr;
}

static inline int make_dir(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("SOFTFIELD_RUNTIME_DIR", dir, 1);
	make_addr("load the topology"); /* before anything is counted */
	return 0;
}

static inline int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

#endif
