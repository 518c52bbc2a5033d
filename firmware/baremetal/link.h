/* SPDX-License-Identifier: BSD-2-Clause */
/* The link's UART: frames out through a ring, frames in through the receiver, both by interrupt. */
#ifndef LITEMRC_LINK_H
#define LITEMRC_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "frame.h"

/* Called with interrupts off, whenever a request is held or the ring got emptier. */
typedef void (*link_handler)(void);

void link_init(struct litemrc_receiver *receiver, link_handler handler);

/* Whether a frame of any length fits now. */
bool link_has_room(void);

/* Encodes and queues a message; call with interrupts off and room in the ring. */
void link_send(struct device_message *message);

#endif
