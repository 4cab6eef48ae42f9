/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections.
 */
#include "cc/cc.h"

doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
					      union doca_data user_data)
{
	return doca_comch_connection_set_user_data((struct doca_comch_connection *)connection,
						   user_data);
}

union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *connection)
{
	return doca_comch_connection_get_user_data(
		(const struct doca_comch_connection *)connection);
}

doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection)
{
	return doca_comch_connection_update_info((struct doca_comch_connection *)cc_connection);
}

doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
					    enum doca_cc_counter counter_type,
					    uint64_t *counter_value)
{
	return doca_comch_connection_get_counter(
		(const struct doca_comch_connection *)cc_connection,
		(enum doca_comch_counter)counter_type, counter_value);
}
