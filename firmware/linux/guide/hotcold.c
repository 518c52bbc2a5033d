// SPDX-License-Identifier: BSD-2-Clause
/*
 * hotcold HOT COLD FILE [interleaved]: a program with a hot and a cold range, of HOT and COLD pages, which it fills in turns.
 *
 * Each turn touches all hot pages 256 times, and 32 cold ones. The ranges have the colors HOT and COLD. With
 * `interleaved` each is spread over all ranks, page by page, as addresses are by a memory controller that interleaves.
 * Prints "filled" when all pages are there. SIGTERM ends it after the present turn; then begin and length of each turn, in
 * microseconds, are written to FILE.
 */
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/program.h"
#include "guide.h"
#include "policies.h"

#define MOST_TURNS (1u << 14)
#define ROUNDS 256    /* of a turn */
#define COLD_ROUNDS 8 /* for each touch of a cold page */

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
	(void)signal_number;
	stopped = true;
}

/* Not a neighbour of other memory, with which the kernel would join it. */
static uint8_t *allocate_range(uint32_t count)
{
	return allocate_pages(count + 2) + PAGE_BYTES;
}

static void place(uint8_t *pages, uint32_t count, const char *color, bool interleaved)
{
	unsigned long nodes = allowed_nodes();
	long failed;

	if (interleaved)
		failed = !nodes || syscall(SYS_mbind, pages, (size_t)count * PAGE_BYTES, MPOL_INTERLEAVE, &nodes, NODES_MAX, 0);
	else
		failed = litemrc_color(pages, (size_t)count * PAGE_BYTES, color);
	if (failed) {
		perror(color);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	uint32_t hot_count = number(argc, argv, 1, 256, 1, MAX_PAGES), cold_count = number(argc, argv, 2, 1024, 1, MAX_PAGES);
	bool interleaved = argc > 4 && !strcmp(argv[4], "interleaved");
	uint8_t *hot = allocate_range(hot_count), *cold = allocate_range(cold_count);
	struct turns turns = {.each = allocate(MOST_TURNS * sizeof(*turns.each))};

	signal(SIGTERM, stop);
	place(hot, hot_count, "HOT", interleaved);
	place(cold, cold_count, "COLD", interleaved);
	for (uint32_t page = 0; page < hot_count || page < cold_count; page++) {
		if (page < hot_count)
			touch(hot, page, 0);
		if (page < cold_count)
			touch(cold, page, 0);
	}
	puts("filled");
	fflush(stdout);
	while (turns.count < MOST_TURNS && !stopped) {
		uint64_t start_us = now_us();
		uint32_t first = turns.count * ROUNDS;

		for (uint32_t round = first; round < first + ROUNDS; round++) {
			for (uint32_t page = 0; page < hot_count; page++)
				touch(hot, page, round);
			if (round % COLD_ROUNDS == 0)
				touch(cold, round / COLD_ROUNDS % cold_count, round);
		}
		end_turn(&turns, start_us);
	}
	write_turns(&turns, argc, argv, 3);
	return 0;
}
