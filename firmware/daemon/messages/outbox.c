// SPDX-License-Identifier: BSD-2-Clause
#include "messages/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "system/log.h"

#define MESSAGE_BYTES LITEMRC_FRAME_BYTES(sizeof(struct litemrc_message) + sizeof(struct litemrc_hello))
#define RESERVE (16 * MESSAGE_BYTES)

static size_t size_of(const struct outbox *outbox)
{
	return outbox->writer.mask + 1;
}

static size_t room_of(const struct outbox *outbox)
{
	return size_of(outbox) - (outbox->writer.end - outbox->sent);
}

void outbox_init(struct outbox *outbox, unsigned int epochs, size_t record_bytes)
{
	size_t least = epochs * LITEMRC_FRAME_BYTES(sizeof(struct litemrc_message) + record_bytes) + RESERVE, size = 1;

	while (size < least)
		size *= 2;
	outbox->writer.mask = size - 1;
	outbox->writer.ring = malloc(size);
	if (!outbox->writer.ring)
		die(1, "free memory", "no memory for the %zu bytes of a send buffer", size);
}

void outbox_open(struct outbox *outbox, int port)
{
	outbox->port = port;
	outbox->sequence = 0;
	/* Terminates bytes that a console wrote to this port. */
	outbox->writer.ring[0] = 0;
	outbox->sent = 0;
	outbox->writer.begun = outbox->writer.end = 1;
}

bool outbox_has_room(const struct outbox *outbox)
{
	return room_of(outbox) >= MESSAGE_BYTES;
}

bool outbox_has_room_for_record(const struct outbox *outbox, size_t bytes)
{
	return room_of(outbox) >= LITEMRC_FRAME_BYTES(sizeof(struct litemrc_message) + bytes) + RESERVE;
}

void outbox_send(struct outbox *outbox, uint32_t type, const struct piece *pieces, unsigned int count)
{
	const struct litemrc_message message = {.type = type, .sequence = type ? ++outbox->sequence : 0};

	if (outbox_empty(outbox))	/* stays in pages and cache lines that are there */
		outbox->sent = outbox->writer.begun = outbox->writer.end = 0;
	litemrc_frame_begin(&outbox->writer);
	if (type)
		litemrc_frame_put(&outbox->writer, &message, sizeof(message));
	for (unsigned int i = 0; i < count; i++)
		litemrc_frame_put(&outbox->writer, pieces[i].bytes, pieces[i].length);
	litemrc_frame_end(&outbox->writer);
}

void outbox_skip(struct outbox *outbox)
{
	outbox->sequence++;
}

bool outbox_empty(const struct outbox *outbox)
{
	return outbox->sent == outbox->writer.end;
}

int outbox_flush(struct outbox *outbox)
{
	while (!outbox_empty(outbox)) {
		size_t first = outbox->sent & outbox->writer.mask, used = outbox->writer.end - outbox->sent;
		size_t left = size_of(outbox) - first;
		ssize_t taken = write(outbox->port, outbox->writer.ring + first, left < used ? left : used);

		if (taken < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		if (!taken)
			return -EIO;	/* hung up */
		outbox->sent += taken;
	}
	return 0;
}
