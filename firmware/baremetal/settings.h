/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests about what the monitor counts: address range, sampling, freezing.
 */
#ifndef LITEMRC_SETTINGS_H
#define LITEMRC_SETTINGS_H

#include "frame.h"
#include "monitor.h"

static inline void acknowledge(struct ack_body *ack, size_t count, uint32_t first, uint32_t second, uint32_t third)
{
	ack->values[0] = first;
	ack->values[1] = second;
	ack->values[2] = third;
	ack->values_count = count;
}

/*
 * Does the request and fills in the ack. Returns 0 or an error code, and then why in *reason, unless the error says
 * it all. Call with interrupts off.
 */
int settings_perform(const struct host_request *request, const struct monitor_parameters *parameters,
		     struct ack_body *ack, const char **reason);

#endif
