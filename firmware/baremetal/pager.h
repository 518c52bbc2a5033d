/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames for the pages of a few tasks, fewer than pages: CLOCK replacement under a budget for each task, and a slow
 * region that keeps the pages that are out.
 *
 * In memory a page has a place of its own, which counts only while it has a frame, and another in the slow region. So
 * its number is the same whenever it is in, and the monitor's stack goes on knowing pages that are out, as a kernel's
 * shadow entries do: without that no curve would reach beyond the frames a task has. Data do move: a page comes in and
 * goes out by a copy of its data, unseen by the monitor.
 */
#ifndef LITEMRC_PAGER_H
#define LITEMRC_PAGER_H

#include <stdbool.h>
#include <stdint.h>

#define PAGER_MEMORY 1024u	/* frames */
#define PAGER_PAGES 3000u	/* at most, of all tasks together */
#define PAGER_OWNERS 2u
#define PAGER_DATA_BYTES 1024u	/* of a page hold data; to copy the rest would only cost time */
#define PAGER_NO_BUDGET UINT32_MAX

struct pager_owner {
	uint32_t first, pages;		/* which are its own */
	volatile uint32_t budget;	/* set in interrupts, as reclaim */
	volatile uint32_t reclaim;	/* frames it is to give back now */
	uint32_t resident;
	uint32_t faults, zero_fills, writes, damaged;	/* free running */
};

extern struct pager_owner pager_owners[PAGER_OWNERS];

enum pager_state { PAGER_IN, PAGER_OUT, PAGER_FRESH };

/* No page is in; each owner gets `pages[owner]` of them. */
void pager_init(uint8_t *memory, const uint32_t pages[PAGER_OWNERS]);

/* Where a page is; fresh: it was never in. */
enum pager_state pager_state(uint32_t page);

/* Of a page that is in: its data, about to be used. */
uint8_t *pager_use(uint32_t page, bool write);

/*
 * Gives a page a frame, and its bytes back, or zeros to a fresh one. A budget is what an owner has a right to: while
 * frames are free, anybody takes them; then those give who have more than their budget, or would have with this page;
 * whose page it is, CLOCK finds. Returns how many pages were written to the slow region for that.
 */
uint32_t pager_bring_in(uint32_t owner, uint32_t page);

/* Takes as many frames from owners as they are to give back. Returns the pages written. */
uint32_t pager_reclaim(void);

#endif
