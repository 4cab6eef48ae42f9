/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who exists: cards, their PCI functions on the host and on the DPU, and the representors by which
 * the DPU side names the host's functions. Immutable once loaded.
 */
#ifndef SOFTFIELD_TOPO_TOPO_H
#define SOFTFIELD_TOPO_TOPO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/export.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"

enum topo_side { TOPO_HOST, TOPO_DPU, TOPO_SIDE_COUNT };

struct topo_card;
struct topo_rep;

#define TOPO_ID_SIZE	      32
#define TOPO_RUNTIME_DIR_SIZE 86

struct topo_function {
	struct topo_card *card;
	enum topo_side side;
	unsigned int index; /* in its card's list of that side */
	enum doca_pci_func_type type;
	struct topo_function *pf; /* VF, SF: the function it belongs to; else NULL */
	struct topo_rep *rep;	  /* host function: its representor; else NULL */
	/*
	 * Unique among the functions of its card's side. Differs from pci_addr for an SF, which
	 * usually has the address of its PF: "0000:b1:00.0/sf4".
	 */
	char id[TOPO_ID_SIZE];
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE]; /* always long, lower case: 0000:03:00.0 */
	/* host function: its representor's; else "" */
	char rep_pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char ibdev_name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char vuid[DOCA_DEVINFO_VUID_SIZE];
	uint8_t mac_addr[DOCA_DEVINFO_MAC_ADDR_SIZE];
	uint8_t ipv4_addr[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	uint8_t ipv6_addr[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	bool has_ipv4;
	uint16_t vhca_id;
	uint32_t pf_index;    /* PF: its number on its side of the card; VF, SF: that of its PF */
	uint32_t vf_index;    /* VF only: its number within the PF */
	uint32_t sf_index;    /* SF only */
	uint64_t active_rate; /* bits a second */
};

/* A host function as the DPU function "dpu" sees it. */
struct topo_rep {
	struct topo_function *dpu;
	struct topo_function *host;
	char pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	char iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	bool is_hotplug;
	bool is_emulated;
};

/* Every number that a capability call reports or a setter is checked against: core/limits.def. */
struct topo_limits {
#define LIMIT(name, value, min, max, text) uint64_t name;
#include "core/limits.def"
#undef LIMIT
};

/* Who may connect to a server besides the user that runs it. */
struct topo_access {
	bool any_user;
	gid_t *groups;
	unsigned int group_count;
	uid_t *users;
	unsigned int user_count;
};

/* Faults to inject on links, for people who test their programs: docs/guide/topology.md. */
struct topo_faults {
	uint64_t delay_ns;     /* each arriving message is held back so long */
	uint64_t jitter_ns;    /* plus up to so much */
	uint64_t drop_after;   /* the connection breaks after so many messages; 0: never */
	uint64_t kill_after;   /* the process dies by SIGKILL after so many messages; 0: never */
	uint32_t full_percent; /* of the attempts to send find the queue full */
	uint64_t seed;
};

struct topo_card {
	char name[64]; /* unique; part of the rendezvous address */
	bool strict;   /* two clients of one function may not use one comm_channel service */
	struct topo_access access;
};

struct topo {
	struct topo_card *cards;
	unsigned int card_count;
	struct topo_function *functions;
	unsigned int function_count;
	struct topo_rep *reps;
	unsigned int rep_count;
	struct topo_limits limits;
	struct topo_faults faults;
	uint64_t connect_wait_ns; /* how long a client waits for a server that does not exist yet */
	/*
	 * "": rendezvous in the abstract socket namespace; short enough for a socket's path in it
	 */
	char runtime_dir[TOPO_RUNTIME_DIR_SIZE];
	char source[256]; /* file it was read from, or "built-in" */
	/* whose functions this process may list: SOFTFIELD_ROLE */
	bool side_visible[TOPO_SIDE_COUNT];
};

/* Why a topology was refused: one line for a person. */
struct topo_why {
	char text[1024];
};

/*
 * The topology of this process: SOFTFIELD_TOPOLOGY names a file, else the built-in card; other
 * SOFTFIELD_* variables override single values. Loaded once, at the first use.
 * BAD_CONFIG: the file or a variable is wrong. The log says so once, with line and what is allowed;
 * standard error does when nobody reads the log.
 */
PRIV_EXPORT doca_error_t priv_topo_get(const struct topo **ret_topo);

/*
 * Why priv_topo_get() answers BAD_CONFIG; "" when it does not. A caller that asks this first has to
 * tell the user itself.
 */
PRIV_EXPORT const char *priv_topo_why(void);

/*
 * Reads one topology, without any SOFTFIELD_* variable. path NULL: the built-in card.
 * BAD_CONFIG: why says where and what is allowed. NO_MEMORY.
 */
PRIV_EXPORT doca_error_t priv_topo_load(const char *path, struct topo **ret_topo,
					struct topo_why *why);
PRIV_EXPORT void priv_topo_free(struct topo *topo);

/* the limits of the process; the built-in ones when the topology cannot be loaded */
PRIV_EXPORT const struct topo_limits *priv_topo_limits(void);

/* behind a message that names a limit */
#define LIMITS_HINT " (`softfield limits --help` tells how to change that)"

/* "03:00.0" or "0000:03:00.0", any case -> long lower-case form. INVALID_VALUE: malformed */
PRIV_EXPORT doca_error_t priv_topo_parse_pci_addr(const char *text,
						  char ret_addr[DOCA_DEVINFO_PCI_ADDR_SIZE]);

/*
 * does the function answer to this address (long form)? a host function: also to its representor's
 */
PRIV_EXPORT bool priv_topo_function_has_addr(const struct topo_function *function,
					     const char *pci_addr);

#endif
