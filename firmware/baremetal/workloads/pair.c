// SPDX-License-Identifier: BSD-2-Clause
/*
 * INTR and LINEAR of Zhou et al. 2004, section 4.2.1, in the frames of the pager, a 32nd in size: INTR touches pages
 * by Zipf's law and then sleeps, LINEAR goes round more pages than there are frames. `repeats`: rounds of LINEAR.
 */
#include "../monitor.h"
#include "../tasks.h"
#include "workload.h"
#include "zipf_pages.h"

#define LINEAR_PAGES 1875u
#define INTR_TOUCHES 125u
#define INTR_SLEEP_CYCLES 1000000u

static uint32_t state;

/* The first rank whose cumulative weight exceeds a random number; ranks are scattered over the pages. */
static uint32_t intr_page(uint32_t touch)
{
	uint32_t wanted = random_next(&state), low = 0, high = ZIPF_TABLE_PAGES - 1;

	(void)touch;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (zipf_cumulative[middle] > wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return low * ZIPF_SCATTER % ZIPF_TABLE_PAGES;
}

static uint32_t linear_page(uint32_t touch)
{
	return touch;
}

void pair_run(uint8_t *memory, uint32_t repeats)
{
	const struct task_program programs[PAGER_OWNERS] = {
		{ZIPF_TABLE_PAGES, INTR_TOUCHES, INTR_SLEEP_CYCLES, 0, intr_page, true},
		{LINEAR_PAGES, LINEAR_PAGES, 0, repeats, linear_page, false},
	};

	_Static_assert(2 * (ZIPF_TABLE_PAGES + LINEAR_PAGES) <= PAIR_PAGES, "memory of the pager");
	_Static_assert(ZIPF_TABLE_PAGES + LINEAR_PAGES <= PAGER_PAGES, "pages of the pager");
	state = 1;
	tasks_run(programs, memory, monitor_read(LITEMRC_CONTEXT));
}
