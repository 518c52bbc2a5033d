/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of a host: checked, and executed by the device. The texts of refusals are here. */
#ifndef LITEMRC_REQUESTS_H
#define LITEMRC_REQUESTS_H

#include "device.h"

/* Executes a request other than hello and fills in the answer, an empty ack before. Returns 0 or an error code. */
int request_perform(struct device *device, const struct host_request *request, struct answer *answer);

#endif
