/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests about what the monitor counts: address range, sampling, freezing.
 */
#ifndef LITEMRC_SETTINGS_H
#define LITEMRC_SETTINGS_H

#include "frame.h"
#include "monitor.h"

/*
 * Does the request and fills in the ack. Returns 0 or an error code, and then why in *reason, unless the error says
 * it all. Call with interrupts off.
 */
int settings_perform(const struct host_request *request, const struct monitor_parameters *parameters,
		     struct ack_body *ack, const char **reason);

#endif
