/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * COBS (Cheshire and Baker, "Consistent Overhead Byte Stuffing", 1999): bytes without zeros, so that a zero can
 * end a frame.
 */
#ifndef LITEMRC_COBS_H
#define LITEMRC_COBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes the encoding of `length` bytes may be longer by. */
#define COBS_OVERHEAD(length) ((length) / 254 + 1)

/*
 * Encodes `length` bytes; returns the encoded length, no delimiter included. `in` may lie in the buffer it is encoded
 * into, if it begins at least COBS_OVERHEAD(length) bytes behind `out`: writing never overtakes reading.
 */
size_t cobs_encode(uint8_t *out, const uint8_t *in, size_t length);

/* The decoder, byte by byte; all zero before the first byte of a frame. */
struct cobs_decoder {
	uint8_t left;  /* bytes of the running block still to come */
	bool zero_due; /* a zero stands between the running block and the next */
};

/*
 * Takes one byte, which must not be the delimiter. Returns true when it yields a decoded byte, which is then in
 * `*decoded`: the byte itself or the zero it stands for.
 */
bool cobs_decode(struct cobs_decoder *decoder, uint8_t byte, uint8_t *decoded);

/* Whether a frame may end here: no block is cut short. */
static inline bool cobs_complete(const struct cobs_decoder *decoder)
{
	return decoder->left == 0;
}

#endif
