// SPDX-License-Identifier: BSD-2-Clause
/* Loops over one line of each page in order: LRU's worst case, whose curve is a cliff. */
#include "workload.h"

#define SWEEPS 24u

void loop_run(uint8_t *memory, uint32_t repeats)
{
	uint32_t state = 2;

	for (uint32_t sweep = 0; sweep < repeats * SWEEPS; sweep++)
		for (uint32_t page = 0; page < LOOP_PAGES; page++)
			touch(memory, page, random_next(&state));
}
