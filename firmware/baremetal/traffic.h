/* SPDX-License-Identifier: BSD-2-Clause */
/* The traffic generator, a master of the memory beside the processor; of a SoC with reference counters. */
#ifndef LITEMRC_TRAFFIC_H
#define LITEMRC_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* Where its accesses go, in words of its own; writes change no byte. */
struct traffic_stream {
	uint32_t base, words_log2;
	bool random;
	uint32_t stride, writes, gap, seed;
};

/* log2 of the bytes of a word. */
uint32_t traffic_word_shift(void);

/* The stream begins anew; it must not be busy. */
void traffic_begin(const struct traffic_stream *stream);

/* So many accesses more. */
void traffic_start(uint32_t count);

/* Accesses still to come. */
uint32_t traffic_left(void);

/* As settings_perform(). */
int traffic_perform(const struct host_request *request, struct ack_body *ack, const char **reason);

#endif
