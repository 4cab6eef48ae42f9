/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_cc of release 2.6 in the place of doca_comch: the same bench over the older names.
 */
#ifndef SOFTFIELD_BENCH_CC_NAMES_H
#define SOFTFIELD_BENCH_CC_NAMES_H

#include "doca_cc.h"

#define doca_comch_client			   doca_cc_client
#define doca_comch_connection			   doca_cc_connection
#define doca_comch_server			   doca_cc_server
#define doca_comch_task_send			   doca_cc_task_send
#define doca_comch_event_connection_status_changed doca_cc_event_connection_status_changed
#define doca_comch_event_consumer		   doca_cc_event_consumer
#define doca_comch_event_msg_recv		   doca_cc_event_msg_recv

#define doca_comch_client_as_ctx		  doca_cc_client_as_ctx
#define doca_comch_client_create		  doca_cc_client_create
#define doca_comch_client_destroy		  doca_cc_client_destroy
#define doca_comch_client_event_consumer_register doca_cc_client_event_consumer_register
#define doca_comch_client_event_msg_recv_register doca_cc_client_event_msg_recv_register
#define doca_comch_client_get_connection	  doca_cc_client_get_connection
#define doca_comch_client_set_recv_queue_size	  doca_cc_client_set_recv_queue_size
#define doca_comch_client_task_send_alloc_init	  doca_cc_client_task_send_alloc_init
#define doca_comch_client_task_send_set_conf	  doca_cc_client_task_send_set_conf
#define doca_comch_connection_get_user_data	  doca_cc_connection_get_user_data
#define doca_comch_connection_set_user_data	  doca_cc_connection_set_user_data
#define doca_comch_server_as_ctx		  doca_cc_server_as_ctx
#define doca_comch_server_create		  doca_cc_server_create
#define doca_comch_server_destroy		  doca_cc_server_destroy
#define doca_comch_server_event_consumer_register doca_cc_server_event_consumer_register
#define doca_comch_server_event_msg_recv_register doca_cc_server_event_msg_recv_register
#define doca_comch_server_set_recv_queue_size	  doca_cc_server_set_recv_queue_size
#define doca_comch_server_task_send_alloc_init	  doca_cc_server_task_send_alloc_init
#define doca_comch_server_task_send_set_conf	  doca_cc_server_task_send_set_conf
#define doca_comch_task_send_as_task		  doca_cc_task_send_as_task
#define doca_comch_server_event_connection_status_changed_register                                 \
	doca_cc_server_event_connection_register

#endif
