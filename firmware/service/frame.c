// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <string.h>

#define LITERAL 0x80u		/* code of a block without a zero */
#define LITERAL_DATA 127u
#define RUNS 0x81u		/* first code of several zeros */
#define RUN_DATA 3u		/* data before them, at most */
#define RUN_LEAST 2u
#define RUN_MOST 32u
#define RUN_CODES (RUN_MOST - RUN_LEAST + 1)

typedef uint32_t __attribute__((may_alias)) word_t;

/* What a byte makes of a CRC is linear in the byte's bits. */
#define BIT(byte, bit, crc) ((byte) & (bit) ? (crc) : 0u)
#define OF_1(b) \
	(BIT(b, 1, 0x77073096) ^ BIT(b, 2, 0xee0e612c) ^ BIT(b, 4, 0x076dc419) ^ BIT(b, 8, 0x0edb8832) ^ \
	 BIT(b, 16, 0x1db71064) ^ BIT(b, 32, 0x3b6e20c8) ^ BIT(b, 64, 0x76dc4190) ^ BIT(b, 128, 0xedb88320))
#define OF_4(b) OF_1(b), OF_1((b) + 1), OF_1((b) + 2), OF_1((b) + 3)
#define OF_16(b) OF_4(b), OF_4((b) + 4), OF_4((b) + 8), OF_4((b) + 12)
#define OF_64(b) OF_16(b), OF_16((b) + 16), OF_16((b) + 32), OF_16((b) + 48)

static const uint32_t of_byte[256] = {OF_64(0), OF_64(64), OF_64(128), OF_64(192)};

static inline uint32_t crc_of_byte(uint32_t crc, uint8_t byte)
{
	return crc >> 8 ^ of_byte[(crc ^ byte) & 0xff];
}

static inline uint32_t crc_of_word(uint32_t crc, uint32_t word)
{
	crc = crc_of_byte(crc ^ word, 0);
	crc = crc_of_byte(crc, 0);
	crc = crc_of_byte(crc, 0);
	return crc_of_byte(crc, 0);
}

uint32_t litemrc_crc32(uint32_t crc, const void *bytes, size_t length)
{
	const uint8_t *next = bytes, *end = next + length;

	crc = ~crc;
	while (next < end)
		crc = crc_of_byte(crc, *next++);
	return ~crc;
}

/* --------------------------------------------------------------------------------------------- sending */

static inline void open_block(struct litemrc_writer *w)
{
	w->begun = w->end++;	/* the code's place */
	w->data = w->zeros = 0;
}

static inline void close_block(struct litemrc_writer *w)
{
	uint8_t run = RUNS + w->data * RUN_CODES + w->zeros - RUN_LEAST;
	uint8_t code = w->zeros == 1 ? w->data + 1u : w->zeros ? run : LITERAL;

	w->ring[w->begun & w->mask] = code;
	open_block(w);
}

static inline void put(struct litemrc_writer *w, uint8_t byte)
{
	if (!byte) {
		w->zeros++;
		if (w->data > RUN_DATA || w->zeros == RUN_MOST)
			close_block(w);
		return;
	}
	if (w->zeros)
		close_block(w);
	w->ring[w->end++ & w->mask] = byte;
	if (++w->data == LITERAL_DATA)
		close_block(w);
}

static inline void put_word(struct litemrc_writer *w, uint32_t word)
{
	w->crc = crc_of_word(w->crc, word);
	if (!word && w->data <= RUN_DATA && w->zeros + 4 < RUN_MOST) {
		w->zeros += 4;
		return;
	}
	for (int i = 0; i < 4; i++)
		put(w, word >> 8 * i);
}

void litemrc_frame_begin(struct litemrc_writer *w)
{
	w->crc = ~0u;
	open_block(w);
}

void litemrc_frame_put(struct litemrc_writer *writer, const volatile void *bytes, size_t length)
{
	struct litemrc_writer w = *writer;	/* in registers */
	const volatile uint8_t *next = bytes, *end = next + length;

	if (!((uintptr_t)next % sizeof(word_t)))
		for (; (size_t)(end - next) >= sizeof(word_t); next += sizeof(word_t))
			put_word(&w, *(const volatile word_t *)next);
	for (uint8_t byte; next < end; next++) {
		byte = *next;
		w.crc = crc_of_byte(w.crc, byte);
		put(&w, byte);
	}
	*writer = w;
}

void litemrc_frame_end(struct litemrc_writer *w)
{
	for (int i = 0; i < LITEMRC_CRC_BYTES; i++)
		put(w, ~w->crc >> 8 * i);
	put(w, 0);
	if (w->zeros)
		close_block(w);
	w->end = w->begun;	/* no other block */
	w->ring[w->end++ & w->mask] = 0;
	w->begun = w->end;
}

/* ----------------------------------------------------------------------------------------- receiving */

void litemrc_receiver_init(struct litemrc_receiver *rx, uint8_t *buffer, size_t capacity)
{
	memset(rx, 0, sizeof(*rx));
	rx->buffer = buffer;
	rx->capacity = capacity;
	rx->empty = true;
}

static inline void store(struct litemrc_receiver *rx, uint8_t byte, size_t count)
{
	if (count > rx->capacity - rx->length) {
		rx->skipping = true;
		rx->oversized++;
		return;
	}
	while (count--)
		rx->buffer[rx->length++] = byte;
}

static bool crc_matches(const uint8_t *frame, size_t length)
{
	const uint8_t *sent = frame + length - LITEMRC_CRC_BYTES;

	return litemrc_crc32(0, frame, length - LITEMRC_CRC_BYTES) ==
	       (sent[0] | (uint32_t)sent[1] << 8 | (uint32_t)sent[2] << 16 | (uint32_t)sent[3] << 24);
}

/* At a delimiter: checks the frame that it ends. The last of the zeros is none of the frame. */
static bool frame_end(struct litemrc_receiver *rx)
{
	bool whole = !rx->skipping && !rx->left && rx->zeros;

	if (whole) {
		store(rx, 0, rx->zeros - 1);
		whole = !rx->skipping && rx->length > LITEMRC_CRC_BYTES && crc_matches(rx->buffer, rx->length);
	}
	if (whole) {
		rx->frames++;
		rx->message_length = rx->length - LITEMRC_CRC_BYTES;
		rx->held = true;
	} else if (!rx->skipping && !rx->empty) {
		rx->damaged++;
	}
	rx->length = 0;
	rx->left = rx->zeros = 0;
	rx->skipping = false;
	rx->empty = true;
	return whole;
}

static void begin_block(struct litemrc_receiver *rx, uint8_t code)
{
	store(rx, 0, rx->zeros);
	if (code < LITERAL) {
		rx->left = code - 1;
		rx->zeros = 1;
	} else if (code == LITERAL) {
		rx->left = LITERAL_DATA;
		rx->zeros = 0;
	} else {
		rx->left = (code - RUNS) / RUN_CODES;
		rx->zeros = (code - RUNS) % RUN_CODES + RUN_LEAST;
	}
}

bool litemrc_receiver_push(struct litemrc_receiver *rx, uint8_t byte)
{
	if (byte == 0)
		return frame_end(rx);
	rx->empty = false;
	if (rx->skipping)
		return false;
	if (rx->held) {
		rx->skipping = true;
		rx->damaged++;
	} else if (!rx->left) {
		begin_block(rx, byte);
	} else {
		rx->left--;
		store(rx, byte, 1);
	}
	return false;
}

void litemrc_receiver_release(struct litemrc_receiver *rx)
{
	rx->held = false;
}
