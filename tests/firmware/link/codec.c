// SPDX-License-Identifier: BSD-2-Clause
/*
 * The firmware's frames as a filter, for the tests: codec MODE [CAPACITY] < bytes. CAPACITY: of messages; of requests by default.
 *
 * MODE text: reads frames; prints for each message a line of its bytes and a line of the frame this side makes of it, in hex.
 * MODE hold: the same, but a frame is held until two bytes of the next have come, and only then looked at.
 * MODE judge: reads byte strings, each after its length (16 bits, little endian), feeds each and a zero to one receiver, and
 * writes for each the messages it received: a byte with their number, and each after its length.
 * MODE frame: reads byte strings as judge and writes the frame of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "litemrc_protocol.h"

#define RING_BYTES (1u << 18)
#define STRING_MAX 65535u

static uint8_t buffer[1 << 16], ring[RING_BYTES];
static struct litemrc_receiver rx;
static struct litemrc_writer writer = {.ring = ring, .mask = RING_BYTES - 1};
static size_t sent;

/* Gives out what the writer has finished. */
static void flush(void (*give)(uint8_t byte))
{
	if (writer.begun != writer.end || writer.end - sent > RING_BYTES)
		abort();
	while (sent != writer.end)
		give(ring[sent++ & writer.mask]);
}

static void print_byte(uint8_t byte)
{
	printf("%02x", byte);
}

static void write_byte(uint8_t byte)
{
	putchar(byte);
}

static void write_length(size_t length)
{
	putchar(length & 0xff);
	putchar(length >> 8);
}

static void print_held(void)
{
	for (size_t i = 0; i < rx.message_length; i++)
		print_byte(rx.buffer[i]);
	printf("\n");
	litemrc_frame_begin(&writer);
	litemrc_frame_put(&writer, rx.buffer, rx.message_length);
	litemrc_frame_end(&writer);
	flush(print_byte);
	printf("\n");
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

/* Returns a string exactly as long as it is, so that the sanitizer detects an access beyond it; NULL at the end. */
static uint8_t *read_string(size_t *length)
{
	uint8_t size[2], *string;

	if (fread(size, 1, 2, stdin) != 2)
		return NULL;
	*length = size[0] | size[1] << 8;
	string = malloc(*length ? *length : 1);
	if (fread(string, 1, *length, stdin) != *length)
		exit(1);
	return string;
}

static void judge(void)
{
	static uint8_t found[2 * STRING_MAX];
	size_t length;

	for (uint8_t *string; (string = read_string(&length)); free(string)) {
		size_t bytes = 0;
		uint8_t frames = 0;

		for (size_t i = 0; i <= length; i++)
			if (litemrc_receiver_push(&rx, i < length ? string[i] : 0)) {
				found[bytes++] = rx.message_length & 0xff;
				found[bytes++] = rx.message_length >> 8;
				memcpy(found + bytes, rx.buffer, rx.message_length);
				bytes += rx.message_length;
				frames++;
				litemrc_receiver_release(&rx);
			}
		putchar(frames);
		fwrite(found, 1, bytes, stdout);
	}
}

/* In pieces of 1, 2, 3 ... bytes. */
static void frame(void)
{
	size_t length;

	for (uint8_t *string; (string = read_string(&length)); free(string)) {
		litemrc_frame_begin(&writer);
		for (size_t at = 0, piece = 1; at < length; at += piece++)
			litemrc_frame_put(&writer, string + at, piece < length - at ? piece : length - at);
		litemrc_frame_end(&writer);
		if (writer.end - sent > LITEMRC_FRAME_BYTES(length))
			abort();
		write_length(writer.end - sent);
		flush(write_byte);
	}
}

int main(int argc, char **argv)
{
	size_t capacity = argc > 2 ? atoi(argv[2]) : LITEMRC_REQUEST_BYTES_MAX;

	if (argc < 2 || capacity + LITEMRC_CRC_BYTES > sizeof(buffer))
		return 2;
	/* At the end, so that the sanitizer detects an access beyond it. */
	litemrc_receiver_init(&rx, buffer + sizeof(buffer) - capacity - LITEMRC_CRC_BYTES, capacity + LITEMRC_CRC_BYTES);
	if (!strcmp(argv[1], "text"))
		text(0);
	else if (!strcmp(argv[1], "hold"))
		text(2);
	else if (!strcmp(argv[1], "judge"))
		judge();
	else
		frame();
	return 0;
}
