/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DPU answers what it is asked, until the host leaves.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "hello.h"
#include "terminal.h"

#define ANSWER_SIZE 200

static const struct terminal *terminal;

static void describe(const struct side *side, char text[ANSWER_SIZE])
{
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE], ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_devinfo *devinfo = doca_dev_as_devinfo(side->dev);

	if (doca_devinfo_get_pci_addr_str(devinfo, pci_addr) != DOCA_SUCCESS ||
	    doca_devinfo_get_ibdev_name(devinfo, ibdev, sizeof(ibdev)) != DOCA_SUCCESS)
		pci_addr[0] = ibdev[0] = '\0';
	snprintf(text, ANSWER_SIZE, "%s (%s)", pci_addr, ibdev);
}

static void tell_who(const struct side *side, char answer[ANSWER_SIZE])
{
	char device[ANSWER_SIZE];

	describe(side, device);
	snprintf(answer, ANSWER_SIZE, "A DPU: %.64s, process %d.", device, (int)getpid());
}

static void tell_where(const struct side *side, char answer[ANSWER_SIZE])
{
	struct utsname machine;

	(void)side;
	if (uname(&machine) != 0)
		machine.release[0] = '\0';
	machine.release[strcspn(machine.release, "-")] = '\0';
	snprintf(answer, ANSWER_SIZE, "There is none. I am a program like you, on Linux %.12s.",
		 machine.release);
}

static void tell_how_long(const struct side *side, char answer[ANSWER_SIZE])
{
	uint32_t size = 0;

	(void)doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(side->dev), &size);
	snprintf(answer, ANSWER_SIZE, "%u bytes, with me.", size);
}

static void tell_who_joins(const struct side *side, char answer[ANSWER_SIZE])
{
	snprintf(answer, ANSWER_SIZE, "Clients of %.16s get in, if they are of a user who may.",
		 side->options->rep_pci_addr);
}

static const struct {
	const char *word;
	void (*tell)(const struct side *side, char answer[ANSWER_SIZE]);
} topics[] = {
	{"Who is", tell_who},
	{"Where", tell_where},
	{"How long", tell_how_long},
	{"join", tell_who_joins},
};

/* Returns whether it was one: else the host says goodbye. */
static bool find_answer(const struct side *side, const char *question, char answer[ANSWER_SIZE])
{
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (strstr(question, topics[i].word) != NULL) {
			topics[i].tell(side, answer);
			return true;
		}
	}
	snprintf(answer, ANSWER_SIZE, "Goodbye.");
	return false;
}

static void connected(struct side *side)
{
	(void)side;
	printf("            %sDPU%s   a client has come\n", terminal->dpu, terminal->plain);
}

static void asked(struct side *side, const uint8_t *message, uint32_t size)
{
	char question[ANSWER_SIZE], answer[ANSWER_SIZE];
	bool *is_over = side->user;
	doca_error_t error;

	snprintf(question, sizeof(question), "%.*s", (int)size, (const char *)message);
	printf("  %shost%s %s %sDPU%s   %s\n", terminal->host, terminal->plain, terminal->to_right,
	       terminal->dpu, terminal->plain, question);
	*is_over = !find_answer(side, question, answer);
	error = side_send(side, answer, (uint32_t)strlen(answer));
	if (error != DOCA_SUCCESS)
		side_fail(side, error);
}

static const struct side_events events = {.connected = connected, .message = asked};

doca_error_t hello_run(const struct side_options *options)
{
	char device[ANSWER_SIZE];
	bool is_over = false;
	doca_error_t error;
	struct side side;

	terminal = terminal_open();
	error = side_open(&side, options, &events, &is_over);
	if (error == DOCA_SUCCESS) {
		describe(&side, device);
		printf("            %sDPU%s   listens on %s as \"%s\", for %s\n", terminal->dpu,
		       terminal->plain, device, options->name, options->rep_pci_addr);
	}
	while (error == DOCA_SUCCESS && !side_is_done(&side)) {
		if (!side_progress(&side))
			side_sleep(&side);
	}
	error = side_close(&side, error);
	if (error != DOCA_SUCCESS)
		return error;
	return is_over ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED; /* the host left too early */
}
