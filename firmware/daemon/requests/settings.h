/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about what the monitor counts, and how: files of the driver. */
#ifndef LITEMRCD_SETTINGS_H
#define LITEMRCD_SETTINGS_H

#include "requests/answer.h"

/* Does the request and fills in the ack. Returns 0 or an error code. */
int settings_perform(const struct host_request *request, struct answer *answer);

#endif
