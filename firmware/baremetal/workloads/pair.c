// SPDX-License-Identifier: BSD-2-Clause
/*
 * INTR and LINEAR of Zhou et al. 2004, section 4.2.1, at 1/32 of their size, in the frames of the pager. INTR touches
 * pages by Zipf's law and then sleeps; LINEAR loops over more pages than there are frames. The sizes are those of
 * zhou2004/scenarios/baremetal_pair.toml. `repeats`: rounds of LINEAR.
 */
#include "monitor.h"
#include "paging/tasks.h"
#include "pair_scenario.h"
#include "workload.h"

static uint32_t state;

/* The first rank whose cumulative weight exceeds a random number; ranks are scattered over the pages. */
static uint32_t intr_page(uint32_t touch)
{
	uint32_t wanted = random_next(&state), low = 0, high = PAIR_INTR_PAGES - 1;

	(void)touch;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (pair_cumulative[middle] > wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return low * PAIR_INTR_SCATTER % PAIR_INTR_PAGES;
}

static uint32_t linear_page(uint32_t touch)
{
	return touch;
}

void pair_run(uint8_t *memory, uint32_t repeats)
{
	static const struct task_machine machine = {PAIR_SLICE_CYCLES, PAIR_READ_CYCLES, PAIR_WRITE_CYCLES};
	const struct task_program programs[PAGER_OWNERS] = {
		{PAIR_INTR_PAGES, PAIR_INTR_TOUCHES, PAIR_INTR_SLEEP_CYCLES, 0, intr_page, PAIR_INTR_WRITES},
		{PAIR_LINEAR_PAGES, PAIR_LINEAR_PAGES, 0, repeats, linear_page, PAIR_LINEAR_WRITES},
	};

	_Static_assert(PAGER_MEMORY == PAIR_MEMORY, "frames");
	_Static_assert(2 * (PAIR_INTR_PAGES + PAIR_LINEAR_PAGES) <= PAIR_PAGES, "memory of the pager");
	_Static_assert(PAIR_INTR_PAGES + PAIR_LINEAR_PAGES <= PAGER_PAGES, "pages of the pager");
	state = 1;
	tasks_run(&machine, programs, memory, monitor_read(LITEMRC_CONTEXT));
}
