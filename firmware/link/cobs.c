// SPDX-License-Identifier: BSD-2-Clause
#include "cobs.h"

size_t cobs_encode(uint8_t *out, const uint8_t *in, size_t length)
{
	uint8_t *code = out; /* receives the present block's length */
	uint8_t *next = out + 1;
	uint8_t block = 1;
	size_t i;

	for (i = 0; i < length; i++) {
		uint8_t byte = in[i];

		if (block == 255) { /* a full block encodes no zero */
			*code = block;
			code = next++;
			block = 1;
		}
		if (byte) {
			*next++ = byte;
			block++;
		} else {
			*code = block;
			code = next++;
			block = 1;
		}
	}
	*code = block;
	return (size_t)(next - out);
}

bool cobs_decode(struct cobs_decoder *decoder, uint8_t byte, uint8_t *decoded)
{
	bool zero;

	if (decoder->left) {
		decoder->left--;
		*decoded = byte;
		return true;
	}
	zero = decoder->zero_due;
	decoder->left = byte - 1;
	decoder->zero_due = byte != 255;
	*decoded = 0;
	return zero;
}
