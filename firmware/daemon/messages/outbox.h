/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring of frames to be sent to the host. No function blocks. */
#ifndef LITEMRCD_OUTBOX_H
#define LITEMRCD_OUTBOX_H

#include <stdbool.h>

#include "frame.h"

/* Allocates the ring, once: four epochs of that many messages, and the reserve. */
void outbox_init(int tty, unsigned int messages);

/*
 * Whether one frame, or `messages` frames, of maximum length fit. Epochs leave a reserve: while the host does not read
 * and epochs are dropped, answers, process messages and events still have room.
 */
bool outbox_has_room(void);
bool outbox_has_room_for_epoch(unsigned int messages);

/* Encodes and queues a message; the caller has checked that there is room. */
void outbox_send(struct device_message *message);

bool outbox_empty(void);

/* Writes as much as the port accepts. Returns 0, or -errno if the port is gone. */
int outbox_flush(void);

#endif
