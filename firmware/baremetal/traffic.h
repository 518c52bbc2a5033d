/* SPDX-License-Identifier: BSD-2-Clause */
/* The traffic generator of a SoC with reference counters: a second master of the memory. */
#ifndef LITEMRC_TRAFFIC_H
#define LITEMRC_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

/* The address stream, in words of the generator. Its writes change no byte. */
struct traffic_stream {
	uint32_t base, words_log2;
	bool random;
	uint32_t stride, writes, gap, seed;
};

/* log2 of the bytes of a word. */
uint32_t traffic_word_shift(void);

/* Restarts the stream; the generator must be idle. */
void traffic_begin(const struct traffic_stream *stream);

/* Starts `count` accesses. */
void traffic_start(uint32_t count);

/* Accesses still to come. */
uint32_t traffic_left(void);

#endif
