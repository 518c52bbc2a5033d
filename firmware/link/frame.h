/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of the serial link: COBS(CBOR(message) || CRC-32(CBOR), little endian) and a zero byte. The messages are
 * those of litemrc.cddl; their structures and codec are generated from it (generate.mk).
 *
 * Nothing here allocates or waits. Needs string.h, and crc32() of LiteX's libbase.
 */
#ifndef LITEMRC_FRAME_H
#define LITEMRC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cobs.h"
#include "litemrc_limits.h"
#include "litemrc_types.h"

#define LITEMRC_CRC_BYTES 4

/* Where a message is encoded in a frame's buffer, so that the frame can be built around it in place. */
#define LITEMRC_FRAME_HEADROOM (COBS_OVERHEAD(LITEMRC_DEVICE_MESSAGE_MAX + LITEMRC_CRC_BYTES) + 1)

/* Bytes of buffer that always suffice for litemrc_frame_encode(). */
#define LITEMRC_FRAME_MAX (LITEMRC_FRAME_HEADROOM + LITEMRC_DEVICE_MESSAGE_MAX + LITEMRC_CRC_BYTES)

/* Bytes of buffer a receiver of requests needs. */
#define LITEMRC_REQUEST_BUFFER (LITEMRC_HOST_REQUEST_MAX + LITEMRC_CRC_BYTES)

/* ------------------------------------------------------------------------------------------- sending */

struct litemrc_sender {
	uint32_t sequence; /* number of the last frame; starts as 0 */
};

/*
 * Encodes a message into a whole frame, zero byte included, and gives it the next sequence number (m->sequence is
 * overwritten). Returns its length, or -1 when `capacity` is too small or the message breaks the schema. A frame
 * that is encoded and then thrown away counts as lost at the other end, as it should.
 */
int litemrc_frame_encode(struct litemrc_sender *sender, struct device_message *m, uint8_t *out, size_t capacity);

/*
 * The step below: makes a frame of the `length` bytes of CBOR at out + LITEMRC_FRAME_HEADROOM. Returns the frame's
 * length, or -1 when `capacity` is less than headroom, message and CRC together.
 */
int litemrc_frame_wrap(uint8_t *out, size_t capacity, size_t length);

/* ----------------------------------------------------------------------------------------- receiving */

/*
 * Takes bytes, from an interrupt handler if need be, and holds one checked frame at a time. A frame of which a byte
 * comes while another is held is lost, and counted as damaged: a host waits for an answer before its next request.
 */
struct litemrc_receiver {
	uint8_t *buffer;
	size_t capacity;
	size_t length;         /* decoded bytes of the running frame */
	size_t message_length; /* bytes of CBOR in `buffer`, while a frame is held */
	struct cobs_decoder cobs;
	bool skipping;         /* the running frame is lost already: wait for its end */
	bool empty;            /* no byte since the last delimiter */
	volatile bool held;
	/* Counters, never reset; every ended, non-empty frame is in exactly one. */
	uint32_t frames;       /* complete, with a good CRC */
	uint32_t damaged;      /* cut short, wrong CRC, or arrived while one was held */
	uint32_t oversized;    /* longer than the buffer */
};

/* LITEMRC_REQUEST_BUFFER bytes suffice for every request; a frame that decodes to more than `capacity` is dropped. */
void litemrc_receiver_init(struct litemrc_receiver *rx, uint8_t *buffer, size_t capacity);

/* Takes one byte. Returns true when it ends a frame with a good CRC, which is then held until it is released. */
bool litemrc_receiver_push(struct litemrc_receiver *rx, uint8_t byte);

/* Lets the held frame go. Strings of a decoded message point into it and are gone too. */
void litemrc_receiver_release(struct litemrc_receiver *rx);

/*
 * Decodes the held frame. Returns false if it is no request of the schema: answer nak(unknown) to
 * request->sequence, or nothing if that is 0 (not even the number could be read). Release the frame afterwards in
 * both cases: until then the strings of `request` point into it.
 */
bool litemrc_request_decode(const struct litemrc_receiver *rx, struct host_request *request);

#endif
