// SPDX-License-Identifier: BSD-2-Clause
/* The peer's programs: each runs for some epochs. */
#include "peer.h"

#define EPOCHS_OF_RUN 3	/* times scale */

const char *const workloads[WORKLOADS] = {"zipf", "loop"};

static struct {
	struct run_body order;
	uint32_t epochs_left;
} runs[WORKLOADS];

uint32_t runs_running(void)
{
	uint32_t mask = 0;

	for (int i = 0; i < WORKLOADS; i++)
		mask |= (runs[i].epochs_left != 0) << i;
	return mask;
}

bool runs_in(uint32_t in_context)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left && runs[i].order.context == in_context)
			return true;
	return false;
}

int runs_context(void)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left)
			return runs[i].order.context;
	return -1;
}

static void send_event(int kind, const struct run_body *run, uint64_t cycles)
{
	static struct device_message message;

	message.type_choice = device_message_type_event_c;
	message.event = (struct event_body){
		.kind.event_kind_choice = kind,
		.workload = run->workload,
		.context = run->context,
		.cycles.cycles = cycles,
		.epoch_messages = epoch_messages,
	};
	send_message(&message);
}

int runs_start(const struct run_body *order)
{
	if (order->workload >= WORKLOADS || order->context >= CONTEXTS || !order->scale)
		return error_code_bad_argument_c;
	if (option.system ? runs[order->workload].epochs_left || !processes_start(order->context) : runs_running())
		return error_code_busy_c;
	tasks_begin();
	runs[order->workload].order = *order;
	runs[order->workload].epochs_left = EPOCHS_OF_RUN * order->scale;
	send_event(event_kind_workload_started_c, order, 0);
	return 0;
}

void runs_proceed(void)
{
	uint32_t contexts = option.system; /* the kernel's */

	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left) {
			processes_name(runs[i].order.context, workloads[i]);
			contexts |= (option.tasks ? 3u : 1u) << runs[i].order.context;
		}
	send_epoch(contexts);
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left && --runs[i].epochs_left == 0) {
			processes_end(runs[i].order.context);
			send_event(event_kind_workload_done_c, &runs[i].order, 1000 * runs[i].order.scale);
		}
}
