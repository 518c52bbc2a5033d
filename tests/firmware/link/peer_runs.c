// SPDX-License-Identifier: BSD-2-Clause
/* The peer's programs: each runs for some epochs. */
#include "peer.h"

#define EPOCHS_OF_RUN 3	/* times scale */

static struct {
	uint32_t context, scale, epochs_left;
} runs[WORKLOADS];

uint32_t runs_running(struct device *of)
{
	uint32_t mask = 0;

	for (int i = 0; i < WORKLOADS; i++)
		mask |= (runs[i].epochs_left != 0) << i;
	return mask;
}

bool runs_in(uint32_t in_context)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left && runs[i].context == in_context)
			return true;
	return false;
}

uint32_t runs_contexts(void)
{
	uint32_t contexts = option.system; /* the kernel's */

	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left)
			contexts |= (option.tasks ? 3u : 1u) << runs[i].context;
	return contexts;
}

int runs_context(void)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left)
			return runs[i].context;
	return -1;
}

static void send_event(int kind, uint32_t program, uint64_t cycles)
{
	const struct litemrc_event event = {
		.kind = kind, .workload = program, .context = runs[program].context, .epoch = epoch_number, .cycles = cycles,
	};

	send_message(LITEMRC_MESSAGE_EVENT, &event, sizeof(event));
}

int runs_start(struct device *of, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer)
{
	if (option.system ? runs[program].epochs_left || !processes_start(context) : runs_running(of))
		return refuse(answer, LITEMRC_ERROR_BUSY, "");
	tasks_lift_budgets(of);
	runs[program].context = context;
	runs[program].scale = scale;
	runs[program].epochs_left = EPOCHS_OF_RUN * scale;
	send_event(LITEMRC_EVENT_KIND_WORKLOAD_STARTED, program, 0);
	return 0;
}

void runs_proceed(void)
{
	uint32_t contexts = runs_contexts();
	bool ends[WORKLOADS];

	for (int i = 0; i < WORKLOADS; i++) {
		ends[i] = runs[i].epochs_left == 1;
		if (runs[i].epochs_left)
			processes_name(runs[i].context, device.parameters.program_names[i]);
		if (ends[i])
			processes_end(runs[i].context);
	}
	send_epoch(contexts);
	for (int i = 0; i < WORKLOADS; i++) {
		runs[i].epochs_left -= runs[i].epochs_left != 0;
		if (ends[i])
			send_event(LITEMRC_EVENT_KIND_WORKLOAD_DONE, i, 1000 * runs[i].scale);
	}
}
