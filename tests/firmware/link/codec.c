// SPDX-License-Identifier: BSD-2-Clause
/*
 * The firmware's side of the link as a filter, for the tests: codec MODE DIRECTION < bytes.
 *
 * MODE text: reads frames; prints for each message a line "name field=value ..." and a line with the frame this side
 * makes of the decoded message, in hex.
 * MODE hold: the same, but a frame is held until two bytes of the next have come, and only then looked at.
 * MODE judge: reads byte strings, each after its length (16 bits, little endian), feeds each and a zero to one receiver,
 * and writes for each three bytes: how many frames had a good CRC, how many of these held a message, and how many of
 * those had options of a later version, which were skipped.
 * MODE stream: writes frames of 20000 epoch messages, of 1 to 64 groups, and of an event with their number.
 * DIRECTION device: messages of the device; host: requests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "litemrc_decode.h"
#include "litemrc_encode.h"
#include "litemrc_options.h"

#include "print.h"

static uint8_t buffer[LITEMRC_DEVICE_MESSAGE_MAX + LITEMRC_LATER_MESSAGE_BYTES + LITEMRC_CRC_BYTES];
static struct litemrc_receiver rx;
static bool device;

/* The largest member decides: both directions share the memory. */
static union {
	struct device_message device;
	struct host_request host;
} message;

static bool decode(void)
{
	size_t read;

	if (!device)
		return litemrc_request_decode(&rx, &message.host) == 0;
	if (cbor_decode_device_message(rx.buffer, rx.message_length, &message.device, &read) || read != rx.message_length)
		return false;
	litemrc_fill_device_message(&message.device);
	return true;
}

static void print_frame(void)
{
	uint8_t out[LITEMRC_FRAME_MAX];
	size_t length;
	int frame_length;

	if (device) {
		struct litemrc_sender sender = {.sequence = message.device.sequence - 1};

		frame_length = litemrc_frame_encode(&sender, &message.device, out, sizeof(out));
	} else {
		litemrc_mark_host_request(&message.host);
		if (cbor_encode_host_request(out + LITEMRC_FRAME_HEADROOM, LITEMRC_HOST_REQUEST_MAX, &message.host,
					     &length))
			length = sizeof(out);
		frame_length = litemrc_frame_wrap(out, sizeof(out), length);
	}
	for (int i = 0; i < frame_length; i++)
		printf("%02x", out[i]);
	printf("\n");
}

static void print_held(void)
{
	if (!decode()) {
		printf("unknown\n\n");
	} else {
		if (device)
			print_device_message(&message.device);
		else
			print_host_request(&message.host);
		print_frame();
	}
	litemrc_receiver_release(&rx);
}

static void text(int bytes_held)
{
	int byte, wait = 0;

	while ((byte = getchar()) != EOF) {
		if (litemrc_receiver_push(&rx, byte))
			wait = bytes_held;
		else
			wait--;
		if (rx.held && wait <= 0)
			print_held();
	}
	printf("frames=%u damaged=%u oversized=%u\n", rx.frames, rx.damaged, rx.oversized);
}

static void judge(void)
{
	uint8_t size[2];

	while (fread(size, 1, 2, stdin) == 2) {
		size_t length = size[0] | size[1] << 8;
		/* Exactly as long as the string, so that the sanitizer detects an access beyond it. */
		uint8_t *string = malloc(length + 1);
		uint8_t frames = 0, messages = 0, later = 0;

		if (fread(string, 1, length, stdin) != length)
			exit(1);
		string[length] = 0;
		for (size_t i = 0; i <= length; i++)
			if (litemrc_receiver_push(&rx, string[i])) {
				bool known = decode();

				frames++;
				messages += known;
				later += known && device && litemrc_later_device_message(&message.device);
				litemrc_receiver_release(&rx);
			}
		free(string);
		putchar(frames);
		putchar(messages);
		putchar(later);
	}
}

static void write_message(struct litemrc_sender *sender)
{
	uint8_t out[LITEMRC_FRAME_MAX];

	fwrite(out, 1, litemrc_frame_encode(sender, &message.device, out, sizeof(out)), stdout);
}

static void stream(void)
{
	struct litemrc_sender sender = {0};
	uint32_t i, g;

	for (i = 0; i < 20000; i++) {
		message.device.type_choice = device_message_type_epoch_c;
		message.device.epoch = (struct epoch_body){
			.index = i, .epoch = i / 2, .remaining = 1 - i % 2, .context = i % 2, .misses = i * i,
			.touched = i % 500, .outside = i * 3, .unsampled = i * 5, .scale_log2 = i % 32,
			.hits_count = 1 + i % 64,
		};
		for (g = 0; g <= i % 64; g++)
			message.device.epoch.hits[g] = (i * 2654435761u + g) >> g % 32;
		write_message(&sender);
	}
	message.device.type_choice = device_message_type_event_c;
	message.device.event = (struct event_body){
		.kind.event_kind_choice = event_kind_workload_done_c, .epoch_messages = i,
	};
	write_message(&sender);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	device = !strcmp(argv[2], "device");
	litemrc_receiver_init(&rx, buffer, device ? sizeof(buffer) : LITEMRC_REQUEST_BUFFER);
	if (!strcmp(argv[1], "text"))
		text(0);
	else if (!strcmp(argv[1], "hold"))
		text(2);
	else if (!strcmp(argv[1], "judge"))
		judge();
	else
		stream();
	return 0;
}
