// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <string.h>

#include "litemrc_encode.h"
#include "litemrc_options.h"

uint32_t litemrc_crc32(const uint8_t *bytes, size_t length)
{
	static const uint32_t of_half_byte[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = 0xffffffff;

	while (length--) {
		crc ^= *bytes++;
		crc = crc >> 4 ^ of_half_byte[crc & 15];
		crc = crc >> 4 ^ of_half_byte[crc & 15];
	}
	return ~crc;
}

int litemrc_frame_wrap(uint8_t *out, size_t capacity, size_t length)
{
	uint8_t *message = out + LITEMRC_FRAME_HEADROOM;
	uint32_t crc;
	size_t encoded;
	int i;

	if (length > LITEMRC_DEVICE_MESSAGE_MAX || capacity < LITEMRC_FRAME_HEADROOM + length + LITEMRC_CRC_BYTES)
		return -1;
	crc = litemrc_crc32(message, length);
	for (i = 0; i < LITEMRC_CRC_BYTES; i++)
		message[length + i] = crc >> (8 * i);
	encoded = cobs_encode(out, message, length + LITEMRC_CRC_BYTES);
	out[encoded] = 0;
	return encoded + 1;
}

int litemrc_message_encode(struct device_message *m, uint8_t *out, size_t capacity)
{
	size_t length;

	litemrc_mark_device_message(m);
	return cbor_encode_device_message(out, capacity, m, &length) ? -1 : (int)length;
}

int litemrc_frame_encode(struct litemrc_sender *sender, struct device_message *m, uint8_t *out, size_t capacity)
{
	int length;

	if (capacity < LITEMRC_FRAME_HEADROOM)
		return -1;
	m->sequence = sender->sequence + 1;
	length = litemrc_message_encode(m, out + LITEMRC_FRAME_HEADROOM, capacity - LITEMRC_FRAME_HEADROOM);
	if (length < 0 || capacity < LITEMRC_FRAME_HEADROOM + length + LITEMRC_CRC_BYTES)
		return -1;
	sender->sequence++;
	return litemrc_frame_wrap(out, capacity, length);
}

void litemrc_receiver_init(struct litemrc_receiver *rx, uint8_t *buffer, size_t capacity)
{
	memset(rx, 0, sizeof(*rx));
	rx->buffer = buffer;
	rx->capacity = capacity;
	rx->empty = true;
}

static bool crc_matches(const uint8_t *frame, size_t length)
{
	const uint8_t *sent = frame + length - LITEMRC_CRC_BYTES;

	return litemrc_crc32(frame, length - LITEMRC_CRC_BYTES) ==
	       (sent[0] | (uint32_t)sent[1] << 8 | (uint32_t)sent[2] << 16 | (uint32_t)sent[3] << 24);
}

/* At a delimiter: checks the frame that it ends. */
static bool frame_end(struct litemrc_receiver *rx)
{
	bool whole = !rx->skipping && cobs_complete(&rx->cobs) && rx->length > LITEMRC_CRC_BYTES &&
		     crc_matches(rx->buffer, rx->length);

	if (whole) {
		rx->frames++;
		rx->message_length = rx->length - LITEMRC_CRC_BYTES;
		rx->held = true;
	} else if (!rx->skipping && !rx->empty) {
		rx->damaged++;
	}
	rx->length = 0;
	rx->skipping = false;
	rx->empty = true;
	memset(&rx->cobs, 0, sizeof(rx->cobs));
	return whole;
}

bool litemrc_receiver_push(struct litemrc_receiver *rx, uint8_t byte)
{
	uint8_t decoded;

	if (byte == 0)
		return frame_end(rx);
	rx->empty = false;
	if (rx->skipping)
		return false;
	if (rx->held) {
		rx->skipping = true;
		rx->damaged++;
		return false;
	}
	if (!cobs_decode(&rx->cobs, byte, &decoded))
		return false;
	if (rx->length == rx->capacity) {
		rx->skipping = true;
		rx->oversized++;
		return false;
	}
	rx->buffer[rx->length++] = decoded;
	return false;
}

void litemrc_receiver_release(struct litemrc_receiver *rx)
{
	rx->held = false;
}

int litemrc_request_decode(const struct litemrc_receiver *rx, struct host_request *request)
{
	request->sequence = 0;
	if (!litemrc_request_read(rx->buffer, rx->message_length, request))
		return error_code_unknown_c;
	litemrc_fill_host_request(request);
	return litemrc_later_host_request(request) ? error_code_bad_argument_c : 0;
}
