// SPDX-License-Identifier: BSD-2-Clause
/*
 * intr [PAGES [TOUCHES [ITERATIONS [SLEEP_MS [FILE]]]]]: an interactive program: INTR of Zhou et al. 2004, 4.2.1.
 *
 * Each iteration makes TOUCHES accesses to PAGES pages, drawn by Zipf's law (weight 1/k for page k), then sleeps. The
 * response time is that of an iteration without the sleep; mean and longest are printed, in microseconds, and each is
 * written to FILE with its begin. All runs draw the same pages. The defaults fit a machine of 32 MB and take about ten
 * million cycles. SIGTERM ends it after the present iteration.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

/* Weight of page 1; page 2^20 still has a weight of 16. */
#define WEIGHT_OF_FIRST (1u << 24)

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
	(void)signal_number;
	stopped = true;
}

/* 32-bit random numbers: Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t next_random(void)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/* cumulative[k] is the weight of pages 0 to k; the total is below 2^29, because ln(MAX_PAGES) is below 2^5. */
static uint32_t *cumulative_weights(uint32_t page_count)
{
	uint32_t *cumulative = allocate(page_count * sizeof(*cumulative));
	uint32_t sum = 0;

	for (uint32_t page = 0; page < page_count; page++) {
		sum += WEIGHT_OF_FIRST / (page + 1);
		cumulative[page] = sum;
	}
	return cumulative;
}

static uint32_t draw_page(const uint32_t *cumulative, uint32_t page_count)
{
	uint32_t weight = ((uint64_t)next_random() * cumulative[page_count - 1]) >> 32;
	uint32_t low = 0, high = page_count - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (cumulative[middle] > weight)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int main(int argc, char **argv)
{
	uint32_t page_count = number(argc, argv, 1, 256, 1, MAX_PAGES);
	uint32_t touches = number(argc, argv, 2, 1000, 1, UINT32_MAX);
	uint32_t iterations = number(argc, argv, 3, 8, 1, MAX_TURNS);
	uint32_t sleep_ms = number(argc, argv, 4, 10, 0, MAX_SLEEP_MS);
	const uint32_t *cumulative = cumulative_weights(page_count);
	uint8_t *pages = allocate_pages(page_count);
	struct turns turns = {.each = allocate((uint64_t)iterations * sizeof(*turns.each))};
	uint64_t sum_us = 0, longest_us = 0;

	signal(SIGTERM, stop);
	while (turns.count < iterations && !stopped) {
		uint64_t start_us = now_us();

		for (uint32_t i = 0; i < touches; i++)
			touch(pages, draw_page(cumulative, page_count), i);
		end_turn(&turns, start_us);
		sleep_for(sleep_ms);
	}
	for (uint32_t i = 0; i < turns.count; i++) {
		sum_us += turns.each[i].length_us;
		if (turns.each[i].length_us > longest_us)
			longest_us = turns.each[i].length_us;
	}
	printf("intr: %u pages, %u iterations of %u touches, response %llu us, longest %llu us\n", page_count,
	       turns.count, touches, (unsigned long long)(turns.count ? sum_us / turns.count : 0),
	       (unsigned long long)longest_us);
	write_turns(&turns, argc, argv, 5);
	return 0;
}
