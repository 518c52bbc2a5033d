// SPDX-License-Identifier: BSD-2-Clause
/* The line to the host: a TCP port of the loopback interface that flips, drops and doubles bytes. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

#define RING_BYTES 32768u	/* more than the frame of any epoch */

static int host;
static uint8_t ring[RING_BYTES];
static struct litemrc_writer writer = {.ring = ring, .mask = RING_BYTES - 1};
static uint32_t sequence;
static uint32_t sent;	/* epochs since the start */

int line_open(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		exit(1);
	printf("port %d\n", ntohs(address.sin_port));
	fflush(stdout);
	host = accept(listener, NULL, NULL);
	return host;
}

static void hang_up(void)
{
	printf("sent %u\n", sent);
	exit(0);
}

/* Each byte arrives as it is, flipped, twice or not at all. */
static void send_noisy(size_t from, size_t to)
{
	static uint8_t line[2 * RING_BYTES];
	int count = 0;

	for (size_t i = from; i < to; i++) {
		uint8_t byte = ring[i & writer.mask];
		bool hit = random() % 1000000 < option.noise;
		int kind = hit ? random() % 3 : 3;

		if (kind == 0)
			line[count++] = byte ^ (1 << random() % 8);
		if (kind == 2)
			line[count++] = byte;
		if (kind >= 2)
			line[count++] = byte;
	}
	if (write(host, line, count) != count)
		hang_up();
}

void send_message(uint32_t type, const void *body, size_t bytes)
{
	const struct litemrc_message message = {.type = type, .sequence = type ? ++sequence : 0};
	size_t begin = writer.end;

	litemrc_frame_begin(&writer);
	if (type)
		litemrc_frame_put(&writer, &message, sizeof(message));
	litemrc_frame_put(&writer, body, bytes);
	litemrc_frame_end(&writer);
	if (writer.end - begin > RING_BYTES)
		abort();
	sent += type == LITEMRC_MESSAGE_EPOCH;
	if (fault("vanish") && epoch_number == FAULT_EPOCH && type == LITEMRC_MESSAGE_EPOCH) {
		send_noisy(begin, begin + (writer.end - begin) / 2);
		hang_up();
	}
	send_noisy(begin, writer.end);
}

void line_receive(struct litemrc_receiver *receiver, void (*on_frame)(void))
{
	uint8_t received[256];
	ssize_t count = read(host, received, sizeof(received));

	if (count <= 0)
		hang_up();
	for (ssize_t i = 0; i < count; i++)
		if (litemrc_receiver_push(receiver, received[i]))
			on_frame();
}

void line_skip(void)
{
	sequence++;
}

void line_restart(void)
{
	sequence = 0;
}
