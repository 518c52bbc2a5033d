/* SPDX-License-Identifier: BSD-2-Clause */
/* The service of a device: answers the requests of a host. Freestanding; it allocates nothing and never blocks. */
#ifndef LITEMRC_SERVICE_H
#define LITEMRC_SERVICE_H

#include "device.h"

/* A session with one host. */
struct service {
	struct device *device;
	bool read_only;		/* only requests that read are executed */
	struct litemrc_receiver receiver;
	uint8_t buffer[LITEMRC_REQUEST_BUFFER];
	struct device_message reply;	/* retained for a repeated request */
	struct answer answer;		/* has the reply's values and texts */
	uint32_t last_request;
};

void service_begin(struct service *service, struct device *device, bool read_only);

/* The message by which the device introduces itself; request 0: at boot. */
void service_hello(struct service *service, uint32_t request, struct device_message *hello);

/*
 * Executes the request that the receiver holds, unless it did so already, and releases it. Returns the answer, which may be
 * in `hello`; NULL: it was no request.
 */
struct device_message *service_answer(struct service *service, struct device_message *hello);

#endif
