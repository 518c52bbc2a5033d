/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's registers and window, as functions. */
#ifndef LITEMRC_MONITOR_H
#define LITEMRC_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <hw/common.h>

#include "litemrc_regs.h"

struct monitor_parameters {
	uint32_t version, page_shift, frames_log2, frames, pages, groups, contexts, queue_depth, engine, recent_pages, ranks;
	bool page_bitmap;
	uint32_t hot_pages;	/* on the list at most; 0: no list, and no registers of hot pages */
};

static inline uint32_t monitor_read(uint32_t offset)
{
	return csr_read_simple(CSR_MRC_BASE + offset);
}

static inline void monitor_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_MRC_BASE + offset);
}

static inline bool monitor_status(uint32_t mask)
{
	return monitor_read(LITEMRC_STATUS) & mask;
}

struct monitor_parameters monitor_parameters(void);

/* Sets the bits of `mask` in the control register to those of `value`. */
void monitor_control(uint32_t mask, uint32_t value);

/* Enables the interrupts of `mask` (LITEMRC_EV_ENABLE_*) that are in `on`. */
void monitor_interrupts(uint32_t mask, uint32_t on);

/* Contexts that own pages: half of them while writes count apart. */
uint32_t monitor_owners(uint32_t contexts);

/* Both wait until the queue has taken the commands: they precede all later accesses. */
void monitor_invalidate(uint32_t first, uint32_t count);
void monitor_clear(void);

/*
 * Disables the monitor and waits until it is idle, so that range and sampling may change. Returns the control register
 * for monitor_resume().
 */
uint32_t monitor_quieten(void);
void monitor_resume(uint32_t control);

/* log2 of the pages of memory that one page of the stacks represents. */
uint32_t monitor_scale_log2(void);

/* A word of the window: the finished epoch's counters (see litemrc_regs.h). */
static inline uint32_t monitor_window(uint32_t groups, uint32_t context, uint32_t word)
{
	const volatile uint32_t *window = (const volatile uint32_t *)MRC_WINDOW_BASE;

	return window[context * LITEMRC_WINDOW_ROW(groups) + word];
}

#endif
