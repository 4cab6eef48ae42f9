/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of generation_ctx.c in each of its ages: NAME(x) is doca_cc_x or doca_comch_x; what
 * else differs has a name here. GENERATION_AGE is 25 (cc of 2.5), 26 (cc of 2.6) or 27 (comch).
 */
#ifndef SOFTFIELD_CONTRACT_GENERATION_NAMES_H
#define SOFTFIELD_CONTRACT_GENERATION_NAMES_H

#if GENERATION_AGE == 25
#define DOCA_CC_LEGACY_2_5
#endif

#if GENERATION_AGE < 27
#include "doca_cc.h"
#include "doca_cc_consumer.h"
#include "doca_cc_producer.h"
#define NAME(x)			   doca_cc_##x
#define server_register_connection doca_cc_server_event_connection_register
#else
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#define NAME(x)			   doca_comch_##x
#define server_register_connection doca_comch_server_event_connection_status_changed_register
#endif

#if GENERATION_AGE == 25

#define GENERATION			cc_2_5
#define GENERATION_TITLE		"cc 2.5"
#define COUNT(log)			(log)
#define task_send			doca_cc_send_task
#define server_send_set_conf		doca_cc_server_send_task_set_conf
#define server_send_alloc		doca_cc_server_send_task_alloc_init
#define client_send_set_conf		doca_cc_client_send_task_set_conf
#define client_send_alloc		doca_cc_client_send_task_alloc_init
#define send_as_task			doca_cc_send_task_as_task
#define task_post_recv			doca_cc_consumer_post_recv_task
#define post_recv_set_conf		doca_cc_consumer_post_recv_task_set_conf
#define post_recv_alloc			doca_cc_consumer_post_recv_task_alloc_init
#define post_recv_as_task		doca_cc_consumer_post_recv_task_as_task
#define task_produce			doca_cc_producer_send_task
#define produce_set_conf		doca_cc_producer_send_task_set_conf
#define produce_alloc(p, buf, id, task) doca_cc_producer_send_task_alloc_init(p, buf, id, task)
#define produce_as_task			doca_cc_producer_send_task_as_task
typedef size_t msg_size_t;
typedef bool success_t;

#else

#define COUNT(log)	     (1u << (log))
#define task_send	     NAME(task_send)
#define server_send_set_conf NAME(server_task_send_set_conf)
#define server_send_alloc    NAME(server_task_send_alloc_init)
#define client_send_set_conf NAME(client_task_send_set_conf)
#define client_send_alloc    NAME(client_task_send_alloc_init)
#define send_as_task	     NAME(task_send_as_task)
#define task_post_recv	     NAME(consumer_task_post_recv)
#define post_recv_set_conf   NAME(consumer_task_post_recv_set_conf)
#define post_recv_alloc	     NAME(consumer_task_post_recv_alloc_init)
#define post_recv_as_task    NAME(consumer_task_post_recv_as_task)
#define task_produce	     NAME(producer_task_send)
#define produce_set_conf     NAME(producer_task_send_set_conf)
#define produce_as_task	     NAME(producer_task_send_as_task)
typedef uint32_t msg_size_t;
typedef uint8_t success_t;
#if GENERATION_AGE == 26
#define GENERATION			cc_2_6
#define GENERATION_TITLE		"cc 2.6"
#define produce_alloc(p, buf, id, task) doca_cc_producer_task_send_alloc_init(p, buf, id, task)
#else
#define GENERATION	 comch
#define GENERATION_TITLE "comch"
#define produce_alloc(p, buf, id, task)                                                            \
	doca_comch_producer_task_send_alloc_init(p, buf, NULL, 0, id, task)
#endif

#endif

#endif
