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
static uint32_t sent, lease;

static uint32_t resident_of(uint32_t task)
{
	return budgets[task] < MEMORY / TASKS ? budgets[task] : MEMORY / TASKS;
}

static void send_task(uint32_t epoch, uint32_t context, uint32_t task)
{
	static struct device_message message;
	uint32_t faults = (PAGES - resident_of(task)) / 10;

	message.type_choice = device_message_type_task_c;
	message.task = (struct task_body){
		.index = sent++,
		.epoch = epoch,
		.remaining = TASKS - 1 - task,
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
	send_message(&message);
}

void tasks_lift_budgets(struct device *of)
{
	for (uint32_t task = 0; task < TASKS; task++)
		budgets[task] = LITEMRC_NO_BUDGET;
}

static void send_end_of_lease(void)
{
	static const char line[] = "the lease ended";
	static struct device_message message;

	message.type_choice = device_message_type_log_c;
	message.log = (struct log_body){
		.level.log_level_choice = log_level_warning_c,
		.line.value = (const uint8_t *)line,
		.line.len = strlen(line),
	};
	send_message(&message);
}

void tasks_send(uint32_t epoch, int context)
{
	for (uint32_t task = 0; option.tasks && context >= 0 && task < TASKS; task++)
		send_task(epoch, context, task);
	if (lease && lease <= CYCLES_OF_EPOCH) {
		device_end_lease(&device);
		send_end_of_lease();
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
		return refuse(answer, error_code_busy_c, "");
	ANSWER(answer, budgets[task], resident_of(task));
	return 0;
}

int tasks_set_budget(enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	uint32_t task = task_in(values[0]);

	if (setting == DEVICE_RECLAIM)
		return refuse(answer, error_code_unsupported_c, "");
	if (task >= TASKS)
		return refuse(answer, error_code_busy_c, "");
	budgets[task] = values[1];
	return 0;
}
