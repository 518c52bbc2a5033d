/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of the serial link: COBS(CBOR(message) || CRC-32(CBOR), little endian) and a zero byte. The structures and
 * codec of the messages are generated from litemrc.cddl (generate.mk).
 *
 * No function allocates or blocks. Needs string.h, and crc32() of LiteX's libbase.
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

/* Offset of the encoded message in a frame's buffer, so that the frame can be built around it in place. */
#define LITEMRC_FRAME_HEADROOM (COBS_OVERHEAD(LITEMRC_DEVICE_MESSAGE_MAX + LITEMRC_CRC_BYTES) + 1)

/* Buffer size that always suffices for litemrc_frame_encode(). */
#define LITEMRC_FRAME_MAX (LITEMRC_FRAME_HEADROOM + LITEMRC_DEVICE_MESSAGE_MAX + LITEMRC_CRC_BYTES)

/* Buffer size of a receiver of requests, with options of later versions. */
#define LITEMRC_REQUEST_BUFFER (LITEMRC_HOST_REQUEST_MAX + LITEMRC_LATER_REQUEST_BYTES + LITEMRC_CRC_BYTES)

/* ------------------------------------------------------------------------------------------- sending */

struct litemrc_sender {
	uint32_t sequence; /* number of the last frame; starts as 0 */
};

/*
 * Encodes a message into a complete frame, zero byte included, and gives it the next sequence number (m->sequence is
 * overwritten, as is which options are present: those that are not 0, empty or false). Returns the length of the frame,
 * or -1 if `capacity` is too small or the message violates the schema. The host counts a frame that is encoded and not
 * sent as lost.
 */
int litemrc_frame_encode(struct litemrc_sender *sender, struct device_message *m, uint8_t *out, size_t capacity);

/*
 * The lower layer: makes a frame of the `length` bytes of CBOR at out + LITEMRC_FRAME_HEADROOM. Returns the frame's
 * length, or -1 if `capacity` is less than headroom, message and CRC together.
 */
int litemrc_frame_wrap(uint8_t *out, size_t capacity, size_t length);

/* ----------------------------------------------------------------------------------------- receiving */

/*
 * Receives bytes, also from an interrupt handler, and holds one checked frame at a time. A frame that begins while
 * another is held is dropped and counted as damaged: a host waits for an answer before its next request.
 */
struct litemrc_receiver {
	uint8_t *buffer;
	size_t capacity;
	size_t length;         /* decoded bytes of the present frame */
	size_t message_length; /* bytes of CBOR in `buffer`, while a frame is held */
	struct cobs_decoder cobs;
	bool skipping;         /* the present frame is dropped: wait for its end */
	bool empty;            /* no byte since the last delimiter */
	volatile bool held;
	/* Counters, never reset; every complete, non-empty frame is counted in exactly one. */
	uint32_t frames;       /* complete, with a correct CRC */
	uint32_t damaged;      /* truncated, wrong CRC, or received while one was held */
	uint32_t oversized;    /* longer than the buffer */
};

/* LITEMRC_REQUEST_BUFFER bytes suffice for every request; a frame that decodes to more than `capacity` is dropped. */
void litemrc_receiver_init(struct litemrc_receiver *rx, uint8_t *buffer, size_t capacity);

/* Takes one byte. Returns true if it completes a frame with a correct CRC, which is held until released. */
bool litemrc_receiver_push(struct litemrc_receiver *rx, uint8_t byte);

/* Releases the held frame. Strings of the decoded message point into it and become invalid. */
void litemrc_receiver_release(struct litemrc_receiver *rx);

/*
 * Decodes the held frame. Returns 0, or the error code to answer to request->sequence (to nothing if that is 0:
 * unreadable): unknown if it is no request of the schema, bad_argument if it has options of a later version. Release the
 * frame afterwards in both cases; the strings of `request` point into it until then.
 */
int litemrc_request_decode(const struct litemrc_receiver *rx, struct host_request *request);

#endif
