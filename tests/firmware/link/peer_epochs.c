// SPDX-License-Identifier: BSD-2-Clause
/* Epochs of the peer: messages with counters that follow from the numbers of epoch and context. */
#include "peer.h"

uint32_t epoch_messages, epoch_number;

/* counters_of() of link_messages.py computes the same counters. */
static void send_context(uint32_t of_context, uint32_t remaining)
{
	static struct device_message message;
	struct epoch_body *epoch = &message.epoch;
	bool enabled = settings[DEVICE_ENABLE].values[0];

	message.type_choice = device_message_type_epoch_c;
	*epoch = (struct epoch_body){
		.index = epoch_messages++,
		.epoch = epoch_number,
		.remaining = remaining,
		.context = of_context,
		.misses = epoch_number + of_context,
		.touched = epoch_number % 7 + of_context,
		.dropped = epoch_number % 3,
		.outside = 10 * epoch_number,
		.unsampled = epoch_number % 11,
		.scale_log2 = settings[DEVICE_SAMPLING].values[0],
		.split.split = settings[DEVICE_SPLIT].values[0],
		.hits_count = GROUPS,
	};
	if (!enabled)
		epoch->misses = epoch->touched = epoch->dropped = epoch->outside = epoch->unsampled = 0;
	epoch->accesses = epoch->misses;
	for (uint32_t g = 0; g < GROUPS && enabled; g++) {
		epoch->hits[g] = (epoch_number * 7919 + of_context * 104729 + g * g) % 70001;
		epoch->accesses += epoch->hits[g];
	}
	if (fault("nonsense") && epoch_number == FAULT_EPOCH)
		epoch->accesses++;
	send_message(&message);
}

void send_epoch(uint32_t contexts)
{
	if (!settings[DEVICE_ENABLE].values[0])
		contexts = 1;
	else if (settings[DEVICE_SPLIT].values[0])
		contexts |= contexts << CONTEXTS / 2;
	for (uint32_t of_context = 0; contexts >> of_context; of_context++)
		if (contexts >> of_context & 1)
			send_context(of_context, __builtin_popcount(contexts >> of_context) - 1);
	ranks_send(epoch_number, runs_running(&device));
	tasks_send(epoch_number, runs_context());
	refs_send(epoch_number, runs_context());
	pages_send(epoch_number);
	epoch_number++;
	if (fault("restart") && epoch_number == FAULT_EPOCH) {
		epoch_messages = 0;
		line_restart();
	}
}
