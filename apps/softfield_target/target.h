/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softfield-target: an NVMe-oF target. One thread owns everything here: it accepts connections,
 * answers what the engine leaves to it, and keeps time. Reads and writes never come this way.
 */
#ifndef SOFTFIELD_TARGET_TARGET_H
#define SOFTFIELD_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_sta.h>
#include <doca_sta_be.h>
#include <doca_sta_event.h>
#include <doca_sta_io.h>
#include <doca_sta_io_non_offload.h>
#include <doca_sta_io_qp.h>
#include <doca_sta_stats.h>
#include <doca_sta_subsystem.h>
#include <softfield_sta.h>
#include "base/list.h"
#include "nvmf/capsule.h"
#include "nvmf/ctrlr.h"

#define PORTS_MAX    16u
#define DEFAULT_PORT 4420u
#define QUEUES_MAX   16u /* of a disk: one of each engine thread */

/* of a namespace, that are shown */
#define STATS_NS_COUNTERS 5

struct addrinfo;
struct conn;
struct rdma_cm_id;
struct rdma_events;

/* --- what is to be served: config.c -------------------------------------------------------- */

struct ns_config {
	struct list_node node;
	uint32_t nsid; /* 0: the next free one */
	struct softfield_sta_disk_attr disk;
	char *path;
	uint32_t ana_group;
	char uuid[37];		  /* "": made from the names */
	struct served_ns *served; /* while it is applied: what it means; NULL: to be added */
};

struct subsys_config {
	struct list_node node;
	char nqn[NVME_NQN_SIZE];
	char serial[21];
	char model[41];
	bool allow_any_host, ana;
	struct list_node hosts; /* struct nvmf_host */
	struct list_node namespaces;
};

struct port_config {
	struct list_node node;
	uint16_t id;
	enum nvmf_trtype trtype;
	char addr[NVMF_TRADDR_SIZE];
	uint16_t port;
	enum nvmf_ana_state ana[NVMF_ANA_GROUPS + 1]; /* 0: optimized */
};

struct config {
	uint16_t threads; /* 0: the library's choice */
	char prometheus[NVMF_TRADDR_SIZE];
	uint16_t prometheus_port; /* 0: none */
	struct list_node ports;
	struct list_node subsystems;
};

void config_init(struct config *config);
void config_free(struct config *config);
/* config_json.c; a message on stderr says what is wrong, on which line, and what is allowed */
bool config_read(struct config *config, const char *file);
/* these end the program when there is no memory */
struct subsys_config *config_add_subsys(struct config *config);
struct ns_config *config_add_ns(struct subsys_config *subsys);
struct nvmf_host *config_add_host(struct subsys_config *subsys, const char *nqn);
struct port_config *config_add_port(struct config *config, enum nvmf_trtype trtype,
				    const char *addr, uint16_t port);
bool config_same_port(const struct port_config *a, const struct port_config *b);
/* NULL: the configuration does not name it */
const struct port_config *config_find_port(const struct config *config,
					   const struct port_config *port);
/* "0" and "::0" are the wildcards that they mean, and hosts can read the others */
void config_canonical_address(char addr[NVMF_TRADDR_SIZE]);
/* "ADDRESS", "ADDRESS:PORT", "[IPV6]:PORT", ":PORT"; the port stays as it is when there is none */
bool config_parse_address(const char *text, char addr[NVMF_TRADDR_SIZE], uint16_t *port);
/* "4096", "512M", "1G" */
bool config_parse_size(const char *text, uint64_t *ret_size);

/* output.c: nobody who reads what is said, or does not, holds anything up or ends it */
void output_init(void);
/* what is printed between these two is written as soon as somebody reads it */
FILE *output_begin(void);
void output_end(FILE *file);
/* true: nothing is left; else call it again soon */
bool output_flush(void);

/* identity.c */
#define IDENTITY_NQN_PREFIX "nqn.2025-11.local.softfield:"
/* a name that says what is served, and on which machine; of name: letters, digits, dots, dashes */
void identity_nqn(char nqn[NVME_NQN_SIZE], const char *name);
/* if it has none yet; made from its NQN */
void identity_serial(struct subsys_config *subsys);
/*
 * Of a namespace: the same for the same names and the same file, after every restart; RFC 9562
 * version 8. Hosts go on with a disk that has the UUID of the one before, with what they know of
 * that one: another disk has another, also one that has got its place while nobody served it.
 */
void identity_uuid(const struct served_ns *ns, uint8_t uuid[16]);

/* --- the program --------------------------------------------------------------------------- */

/* a namespace being served */
struct served_ns {
	struct list_node node; /* in served_subsys.namespaces */
	struct served_subsys *subsys;
	uint32_t nsid;
	char *path;
	struct softfield_sta_disk_attr attr; /* of the disk; its path is the one above */
	dev_t file_dev;			     /* which file that was when it was opened */
	ino_t file_ino;
	uint64_t salt; /* tells its UUID from that of another disk of the same name */
	struct nvmf_ns *ns;
	struct softfield_sta_disk *disk;
	struct softfield_sta_channel *channel; /* for what the engine leaves to us */
	struct doca_sta_be_handle *be;
	struct doca_sta_be_q_handle *queues[QUEUES_MAX];
	unsigned int queue_count;
	struct doca_sta_ns_handle *handles[PORTS_MAX]; /* one of each port: see subs below */
	unsigned int executing;			       /* commands in the channel */
	struct list_node waiting, flushes;	       /* commands that found it full */
	uint64_t shown[STATS_NS_COUNTERS];	       /* in the last table */
	bool removing;
};

