/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests about the address range, sampling, split and freezing of the monitor.
 */
#ifndef LITEMRC_SETTINGS_H
#define LITEMRC_SETTINGS_H

#include "frame.h"
#include "monitor.h"

/*
 * Executes the request and fills in the ack. Returns 0 or an error code, and in *reason the cause if the code does not
 * suffice. Call with interrupts off.
 */
int settings_perform(const struct host_request *request, const struct monitor_parameters *parameters,
		     struct ack_body *ack, const char **reason);

#endif
