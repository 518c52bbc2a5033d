/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two tasks that share one processor in time slices, the frames of the pager, and one disk for evicted pages. The disk
 * serves one request at a time; the other task runs meanwhile. After Zhou et al. 2004, section 4.2.1.
 */
#ifndef LITEMRC_TASKS_H
#define LITEMRC_TASKS_H

#include <stdint.h>

#include "litemrc_uapi.h"
#include "paging/pager.h"

/* Time slice of a task, and times of the disk to read and to write a page, in cycles. */
struct task_machine {
	uint32_t slice_cycles, read_cycles, write_cycles;
};

/* One iteration of a task: `touches` touches of pages, then sleep. */
struct task_program {
	uint32_t pages, touches, sleep_cycles;
	uint32_t iterations;			/* 0: until the other task ends */
	uint32_t (*page)(uint32_t touch);	/* page of a touch, by its number in the iteration */
	bool writes;				/* every touch writes one line */
};

/* Runs both tasks until one has done its iterations. Their contexts are `context` and `context + 1`. */
void tasks_run(const struct task_machine *machine, const struct task_program programs[PAGER_OWNERS], uint8_t *memory,
	       uint32_t context);

/* Number of tasks in a record. */
uint32_t tasks_count(void);

/* Fills in the counts of a task since the previous call. */
void tasks_fill(struct litemrc_task *task, uint32_t number);

/* Returns the pager's owner of the task that runs in a context; NULL: none. */
struct pager_owner *tasks_owner(uint32_t context);

#endif
