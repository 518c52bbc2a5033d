// SPDX-License-Identifier: BSD-2-Clause
#include "messages/rank_messages.h"

#include <string.h>

#include "driver/ranks.h"
#include "messages/hosts.h"

static uint32_t sent;

static void send_rank(const struct litemrc_epoch *record, uint32_t number)
{
	static struct device_message message;
	const struct litemrc_rank *counted = litemrc_epoch_rank(record, number);
	struct rank_body *rank = &message.rank;

	_Static_assert(sizeof(rank->counters) == sizeof(counted->counters), "counters");
	message.type_choice = device_message_type_rank_c;
	rank->index = sent++;
	rank->epoch = record->epoch;
	rank->remaining = record->ranks - number - 1;
	rank->domain = number;
	rank->clocks = counted->cycles;
	rank->state.power_state_choice = counted->state;
	rank->working = counted->working;
	rank->live_pages = counted->live_pages;
	rank->overflow.overflow = counted->flags & LITEMRC_RANK_OVERFLOW;
	rank->counters_count = sizeof(counted->counters) / sizeof(counted->counters[0]);
	memcpy(rank->counters, counted->counters, sizeof(counted->counters));
	hosts_send_epoch(&message);
}

void ranks_send(const struct litemrc_epoch *record)
{
	for (uint32_t number = 0; number < record->ranks; number++)
		send_rank(record, number);
}

void ranks_lose(uint32_t epochs)
{
	sent += epochs * dram.ranks;
}
