// SPDX-License-Identifier: BSD-2-Clause
/* A pointer chase through all pages in random order: each load depends on the previous one. */
#include "workload.h"

#define SWEEPS 36u

/* The link of a page: the next page's number, at an offset that differs by page so that links share no cache set. */
static volatile uint32_t *link_of(uint8_t *memory, uint32_t page)
{
	return (volatile uint32_t *)(memory + page * PAGE_BYTES + page * 16 % PAGE_BYTES);
}

/* Sattolo's shuffle: the links form one single cycle. */
static void build(uint8_t *memory)
{
	uint32_t state = 4;

	for (uint32_t page = 0; page < CHASE_PAGES; page++)
		*link_of(memory, page) = page;
	for (uint32_t last = CHASE_PAGES - 1; last > 0; last--) {
		uint32_t other = (random_next(&state) >> 8) % last;
		uint32_t link = *link_of(memory, last);

		*link_of(memory, last) = *link_of(memory, other);
		*link_of(memory, other) = link;
	}
}

void chase_run(uint8_t *memory, uint32_t repeats)
{
	uint32_t page = 0;

	build(memory);
	for (uint32_t step = 0; step < repeats * SWEEPS * CHASE_PAGES; step++)
		page = *link_of(memory, page);
}
