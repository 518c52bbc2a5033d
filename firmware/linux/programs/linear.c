// SPDX-License-Identifier: BSD-2-Clause
/*
 * linear [PAGES [ROUNDS [FILE [SLEEP_MS]]]]: touches PAGES pages in order, ROUNDS times: LINEAR of Zhou et al. 2004, 4.2.1.
 *
 * Its miss ratio is 1 below PAGES pages and 0 from there on. The defaults fit a machine of 32 MB and take about ten
 * million cycles. Prints its parameters and the microseconds it took; writes begin and length of each round to FILE.
 * It sleeps SLEEP_MS after each round; a round's length is without the sleep.
 */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

int main(int argc, char **argv)
{
	uint32_t page_count = number(argc, argv, 1, 512, 1, MAX_PAGES);
	uint32_t rounds = number(argc, argv, 2, 24, 1, MAX_TURNS);
	uint32_t sleep_ms = number(argc, argv, 4, 0, 0, MAX_SLEEP_MS);
	uint8_t *pages = allocate_pages(page_count);
	struct turns turns = {.each = allocate((uint64_t)rounds * sizeof(*turns.each))};
	uint64_t start_us = now_us();

	for (uint32_t round = 0; round < rounds; round++) {
		uint64_t round_us = now_us();

		for (uint32_t page = 0; page < page_count; page++)
			touch(pages, page, round);
		end_turn(&turns, round_us);
		sleep_for(sleep_ms);
	}
	printf("linear: %u pages, %u rounds, %llu us\n", page_count, rounds, (unsigned long long)(now_us() - start_us));
	write_turns(&turns, argc, argv, 3);
	return 0;
}
