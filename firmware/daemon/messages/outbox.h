/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring of frames to be sent to one host. No function blocks. */
#ifndef LITEMRCD_OUTBOX_H
#define LITEMRCD_OUTBOX_H

#include <stdbool.h>

#include "frame.h"
#include "litemrc_protocol.h"

struct outbox {
	int port;
	size_t sent;	/* free running, as the writer's */
	uint32_t sequence;	/* of the last message */
	struct litemrc_writer writer;
};

/* Allocates the ring, once: `epochs` records of so many bytes, and the reserve. */
void outbox_init(struct outbox *outbox, unsigned int epochs, size_t record_bytes);

/* Empties it for a host at this port; its first message has the number 1. */
void outbox_open(struct outbox *outbox, int port);

/*
 * Whether an answer, or a record of so many bytes, fits. Records leave a reserve: while the host does not read and epochs
 * are dropped, answers and events still have room.
 */
bool outbox_has_room(const struct outbox *outbox);
bool outbox_has_room_for_record(const struct outbox *outbox, size_t bytes);

/* A part of a message. */
struct piece {
	const void *bytes;
	size_t length;
};

/* Queues a message; the caller has checked that there is room. Type 0: without struct litemrc_message. */
void outbox_send(struct outbox *outbox, uint32_t type, const struct piece *pieces, unsigned int count);

/* Drops a message; the host sees the gap in the sequence numbers. */
void outbox_skip(struct outbox *outbox);

bool outbox_empty(const struct outbox *outbox);

/* Writes as much as the port accepts. Returns 0, or -errno if the port is gone. */
int outbox_flush(struct outbox *outbox);

#endif
