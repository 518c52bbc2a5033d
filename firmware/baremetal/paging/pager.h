/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page replacement for tasks that have more pages than there are frames: CLOCK, a budget for each task, and a slow
 * region that holds evicted pages.
 *
 * Every page has a fixed address in memory, used while the page is resident, and another in the slow region. Its page
 * number is therefore the same whenever it is resident, and the monitor's stack retains evicted pages, as a kernel's
 * shadow entries do; without that no curve would reach beyond the frames of a task. Data are copied at every fault and
 * eviction, while the monitor is disabled.
 */
#ifndef LITEMRC_PAGER_H
#define LITEMRC_PAGER_H

#include <stdbool.h>
#include <stdint.h>

#define PAGER_MEMORY 1024u	/* frames */
#define PAGER_PAGES 3000u	/* maximum of all tasks together */
#define PAGER_OWNERS 2u
#define PAGER_DATA_BYTES 1024u	/* of a page that hold data and are copied */
#define PAGER_NO_BUDGET UINT32_MAX

struct pager_owner {
	uint32_t first, pages;		/* of this owner */
	volatile uint32_t budget;	/* frames guaranteed; set in interrupts, like reclaim */
	volatile uint32_t reclaim;	/* frames to be given back now */
	uint32_t resident;
	uint32_t faults, zero_fills, writes, damaged;	/* free running */
};

extern struct pager_owner pager_owners[PAGER_OWNERS];

enum pager_state { PAGER_IN, PAGER_OUT, PAGER_FRESH };

/* Starts with no page resident; owner i has `pages[i]` pages. */
void pager_init(uint8_t *memory, const uint32_t pages[PAGER_OWNERS]);

/* Where a page is; fresh: never used before. */
enum pager_state pager_state(uint32_t page);

/* Returns the data of a resident page and marks it as used. */
uint8_t *pager_use(uint32_t page, bool write);

/*
 * Makes a page resident, with its data or, if fresh, with zeros. Budgets are guarantees, not limits: free frames are
 * first come, first served. Once there are none, CLOCK evicts a page of the owners that are above their budget, the
 * faulting owner counted with this page. Returns the number of pages written to the slow region.
 */
uint32_t pager_bring_in(uint32_t owner, uint32_t page);

/* Evicts the pages that owners are to give back. Returns the number of pages written. */
uint32_t pager_reclaim(void);

#endif
