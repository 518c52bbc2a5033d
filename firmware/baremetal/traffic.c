// SPDX-License-Identifier: BSD-2-Clause
#include "traffic.h"

#include "monitor.h"

#ifdef CSR_TRAFFIC_BASE

static uint32_t traffic_read(uint32_t offset)
{
	return csr_read_simple(CSR_TRAFFIC_BASE + offset);
}

static void traffic_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_TRAFFIC_BASE + offset);
}

uint32_t traffic_word_shift(void)
{
	return (traffic_read(LITEMRC_TRAFFIC_WORDS) & LITEMRC_TRAFFIC_WORDS_BYTES_LOG2) >>
	       LITEMRC_TRAFFIC_WORDS_BYTES_LOG2_SHIFT;
}

void traffic_begin(const struct traffic_stream *stream)
{
	registers_set_traffic(&registers, (const uint32_t[]){
		stream->base, stream->words_log2, stream->random, stream->stride, stream->writes, stream->gap,
		stream->seed, 0,
	});
}

void traffic_start(uint32_t count)
{
	traffic_write(LITEMRC_TRAFFIC_COUNT, count);
}

uint32_t traffic_left(void)
{
	return traffic_read(LITEMRC_TRAFFIC_LEFT);
}

#endif
