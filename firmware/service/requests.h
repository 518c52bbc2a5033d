/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of a host: checked, and executed by the device. The texts of refusals are here. */
#ifndef LITEMRC_REQUESTS_H
#define LITEMRC_REQUESTS_H

#include "device.h"

/*
 * Executes a request other than hello, whose structure has these bytes, and fills in the answer, an empty ack before.
 * Returns 0 or an error code.
 */
int request_perform(struct device *device, uint32_t type, const void *body, size_t bytes, struct answer *answer);

/* Whether a request changes nothing. */
bool request_reads(uint32_t type);

#endif
