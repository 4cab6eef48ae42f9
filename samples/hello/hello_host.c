/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host asks, one question after the other, and leaves.
 */
#include <stdio.h>
#include <string.h>
#include "hello.h"
#include "terminal.h"

static const char *const questions[] = {
	"Hello. Who is there?", "Where is your card?", "How long may our messages be?",
	"Who else may join?",	"Thank you. Goodbye.",
};
#define QUESTION_COUNT (sizeof(questions) / sizeof(questions[0]))

static const struct terminal *terminal;

static void ask(struct side *side)
{
	const unsigned int *asked = side->user;
	const char *question = questions[*asked];
	doca_error_t error = side_send(side, question, (uint32_t)strlen(question));

	if (error != DOCA_SUCCESS)
		side_fail(side, error);
}

static void connected(struct side *side)
{
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE], ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_devinfo *devinfo = doca_dev_as_devinfo(side->dev);

	if (doca_devinfo_get_pci_addr_str(devinfo, pci_addr) != DOCA_SUCCESS ||
	    doca_devinfo_get_ibdev_name(devinfo, ibdev, sizeof(ibdev)) != DOCA_SUCCESS)
		pci_addr[0] = ibdev[0] = '\0';
	printf("  %shost%s           connected from %s (%s) to \"%s\"\n", terminal->host,
	       terminal->plain, pci_addr, ibdev, side->options->name);
	ask(side);
}

static void answered(struct side *side, const uint8_t *message, uint32_t size)
{
	unsigned int *asked = side->user;

	printf("  %shost%s %s %sDPU%s   %.*s\n", terminal->host, terminal->plain, terminal->to_left,
	       terminal->dpu, terminal->plain, (int)size, (const char *)message);
	if (++*asked < QUESTION_COUNT) {
		ask(side);
		return;
	}
	side_count(side);
	side_stop(side);
}

static const struct side_events events = {.connected = connected, .message = answered};

doca_error_t hello_run(const struct side_options *options)
{
	unsigned int asked = 0;
	doca_error_t error;
	struct side side;

	terminal = terminal_open();
	error = side_open(&side, options, &events, &asked);
	while (error == DOCA_SUCCESS && !side_is_done(&side)) {
		if (!side_progress(&side))
			side_sleep(&side);
	}
	error = side_close(&side, error);
	if (error != DOCA_SUCCESS)
		return error;
	if (asked < QUESTION_COUNT || side.sent != asked || side.received != asked)
		return DOCA_ERROR_CONNECTION_ABORTED; /* the other side left in the middle */
	printf("  %shost%s           %lu messages sent, %lu received\n", terminal->host,
	       terminal->plain, (unsigned long)side.sent, (unsigned long)side.received);
	return DOCA_SUCCESS;
}
