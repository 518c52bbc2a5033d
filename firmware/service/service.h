/* SPDX-License-Identifier: BSD-2-Clause */
/* The service of a device: answers the requests of a host. Freestanding; it allocates nothing and never blocks. */
#ifndef LITEMRC_SERVICE_H
#define LITEMRC_SERVICE_H

#include "device.h"
#include "frame.h"

/* A session with one host. */
struct service {
	struct device *device;
	bool read_only;		/* only requests that read are executed */
	struct litemrc_receiver receiver;
	uint32_t buffer[(LITEMRC_REQUEST_BYTES_MAX + LITEMRC_CRC_BYTES) / sizeof(uint32_t)];
	struct answer answer;	/* retained for a repeated request */
	struct litemrc_nak nak;
	uint32_t last_request;
	bool refused;		/* it was */
};

/* A message to send: a type and what follows the struct litemrc_message. Without a body there is none; type 0: the body is all. */
struct reply {
	uint32_t type;
	const void *body;
	size_t bytes;
};

void service_begin(struct service *service, struct device *device, bool read_only);

/* The message by which the device introduces itself; request 0: at boot. */
struct reply service_hello(struct service *service, uint32_t request, struct litemrc_hello *hello);

/* Executes the request that the receiver holds, unless it did so already, and releases it. `hello`: room for that answer. */
struct reply service_answer(struct service *service, struct litemrc_hello *hello);

#endif
