/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings of hot pages. */
#ifndef LITEMRC_HOT_H
#define LITEMRC_HOT_H

#include "frame.h"
#include "monitor.h"

/* As settings_perform(), on a device that has hot pages. */
int hot_perform(const struct host_request *request, const struct monitor_parameters *parameters, struct ack_body *ack,
		const char **reason);

#endif
