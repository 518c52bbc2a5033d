// SPDX-License-Identifier: BSD-2-Clause
/* The line to the host: a TCP port of the loopback interface that flips, drops and doubles bytes. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

static int host;
static struct litemrc_sender sender;
static uint32_t sent;	/* epoch messages since the start */

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
static void send_noisy(const uint8_t *bytes, int length)
{
	uint8_t line[2 * LITEMRC_FRAME_MAX];
	int count = 0;

	for (int i = 0; i < length; i++) {
		bool hit = random() % 1000000 < option.noise;
		int kind = hit ? random() % 3 : 3;

		if (kind == 0)
			line[count++] = bytes[i] ^ (1 << random() % 8);
		if (kind == 2)
			line[count++] = bytes[i];
		if (kind >= 2)
			line[count++] = bytes[i];
	}
	if (write(host, line, count) != count)
		hang_up();
}

void send_message(struct device_message *m)
{
	uint8_t out[LITEMRC_FRAME_MAX];
	int length = litemrc_frame_encode(&sender, m, out, sizeof(out));

	if (length < 0)
		abort();
	sent += m->type_choice == device_message_type_epoch_c;
	if (fault("vanish") && epoch_number == FAULT_EPOCH && m->type_choice == device_message_type_epoch_c) {
		send_noisy(out, length / 2);
		hang_up();
	}
	send_noisy(out, length);
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

void line_restart(void)
{
	sender.sequence = 0;
}
