/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about the monitor's settings: read from and written to the driver's files. */
#ifndef LITEMRCD_SETTING_REQUESTS_H
#define LITEMRCD_SETTING_REQUESTS_H

#include "requests/answer.h"

/* Executes the request and fills in the ack. Returns 0 or an error code. */
int settings_perform(const struct host_request *request, struct answer *answer);

#endif
