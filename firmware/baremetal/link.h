/* SPDX-License-Identifier: BSD-2-Clause */
/* The link's UART: frames are sent from a ring and received by the receiver, both by interrupt. */
#ifndef LITEMRC_LINK_H
#define LITEMRC_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "frame.h"

/* Called with interrupts off, when a request is complete or bytes of the ring have been sent. */
typedef void (*link_handler)(void);

void link_init(struct litemrc_receiver *receiver, link_handler handler);

/* Whether a frame of maximum length fits into the ring. */
bool link_has_room(void);

/* For all messages except answers: filled in and sent immediately, with interrupts off. */
extern struct device_message link_message;

/* Encodes and queues a message. Caller has interrupts off and has checked the room. */
void link_send(struct device_message *message);

#endif
