// SPDX-License-Identifier: BSD-2-Clause
/* A small working set, then a disjoint large one, then the small one again: the curve changes between epochs. */
#include "workload.h"

#define SMALL_PAGES 384u
#define LARGE_PAGES (PHASES_PAGES - SMALL_PAGES)
#define STEPS 14000u

static void uniform(uint8_t *memory, uint32_t first, uint32_t pages, uint32_t *state)
{
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t page = first + (random_next(state) >> 8) % pages;

		touch(memory, page, random_next(state));
	}
}

void phases_run(uint8_t *memory, uint32_t repeats)
{
	uint32_t state = 3;

	for (uint32_t repeat = 0; repeat < repeats; repeat++) {
		uniform(memory, 0, SMALL_PAGES, &state);
		uniform(memory, SMALL_PAGES, LARGE_PAGES, &state);
		uniform(memory, 0, SMALL_PAGES, &state);
	}
}
