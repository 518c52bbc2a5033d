// SPDX-License-Identifier: BSD-2-Clause
#include "traffic.h"

#include <generated/csr.h>
#include <hw/common.h>

#include "litemrc_regs.h"

#ifdef CSR_TRAFFIC_BASE

#define PUT(name, value) ((uint32_t)(value) << LITEMRC_TRAFFIC_##name##_SHIFT)

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
	traffic_write(LITEMRC_TRAFFIC_BASE, stream->base);
	traffic_write(LITEMRC_TRAFFIC_RANGE, stream->words_log2);
	traffic_write(LITEMRC_TRAFFIC_STRIDE, stream->stride);
	traffic_write(LITEMRC_TRAFFIC_PATTERN,
		      PUT(PATTERN_KIND, stream->random ? LITEMRC_PATTERN_RANDOM : LITEMRC_PATTERN_STRIDE) |
		      PUT(PATTERN_MASKED, 1) | PUT(PATTERN_WRITES, stream->writes) | PUT(PATTERN_GAP, stream->gap));
	traffic_write(LITEMRC_TRAFFIC_SEED, stream->seed);
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
