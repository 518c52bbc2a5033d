/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames on their way to the host: a ring that is emptied as the port takes bytes. Nothing here waits. */
#ifndef LITEMRCD_OUTBOX_H
#define LITEMRCD_OUTBOX_H

#include <stdbool.h>

#include "frame.h"

/* Takes its memory once: room for some epochs of that many contexts, and more. */
void outbox_init(int tty, unsigned int contexts);

/*
 * Whether frames of any length fit, that many. For epochs some of the ring is left free, so that answers, process and
 * event messages find room while a host that does not read makes epochs be lost.
 */
bool outbox_has_room(void);
bool outbox_has_room_for_epoch(unsigned int messages);

/* Encodes and queues a message; there must be room. */
void outbox_send(struct device_message *message);

bool outbox_empty(void);

/* Gives the port what it takes. Returns 0, or -errno when the port is gone. */
int outbox_flush(void);

#endif
