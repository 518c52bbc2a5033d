/* SPDX-License-Identifier: BSD-2-Clause */
/* The link's UART: frames are sent from a ring and received by the receiver, both by interrupt. */
#ifndef LITEMRC_LINK_H
#define LITEMRC_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "litemrc_protocol.h"
#include "register_messages.h"

/* Called with interrupts off, when a request is complete or bytes of the ring have been sent. */
typedef void (*link_handler)(void);

void link_init(struct litemrc_receiver *receiver, link_handler handler);

/* All below: interrupts are off. */

/* Whether a message with a body of so many bytes fits into the ring. */
bool link_has_room(size_t bytes);

/* Queues a message; the caller has checked the room. Type 0: the body is all. */
void link_send(uint32_t type, const void *body, size_t bytes);

/* For messages in pieces; the caller checks the room for each. */
extern struct outlet link_outlet;

#endif
