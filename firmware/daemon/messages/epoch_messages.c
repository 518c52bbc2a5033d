// SPDX-License-Identifier: BSD-2-Clause
#include "messages/epoch_messages.h"

#include "driver/driver.h"
#include "driver/pages.h"
#include "messages/hosts.h"
#include "messages/page_messages.h"

#define PARTS_MAX 16
#define PAGE_PARTS 3

/* A record with more parts than the driver's: the pieces of the message. */
static struct litemrc_epoch head;
static struct litemrc_part table[PARTS_MAX];
static struct piece pieces[3 + 2 * PAGE_PARTS];
static unsigned int count;

size_t epochs_most(void)
{
	size_t bitmap = driver_has(LITEMRC_FEATURE_PAGE_BITMAP) ? parameters.frames / 8 + sizeof(uint64_t) : 0;

	return driver_record_bytes + PAGE_PARTS * sizeof(table[0]) + 2 * bitmap +
	       parameters.hot_pages * sizeof(struct litemrc_hot_page);
}

static void add_piece(const void *bytes, size_t length)
{
	pieces[count++] = (struct piece){bytes, length};
}

static void add_part(uint32_t kind, const void *items, uint32_t item_bytes, uint32_t number)
{
	static const uint64_t zeros;
	struct litemrc_part *part = &table[head.parts++];

	*part = (struct litemrc_part){.kind = kind, .item_bytes = item_bytes, .items = number};
	add_piece(items, number * item_bytes);
	add_piece(&zeros, litemrc_part_bytes(part) - number * item_bytes);
	head.bytes += sizeof(*part) + litemrc_part_bytes(part);
}

void epochs_send(const struct litemrc_epoch *record)
{
	const struct litemrc_part *parts = litemrc_parts(record);
	const char *behind = (const char *)(parts + record->parts);
	struct bitmap bitmap;
	struct hot_list list;

	if (record->parts + PAGE_PARTS > PARTS_MAX)
		return;
	head = *record;
	head.header_bytes = sizeof(head);
	head.bytes = record->bytes - (record->header_bytes - sizeof(head));
	for (unsigned int i = 0; i < record->parts; i++)
		table[i] = parts[i];
	count = 0;
	add_piece(&head, sizeof(head));
	add_piece(table, 0);
	add_piece(behind, (const char *)record + record->bytes - behind);
	if (pages_has_bitmap(record->epoch, &bitmap)) {
		add_part(LITEMRC_PART_ACCESSED, bitmap.accessed, sizeof(uint32_t), bitmap.words);
		add_part(LITEMRC_PART_WRITTEN, bitmap.written, sizeof(uint32_t), bitmap.words);
	}
	if (pages_has_hot(record->epoch, &list)) {
		add_part(LITEMRC_PART_HOT, list.pages, sizeof(struct litemrc_hot_page), list.count);
		head.hot_accesses = list.accesses;
		head.flags |= (list.more ? LITEMRC_EPOCH_HOT_MORE : 0) | (list.saturated ? LITEMRC_EPOCH_HOT_SATURATED : 0);
	}
	pieces[1].length = head.parts * sizeof(table[0]);
	hosts_send_record(pieces, count);
}
