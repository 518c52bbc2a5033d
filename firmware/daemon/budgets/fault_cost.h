/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of a fault on this machine: the time of a page's return from swap, with the eviction that it forces. A child in
 * a cgroup of its own writes to the pages of a loop that is twice as large as its memory.high, so that each write evicts
 * a page and fetches another. Half of each page is random, the other half is zero.
 */
#ifndef LITEMRCD_FAULT_COST_H
#define LITEMRCD_FAULT_COST_H

#include <stdint.h>

/* Times of a fault, each the mean over a block of faults, in ns. */
struct fault_cost {
	uint32_t blocks, faults;
	uint32_t low, median, high;	/* 10th, 50th and 90th percentile over the blocks */
};

/* Starts a measurement. Returns 0, -EBUSY while one runs, or -errno and the cause in *reason. */
int fault_cost_measure(const char **reason);

/* The last measurement. Returns 0, or -errno and the cause in *reason; -EBUSY: it runs; -EINVAL: there was none. */
int fault_cost_get(struct fault_cost *cost, const char **reason);

/* Takes the result of a child that ended, or ends one that takes too long. */
void fault_cost_progress(void);

/* Time until fault_cost_progress() must be called, in ms; -1: no limit. */
int fault_cost_timeout_ms(void);

/* Kills the child; when the daemon ends. */
void fault_cost_end(void);

#endif