struct served_subsys {
	struct list_node node;
	struct target *target;
	struct nvmf_subsys *subsys;
	/*
	 * The engine knows a subsystem once for each port, so that ANA can make a namespace
	 * inaccessible through one of them.
	 */
	struct doca_sta_subs_handle *subs[PORTS_MAX];
	struct list_node namespaces;
	bool removing;
};

struct watched {
	int fd;
	void (*ready)(struct watched *watched);
};

struct served_port {
	struct watched watched;	     /* the listening socket; RDMA: none */
	struct rdma_cm_id *listener; /* RDMA */
	struct target *target;
	struct port_config config;
	struct nvmf_port *port;
	unsigned int index;
};

struct target {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sta *sta;
	struct doca_sta_io *io;
	struct nvmf_target *nvmf;
	int epoll_fd;
	struct rdma_events *rdma; /* NULL: no port of RDMA */
	struct served_port ports[PORTS_MAX];
	unsigned int port_count;
	struct list_node subsystems;
	struct list_node conns;
	unsigned int conn_count;
	struct list_node spare_cmds;
	struct list_node without_answers, without_reads; /* struct conn_tasks */
	unsigned int subsys_count;			 /* that there have ever been */
	uint16_t threads;
	uint64_t table_ns;	  /* of the last table; 0: none yet */
	uint64_t listen_again_ns; /* until then some listeners rest; 0: none does */
	uint64_t full_ns;	  /* when descriptors were last missing; 0: never */
	bool is_up;		  /* with what it was started with */
};

/* target.c: the library's objects */
void target_init(struct target *target);
/* after a failure target_stop() releases what there is */
bool target_start(struct target *target, struct config *config);
/* disconnects everybody and takes everything down */
void target_stop(struct target *target);
/* true: hosts keep it busy, and something else has its turn before it goes on */
bool target_progress(struct target *target);
/* says on stderr what is wrong; false, to be returned */
bool target_complain(const char *what, doca_error_t err);

/* apply.c: makes what is served what the configuration says; true: all of it */
bool target_apply(struct target *target, struct config *config);

/* served.c; true, or not NULL: it has worked, else stderr says what is wrong */
bool served_add_ns(struct served_subsys *subsys, const struct ns_config *config);
/* what can change while its disk is open */
void served_update_ns(struct served_ns *ns, const struct ns_config *config);
/* everything of a namespace, as far as it exists */
void served_close_ns(struct served_ns *ns);
struct served_subsys *served_add_subsys(struct target *target, const struct subsys_config *config);
/* disconnects its hosts and waits for them */
void served_close_subsys(struct served_subsys *subsys);

/* conn.c */
void conn_register(struct target *target);
/* room for one more; NULL: hosts at work have all there may be, or memory is short */
struct conn *conn_new(struct target *target);
void conn_accept(struct served_port *port, int sock, const char *traddr);
/*
 * A request, and the private data of the answer to it. Takes id over, and conn; false: could not be
 * done
 */
bool conn_accept_rdma(struct conn *conn, struct served_port *port, struct rdma_cm_id *id,
		      const uint8_t answer[CAPSULE_CM_SIZE], const char *traddr);
void conn_established(struct conn *conn);
/* the host has gone */
void conn_hung_up(struct conn *conn);
void conn_disconnect_all(struct target *target);
void conn_free_spare_cmds(struct target *target);
extern const struct nvmf_ops conn_nvmf_ops;

/* disk.c; the namespace is being removed: what waits for its disk is answered */
void disk_refuse_waiting(struct served_ns *ns);

/* net.c */
bool net_watch(struct target *target, struct watched *watched);
/* where to listen, for freeaddrinfo(); NULL: why says why not */
struct addrinfo *net_resolve(const char *addr, uint16_t port, char *why, size_t why_size);
/* ends the rest of listeners that were out of descriptors; returns when to call again */
uint64_t net_listen_again(struct target *target, uint64_t now_ns);
bool net_port_open(struct target *target, const struct port_config *config);
void net_port_close(struct served_port *port);
bool net_prometheus_open(struct target *target, const char *addr, uint16_t port);
void net_prometheus_close(struct target *target);

/* rdma.c, or no_rdma.c in a build without librdmacm; why says why not */
bool rdma_port_open(struct served_port *port, const char *addr, uint16_t number, char *why,
		    size_t why_size);
/* stops listening */
void rdma_port_close(struct served_port *port);
/* no connection is left */
void rdma_close(struct target *target);

/* stats.c: Prometheus text and a table; the result is to be freed */
char *stats_prometheus(const struct target *target);
void stats_table(struct target *target, uint64_t now_ns);

#endif
