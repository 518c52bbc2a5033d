// SPDX-License-Identifier: BSD-2-Clause
#include "messages/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "system/say.h"

#define RESERVE (16 * LITEMRC_FRAME_MAX)

static int tty;
static uint8_t *ring;
static size_t size, first, used;
static struct litemrc_sender sender;

void outbox_init(int port, unsigned int messages)
{
	tty = port;
	size = 4 * messages * LITEMRC_FRAME_MAX + RESERVE;
	ring = malloc(size);
	if (!ring)
		give_up(1, "free memory", "no memory for the %zu bytes of the send buffer", size);
	/* Terminates bytes that a console wrote to this port. */
	ring[used++] = 0;
}

bool outbox_has_room(void)
{
	return size - used >= LITEMRC_FRAME_MAX;
}

bool outbox_has_room_for_epoch(unsigned int messages)
{
	return size - used >= messages * LITEMRC_FRAME_MAX + RESERVE;
}

void outbox_send(struct device_message *message)
{
	static uint8_t frame[LITEMRC_FRAME_MAX];
	int length = litemrc_frame_encode(&sender, message, frame, sizeof(frame));
	size_t end, until_wrap;

	/* A message that violates the schema is a bug here; queueing half a frame would be worse. */
	if (length < 0 || (size_t)length > size - used) {
		say("a message of type %d was dropped: it violates the schema", message->type_choice);
		return;
	}
	end = (first + used) % size;
	until_wrap = size - end;
	if ((size_t)length <= until_wrap) {
		memcpy(ring + end, frame, length);
	} else {
		memcpy(ring + end, frame, until_wrap);
		memcpy(ring, frame + until_wrap, length - until_wrap);
	}
	used += length;
}

bool outbox_empty(void)
{
	return !used;
}

int outbox_flush(void)
{
	while (used) {
		size_t until_wrap = size - first < used ? size - first : used;
		struct iovec parts[2] = {{ring + first, until_wrap}, {ring, used - until_wrap}};
		ssize_t taken = writev(tty, parts, 2);

		if (taken < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		first = (first + taken) % size;
		used -= taken;
	}
	return 0;
}
