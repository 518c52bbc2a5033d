// SPDX-License-Identifier: BSD-2-Clause
/* The table of workloads of two harts; a workload's number is its index. */
#include "monitor.h"
#include "second_hart.h"
#include "workloads/workload.h"

typedef void program(uint8_t *memory, uint32_t repeats);

static void run_both(program *first, program *second, uint8_t *memory, uint32_t second_page, uint32_t repeats)
{
	second_hart_start(second, memory + second_page * PAGE_BYTES, repeats);
	first(memory, repeats);
	second_hart_wait();
}

static void zipf_loop_run(uint8_t *memory, uint32_t repeats)
{
	run_both(zipf_run, loop_run, memory, ZIPF_PAGES, repeats);
}

static void phases_chase_run(uint8_t *memory, uint32_t repeats)
{
	run_both(phases_run, chase_run, memory, PHASES_PAGES, repeats);
}

/* Both harts read and write the same pages. */
static void shared_run(uint8_t *memory, uint32_t repeats)
{
	_Static_assert(LOOP_PAGES <= ZIPF_PAGES, "the loop has pages outside of the memory");
	run_both(zipf_run, loop_run, memory, 0, repeats);
}

/* Hart 0 waits. */
static void loop_alone_run(uint8_t *memory, uint32_t repeats)
{
	second_hart_start(loop_run, memory, repeats);
	second_hart_wait();
}

/* The pages belong to the context that many above the register's. */
static void claim(uint8_t *memory, uint32_t pages, uint32_t above)
{
	uint32_t first = ((uint32_t)memory - MAIN_RAM_BASE) / PAGE_BYTES;

	monitor_claim(first, pages, monitor_read(LITEMRC_CONTEXT) + above);
}

static void claim_and_loop(uint8_t *memory, uint32_t repeats)
{
	claim(memory, LOOP_PAGES, 2);
	loop_run(memory, repeats);
}

/* Each hart claims the pages of its program, hart 1 while the program of hart 0 runs. */
static void claimed_run(uint8_t *memory, uint32_t repeats)
{
	claim(memory, ZIPF_PAGES, 1);
	run_both(zipf_run, claim_and_loop, memory, ZIPF_PAGES, repeats);
}

const struct workload workloads[] = {
	{"zipf_loop", ZIPF_PAGES + LOOP_PAGES, 1, zipf_loop_run},
	{"phases_chase", PHASES_PAGES + CHASE_PAGES, 1, phases_chase_run},
	{"shared", ZIPF_PAGES, 1, shared_run},
	{"loop_alone", LOOP_PAGES, 1, loop_alone_run},
	{"claimed", ZIPF_PAGES + LOOP_PAGES, 3, claimed_run},
};
const unsigned int workload_count = sizeof(workloads) / sizeof(workloads[0]);
