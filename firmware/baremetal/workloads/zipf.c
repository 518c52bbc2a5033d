// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random pages whose popularity falls as 1/rank (Zipf's law, exponent 1), in integers: each octave of ranks is equally
 * likely, and ranks are uniform within an octave.
 */
#include "workload.h"

#define OCTAVES 11u		/* ranks 1 .. 2^11 - 1 */
#define SCATTER 1103u		/* odd: a permutation of the ranks, so that popular pages are not neighbours */
#define STEPS 40000u

void zipf_run(uint8_t *memory, uint32_t repeats)
{
	uint32_t state = 1;

	for (uint32_t step = 0; step < repeats * STEPS; step++) {
		uint32_t octave = (random_next(&state) >> 8) % OCTAVES;
		uint32_t low = random_next(&state) >> 8;
		uint32_t rank = (1u << octave) | (low & ((1u << octave) - 1));

		touch(memory, rank * SCATTER % ZIPF_PAGES, random_next(&state));
	}
}
