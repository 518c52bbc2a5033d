/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A workload: a deterministic program on its own pages of DRAM. Code, stack and constants are in ROM and SRAM, so its
 * only DRAM accesses are to its pages.
 *
 * Nearly every step misses the caches, because the monitor sees cache misses only.
 */
#ifndef LITEMRC_WORKLOAD_H
#define LITEMRC_WORKLOAD_H

#include <stdint.h>

#include "random.h"

#define PAGE_BYTES 4096u

struct workload {
	const char *name;
	uint32_t pages;				/* pages it uses */
	uint32_t contexts;			/* number of contexts, from the ordered one */
	void (*run)(uint8_t *memory, uint32_t repeats);	/* memory: pages * PAGE_BYTES, page-aligned */
};

extern const struct workload workloads[];
extern const unsigned int workload_count;

void zipf_run(uint8_t *memory, uint32_t repeats);
void loop_run(uint8_t *memory, uint32_t repeats);
void phases_run(uint8_t *memory, uint32_t repeats);
void chase_run(uint8_t *memory, uint32_t repeats);
void matmul_run(uint8_t *memory, uint32_t repeats);
void pair_run(uint8_t *memory, uint32_t repeats);
void replicate_run(uint8_t *memory, uint32_t repeats);
void memtest_run(uint8_t *memory, uint32_t repeats);

#define ZIPF_PAGES 2048u
#define LOOP_PAGES 1536u
#define PHASES_PAGES 1408u
#define CHASE_PAGES 1024u
#define MATMUL_PAGES 536u
#define REPLICATE_MEMORY_PAGES 4u
#define PAIR_PAGES 6000u	/* including the slow region of its tasks */

/* Reads a random line of a page, or, in one of four cases, writes it. */
static inline void touch(uint8_t *memory, uint32_t page, uint32_t random)
{
	volatile uint32_t *line = (volatile uint32_t *)
		(memory + page * PAGE_BYTES + (random & (PAGE_BYTES - 1) & ~15u));

	if ((random >> 12) & 3)
		(void)*line;
	else
		*line = random;
}

#endif
