/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two tasks in turns on one processor and in the frames of the pager, with one disk for pages that are out: it serves
 * one request after the other, and meanwhile the other task runs. After Zhou et al. 2004, section 4.2.1.
 */
#ifndef LITEMRC_TASKS_H
#define LITEMRC_TASKS_H

#include <stdint.h>

#include "frame.h"
#include "pager.h"

/* Longest turn of a task, and what the disk takes to read and to write a page, in clock cycles. */
struct task_machine {
	uint32_t slice_cycles, read_cycles, write_cycles;
};

/* What a task does, over and over: so many touches of pages, then sleep. */
struct task_program {
	uint32_t pages, touches, sleep_cycles;
	uint32_t iterations;			/* 0: until the other one ends */
	uint32_t (*page)(uint32_t touch);	/* of the touch of that number in an iteration */
	bool writes;				/* a line in every touch */
};

/* Runs both until one that counts its iterations has done them; contexts are `context` and the next one. */
void tasks_run(const struct task_machine *machine, const struct task_program programs[PAGER_OWNERS], uint8_t *memory,
	       uint32_t context);

/* Tasks that there are messages about. */
uint32_t tasks_count(void);

/* Fills in what a task did since the last time. */
void tasks_fill(struct task_body *message, uint32_t number);

/* What the pager has of the task that runs in a context; NULL: none does. */
struct pager_owner *tasks_owner(uint32_t context);

#endif
