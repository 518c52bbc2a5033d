// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the first `repeats` blocks of the DRAM, at most all of it. Three passes in ascending order: write a hash of each
 * word's number; check it and write its inverse; check that. So each bit is written and read as 0 and as 1, and two
 * addresses that reach one cell differ.
 *
 * Its traffic follows by arithmetic (host/litemrc/checks/selftest.py). It therefore leaves no modified line in the L2.
 */
#include "../log.h"
#include "../monitor.h"
#include "../ranks.h"
#include "memtest.h"
#include "workload.h"

#include <stdio.h>

#define BLOCK_PAGES 16u		/* twice the L2 and more: each pass reads from the DRAM what the last one wrote */
#define MEMORY_PAGES ((uint32_t)(MAIN_RAM_SIZE / PAGE_BYTES))

void memtest_run(uint8_t *memory, uint32_t repeats)
{
	uint32_t pages = repeats < MEMORY_PAGES / BLOCK_PAGES ? repeats * BLOCK_PAGES : MEMORY_PAGES;
	struct memtest_result result;
	char line[96];

	(void)memory;	/* no pages of its own: it takes those of all */
	ranks_set_live(0, pages);
	monitor_invalidate(0, pages);
	result = memtest_words((volatile uint32_t *)MAIN_RAM_BASE, pages * (PAGE_BYTES / sizeof(uint32_t)));
	snprintf(line, sizeof(line), "memtest: %lu pages, %lu wrong words, first %lu, bits 0x%08lx",
		 (unsigned long)pages, (unsigned long)result.wrong, (unsigned long)result.first,
		 (unsigned long)result.bits);
	log_send(result.wrong ? LITEMRC_LOG_ERROR : LITEMRC_LOG_INFO, line);
}
