// SPDX-License-Identifier: BSD-2-Clause
#include "messages/epoch_messages.h"

#include <string.h>

#include "driver/driver.h"
#include "driver/record.h"
#include "messages/hosts.h"
#include "messages/page_messages.h"
#include "messages/rank_messages.h"

_Static_assert(sizeof(((struct epoch_body *)0)->tail.tail) == LITEMRC_TAIL_GROUPS_MAX * sizeof(uint32_t), "tail");

static uint32_t sent, lost;

static uint32_t accesses_of(const struct litemrc_epoch *record, uint32_t context)
{
	return litemrc_epoch_row(record, context)[LITEMRC_ROW_ACCESSES(record->groups)];
}

/* A refault may be counted an epoch before the access that it causes. */
static bool has_counts(const struct litemrc_epoch *record, uint32_t context)
{
	const struct litemrc_context *followed = litemrc_epoch_context(record, context);

	return accesses_of(record, context) || followed->refaults || followed->unidentified;
}

/* Fills in what the driver knows of evicted pages; a record without a tail has tail_groups 0. */
static void fill_tail(struct epoch_body *epoch, const struct litemrc_epoch *record, uint32_t context)
{
	const struct litemrc_context *followed = litemrc_epoch_context(record, context);
	const uint32_t *tail = litemrc_epoch_row(record, context) + LITEMRC_ROW_TAIL(record->groups);
	uint32_t groups = record->tail_groups;

	while (groups && !tail[groups - 1])
		groups--;
	epoch->resident.resident = followed->resident;
	epoch->evicted.evicted = followed->evicted;
	epoch->unidentified.unidentified = followed->unidentified;
	epoch->tail.tail_count = groups;
	memcpy(epoch->tail.tail, tail, groups * sizeof(tail[0]));
}

static void send_context(const struct litemrc_epoch *record, uint32_t context, uint32_t remaining)
{
	static struct device_message message;
	struct epoch_body *epoch = &message.epoch;
	const uint32_t *row = litemrc_epoch_row(record, context);

	message.type_choice = device_message_type_epoch_c;
	epoch->index = sent++;
	epoch->epoch = record->epoch;
	epoch->remaining = remaining;
	epoch->context = context;
	epoch->accesses = row[LITEMRC_ROW_ACCESSES(record->groups)];
	epoch->misses = row[LITEMRC_ROW_MISSES(record->groups)];
	epoch->touched = row[LITEMRC_ROW_TOUCHED(record->groups)];
	epoch->dropped = record->dropped;
	epoch->outside = record->outside;
	epoch->unsampled = record->unsampled;
	epoch->scale_log2 = record->scale_log2;
	epoch->overflow.overflow = record->flags & LITEMRC_EPOCH_OVERFLOW;
	epoch->split.split = record->flags & LITEMRC_EPOCH_SPLIT;
	epoch->hits_count = record->groups;
	memcpy(epoch->hits, row, record->groups * sizeof(row[0]));
	fill_tail(epoch, record, context);
	hosts_send_epoch(&message);
}

void epochs_send(const struct litemrc_epoch *record)
{
	uint32_t used = 0, messages;

	for (uint32_t context = 0; context < record->contexts; context++)
		used += has_counts(record, context);
	messages = used ? used : 1;

	/* An epoch lost in the driver had at least one message. */
	sent += record->lost;
	lost += record->lost;
	ranks_lose(record->lost);
	pages_lose(record->epoch, record->lost);
	if (!hosts_begin_epoch(messages + record->ranks)) {
		sent += messages;
		lost += messages;
		ranks_lose(1);
		pages_lose(record->epoch + 1, 1);
		return;
	}
	if (!host_takes(SERIAL))
		lost += messages;
	if (!used)
		send_context(record, 0, 0);
	for (uint32_t context = 0; used; context++)
		if (has_counts(record, context))
			send_context(record, context, --used);
	ranks_send(record);
	pages_send(record->epoch);
}

uint32_t epochs_sent(void)
{
	return sent;
}

uint32_t epochs_lost(void)
{
	return lost;
}
