// SPDX-License-Identifier: BSD-2-Clause
/*
 * The pager of the peer program, with tasks=1: while a program runs, two tasks, in its context and the next one. What a
 * task does follows from its budget: a tenth of the pages it lacks of 1000 are faults, each takes 1000 clock cycles.
 * A lease counts epochs of 1,000,000 cycles. A program begins without budgets.
 */
#include <string.h>

#include "peer.h"

#define MEMORY 1024u
#define PAGES 1000u
#define REFERENCES 2000u
#define CYCLES_OF_FAULT 1000u
#define CYCLES_OF_EPOCH 1000000u

static uint32_t budgets[TASKS] = {LITEMRC_NO_BUDGET, LITEMRC_NO_BUDGET};
static uint32_t lease;

static uint32_t resident_of(uint32_t task)
{
	return budgets[task] < MEMORY / TASKS ? budgets[task] : MEMORY / TASKS;
}

void tasks_add(int context)
{
	struct litemrc_task *tasks;

	if (!option.tasks || context < 0)
		return;
	tasks = epoch_part(LITEMRC_PART_TASKS, sizeof(*tasks), TASKS);
	for (uint32_t task = 0; task < TASKS; task++) {
		uint32_t faults = (PAGES - resident_of(task)) / 10;

		tasks[task] = (struct litemrc_task){
			.context = context + task,
			.memory = MEMORY,
			.budget = budgets[task],
			.resident = resident_of(task),
			.references = REFERENCES,
			.faults = faults,
			.writes = task,
			.iterations = 2,
			.response = (uint64_t)faults * CYCLES_OF_FAULT,
		};
	}
}

void tasks_lift_budgets(struct device *of)
{
	for (uint32_t task = 0; task < TASKS; task++)
		budgets[task] = LITEMRC_NO_BUDGET;
}

void tasks_count_lease(void)
{
	static const struct litemrc_log ended = {.level = LITEMRC_LOG_WARNING, .line = "the lease ended"};

	if (lease && lease <= CYCLES_OF_EPOCH) {
		device_end_lease(&device);
		send_message(LITEMRC_MESSAGE_LOG, &ended, sizeof(ended));
	}
	lease = lease > CYCLES_OF_EPOCH ? lease - CYCLES_OF_EPOCH : 0;
}

void tasks_lease(struct device *of, uint32_t cycles)
{
	lease = cycles;
}

/* Without a program the number is beyond all tasks. */
static uint32_t task_in(uint32_t context)
{
	int running = runs_context();

	return running < 0 ? TASKS : context - running;
}

int tasks_get_budget(uint32_t context, struct answer *answer)
{
	uint32_t task = task_in(context);

	if (task >= TASKS)
		return refuse(answer, LITEMRC_ERROR_BUSY, "");
	ANSWER(answer, budgets[task], resident_of(task));
	return 0;
}

int tasks_set_budget(enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	uint32_t task = task_in(values[0]);

	if (setting == DEVICE_RECLAIM)
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, "");
	if (task >= TASKS)
		return refuse(answer, LITEMRC_ERROR_BUSY, "");
	budgets[task] = values[1];
	return 0;
}
