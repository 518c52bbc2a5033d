// SPDX-License-Identifier: BSD-2-Clause
/* Epochs of the peer: records with counters that follow from the numbers of epoch and context. */
#include <stdlib.h>
#include <string.h>

#include "peer.h"

#define PARTS_MAX 8

struct litemrc_epoch epoch_head;
uint32_t epoch_number;

static struct litemrc_part table[PARTS_MAX];
static _Alignas(8) uint8_t items[8192], record[sizeof(epoch_head) + sizeof(table) + sizeof(items)];
static size_t items_bytes;

void *epoch_part(uint32_t kind, uint32_t item_bytes, uint32_t count)
{
	struct litemrc_part *part = &table[epoch_head.parts++];
	uint8_t *at = items + items_bytes;

	*part = (struct litemrc_part){.kind = kind, .item_bytes = item_bytes, .items = count};
	items_bytes += litemrc_part_bytes(part);
	if (epoch_head.parts > PARTS_MAX || items_bytes > sizeof(items))
		abort();
	return memset(at, 0, litemrc_part_bytes(part));
}

static bool is_on(void)
{
	return settings[DEVICE_ENABLE].values[0];
}

/* counters_of() of link_messages.py computes the same counters. */
static void count(uint32_t context, uint32_t *counts)
{
	uint32_t accesses = epoch_number + context;

	for (uint32_t g = 0; g < GROUPS; g++) {
		counts[g] = (epoch_number * 7919 + context * 104729 + g * g) % 70001;
		accesses += counts[g];
	}
	counts[LITEMRC_ROW_MISSES(GROUPS)] = epoch_number + context;
	counts[LITEMRC_ROW_ACCESSES(GROUPS)] = accesses + (fault("nonsense") && epoch_number == FAULT_EPOCH);
	counts[LITEMRC_ROW_TOUCHED(GROUPS)] = epoch_number % 7 + context;
}

/* Of the contexts that counted or follow anything. */
static void add_rows(uint32_t contexts)
{
	size_t row_bytes = sizeof(struct litemrc_row) + (GROUPS + LITEMRC_ROW_WORDS) * sizeof(uint32_t);
	struct litemrc_row found[CONTEXTS] = {0};
	uint32_t rows = 0;
	char *at;

	for (uint32_t context = 0; context < CONTEXTS; context++) {
		found[rows].context = context;
		if (processes_fill(&found[rows]) || contexts >> context & 1)
			rows++;
	}
	at = epoch_part(LITEMRC_PART_ROWS, row_bytes, rows);
	for (struct litemrc_row *row = found; row < found + rows; row++, at += row_bytes) {
		memcpy(at, row, sizeof(*row));
		if (contexts >> row->context & 1)
			count(row->context, (uint32_t *)(at + sizeof(*row)));
	}
}

static void send_record(void)
{
	size_t table_bytes = epoch_head.parts * sizeof(table[0]);

	epoch_head.bytes = sizeof(epoch_head) + table_bytes + items_bytes;
	memcpy(record, &epoch_head, sizeof(epoch_head));
	memcpy(record + sizeof(epoch_head), table, table_bytes);
	memcpy(record + sizeof(epoch_head) + table_bytes, items, items_bytes);
	if (fault("hole") && epoch_number == FAULT_EPOCH)
		line_skip();
	else
		send_message(LITEMRC_MESSAGE_EPOCH, record, epoch_head.bytes);
}

void send_epoch(uint32_t contexts)
{
	bool split = settings[DEVICE_SPLIT].values[0];

	contexts = is_on() ? contexts | (split ? contexts << CONTEXTS / 2 : 0) : 0;
	epoch_head = (struct litemrc_epoch){
		.header_bytes = sizeof(epoch_head),
		.epoch = epoch_number,
		.flags = split ? LITEMRC_EPOCH_SPLIT : 0,
		.dropped = is_on() ? epoch_number % 3 : 0,
		.outside = is_on() ? 10 * epoch_number : 0,
		.unsampled = is_on() ? epoch_number % 11 : 0,
		.scale_log2 = settings[DEVICE_SAMPLING].values[0],
		.groups = GROUPS,
	};
	items_bytes = 0;
	add_rows(contexts);
	ranks_add(runs_running(&device));
	tasks_add(runs_context());
	refs_add(runs_context());
	pages_add();
	send_record();
	pages_send_queued();
	tasks_count_lease();
	epoch_number++;
	if (fault("restart") && epoch_number == FAULT_EPOCH) {
		epoch_number = 0;
		line_restart();
	}
}
