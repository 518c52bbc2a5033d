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
static bool held;

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

static void lift_budgets(void)
{
	for (uint32_t task = 0; task < TASKS; task++)
		budgets[task] = LITEMRC_NO_BUDGET;
}

static void end_lease(void)
{
	static const char line[] = "the lease ended";
	static struct device_message message;

	lift_budgets();
	ranks_restore();
	held = false;
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
	if (lease && lease <= CYCLES_OF_EPOCH)
		end_lease();
	lease = lease > CYCLES_OF_EPOCH ? lease - CYCLES_OF_EPOCH : 0;
}

void tasks_begin(void)
{
	lift_budgets();
}

void tasks_lease(uint32_t cycles)
{
	lease = cycles;
	if (!cycles) {
		lift_budgets();
		ranks_restore();
	} else if (!held) {
		ranks_keep();
	}
	held = cycles;
	answer_values(cycles, 0, 0, 1);
}

int tasks_perform(const struct host_request *request, int running_context)
{
	bool set = request->type_choice == host_request_type_set_budget_c;
	uint32_t task = (set ? request->set_budget.context : request->get_budget.context) - running_context;

	if (!set && request->type_choice != host_request_type_get_budget_c)
		return error_code_unsupported_c;
	if (running_context < 0 || task >= TASKS)
		return error_code_busy_c;
	if (set)
		budgets[task] = request->set_budget.pages;
	answer_values(budgets[task], resident_of(task), 0, 2);
	return 0;
}
