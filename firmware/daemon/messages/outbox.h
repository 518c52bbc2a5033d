/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring of frames to be sent to one host. No function blocks. */
#ifndef LITEMRCD_OUTBOX_H
#define LITEMRCD_OUTBOX_H

#include <stdbool.h>

#include "frame.h"

struct outbox {
	int port;
	uint8_t *ring;
	size_t size, first, used;
	struct litemrc_sender sender;
};

/* Allocates the ring, once: `epochs` epochs of `messages` messages, and the reserve. */
void outbox_init(struct outbox *outbox, unsigned int epochs, unsigned int messages);

/* Empties it for a host at this port; its first frame has the number 1. */
void outbox_open(struct outbox *outbox, int port);

/*
 * Whether one frame, or `messages` frames, of maximum length fit. Epochs leave a reserve: while the host does not read
 * and epochs are dropped, answers, process messages and events still have room.
 */
bool outbox_has_room(const struct outbox *outbox);
bool outbox_has_room_for_epoch(const struct outbox *outbox, unsigned int messages);

/* Encodes and queues a message; the caller has checked that there is room. */
void outbox_send(struct outbox *outbox, struct device_message *message);

/* Drops a message; the host sees the gap in the sequence numbers. */
void outbox_skip(struct outbox *outbox);

bool outbox_empty(const struct outbox *outbox);

/* Writes as much as the port accepts. Returns 0, or -errno if the port is gone. */
int outbox_flush(struct outbox *outbox);

#endif
