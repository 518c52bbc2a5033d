/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of a link: a message, its CRC-32 (that of zlib, little endian), coded so that it has no zero byte, and a zero byte.
 *
 * The code is COBS (Cheshire and Baker, "Consistent Overhead Byte Stuffing", 1999) for blocks of up to 126 bytes, and has
 * codes for several zeros, of which words of 32 bits have many. A block is a code byte and data without a zero:
 *
 *   n = 0x01 to 0x7f   n - 1 data bytes, and a zero
 *   0x80               127 data bytes
 *   0x81 + 31 * d + z  d data bytes (0 to 3), and z + 2 zeros (2 to 32)
 *
 * The blocks are those of message, CRC and one more zero, which is dropped again. No function allocates or blocks.
 */
#ifndef LITEMRC_FRAME_H
#define LITEMRC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LITEMRC_CRC_BYTES 4

/* Bytes of the frame of a message of `bytes` bytes at most, with the zero byte. */
#define LITEMRC_FRAME_BYTES(bytes) ((bytes) + LITEMRC_CRC_BYTES + ((bytes) + LITEMRC_CRC_BYTES) / 127 + 3)

uint32_t litemrc_crc32(uint32_t crc, const void *bytes, size_t length);	/* begin with 0 */

/* --------------------------------------------------------------------------------------------- sending */

/*
 * Writes frames into a ring of a power of two of bytes; byte n goes to ring[n & mask]. What lies before `begun` may be
 * sent; the block from there on is not complete. The caller checks that there is room.
 */
struct litemrc_writer {
	uint8_t *ring;
	size_t mask;
	size_t begun, end;	/* free running */
	uint32_t crc;		/* its complement */
	uint8_t data, zeros;	/* of the present block */
};

void litemrc_frame_begin(struct litemrc_writer *writer);
/* Words that are aligned are read as words, each once: they may be those of a device. */
void litemrc_frame_put(struct litemrc_writer *writer, const volatile void *bytes, size_t length);
void litemrc_frame_end(struct litemrc_writer *writer);

/* ----------------------------------------------------------------------------------------- receiving */

/*
 * Receives bytes, also from an interrupt handler, and holds one checked frame at a time. A frame that begins while another
 * is held is dropped and counted as damaged: a host waits for an answer before its next request.
 */
struct litemrc_receiver {
	uint8_t *buffer;
	size_t capacity;
	size_t length;		/* decoded bytes of the present frame */
	size_t message_length;	/* of the frame in `buffer`, while it is held */
	uint8_t left;		/* data bytes left in the present block */
	uint8_t zeros;		/* that follow them */
	bool skipping;		/* the present frame is dropped: wait for its end */
	bool empty;		/* no byte since the last delimiter */
	volatile bool held;
	/* Counters, never reset; every complete, non-empty frame is counted in exactly one. */
	uint32_t frames;	/* complete, with a correct CRC */
	uint32_t damaged;	/* truncated, wrong CRC, or received while one was held */
	uint32_t oversized;	/* longer than the buffer */
};

/* `capacity`: of messages, and LITEMRC_CRC_BYTES. */
void litemrc_receiver_init(struct litemrc_receiver *rx, uint8_t *buffer, size_t capacity);

/* Takes one byte. Returns true if it completes a frame with a correct CRC, which is held until released. */
bool litemrc_receiver_push(struct litemrc_receiver *rx, uint8_t byte);

void litemrc_receiver_release(struct litemrc_receiver *rx);

#endif
