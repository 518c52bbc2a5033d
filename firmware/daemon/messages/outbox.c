// SPDX-License-Identifier: BSD-2-Clause
#include "messages/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "system/log.h"

#define RESERVE (16 * LITEMRC_FRAME_MAX)

void outbox_init(struct outbox *outbox, unsigned int epochs, unsigned int messages)
{
	outbox->size = epochs * messages * LITEMRC_FRAME_MAX + RESERVE;
	outbox->ring = malloc(outbox->size);
	if (!outbox->ring)
		die(1, "free memory", "no memory for the %zu bytes of a send buffer", outbox->size);
}

void outbox_open(struct outbox *outbox, int port)
{
	outbox->port = port;
	outbox->first = outbox->used = 0;
	outbox->sender = (struct litemrc_sender){0};
	/* Terminates bytes that a console wrote to this port. */
	outbox->ring[outbox->used++] = 0;
}

bool outbox_has_room(const struct outbox *outbox)
{
	return outbox->size - outbox->used >= LITEMRC_FRAME_MAX;
}

bool outbox_has_room_for_epoch(const struct outbox *outbox, unsigned int messages)
{
	return outbox->size - outbox->used >= messages * LITEMRC_FRAME_MAX + RESERVE;
}

void outbox_send(struct outbox *outbox, struct device_message *message)
{
	static uint8_t frame[LITEMRC_FRAME_MAX];
	int length = litemrc_frame_encode(&outbox->sender, message, frame, sizeof(frame));
	size_t end, until_wrap;

	/* A message that violates the schema is a bug here; queueing half a frame would be worse. */
	if (length < 0 || (size_t)length > outbox->size - outbox->used) {
		log_info("a message of type %d was dropped: it violates the schema", message->type_choice);
		return;
	}
	end = (outbox->first + outbox->used) % outbox->size;
	until_wrap = outbox->size - end;
	if ((size_t)length <= until_wrap) {
		memcpy(outbox->ring + end, frame, length);
	} else {
		memcpy(outbox->ring + end, frame, until_wrap);
		memcpy(outbox->ring, frame + until_wrap, length - until_wrap);
	}
	outbox->used += length;
}

void outbox_skip(struct outbox *outbox)
{
	outbox->sender.sequence++;
}

bool outbox_empty(const struct outbox *outbox)
{
	return !outbox->used;
}

int outbox_flush(struct outbox *outbox)
{
	while (outbox->used) {
		size_t left = outbox->size - outbox->first;
		size_t until_wrap = left < outbox->used ? left : outbox->used;
		struct iovec parts[2] = {
			{outbox->ring + outbox->first, until_wrap}, {outbox->ring, outbox->used - until_wrap},
		};
		ssize_t taken = writev(outbox->port, parts, 2);

		if (taken < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		if (!taken)
			return -EIO;	/* hung up */
		outbox->first = (outbox->first + taken) % outbox->size;
		outbox->used -= taken;
	}
	return 0;
}
