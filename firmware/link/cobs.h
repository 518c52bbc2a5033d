/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * COBS (Cheshire and Baker, "Consistent Overhead Byte Stuffing", 1999): encodes bytes without zeros, so that a zero
 * ends a frame.
 */
#ifndef LITEMRC_COBS_H
#define LITEMRC_COBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of bytes that encoding adds to `length` bytes. */
#define COBS_OVERHEAD(length) ((length) / 254 + 1)

/*
 * Encodes `length` bytes. Returns the encoded length without a delimiter. `in` may lie in the output buffer, at least
 * COBS_OVERHEAD(length) bytes after `out`: writing never overtakes reading.
 */
size_t cobs_encode(uint8_t *out, const uint8_t *in, size_t length);

/* The decoder, byte by byte; all zero before the first byte of a frame. */
struct cobs_decoder {
	uint8_t left;  /* bytes left in the present block */
	bool zero_due; /* a zero precedes the next block */
};

/*
 * Takes one byte other than the delimiter. Returns true if it yields a decoded byte in `*decoded`: the byte itself, or
 * the zero that it encodes.
 */
bool cobs_decode(struct cobs_decoder *decoder, uint8_t byte, uint8_t *decoded);

/* Whether the frame may end here: the last block is complete. */
static inline bool cobs_complete(const struct cobs_decoder *decoder)
{
	return decoder->left == 0;
}

#endif
