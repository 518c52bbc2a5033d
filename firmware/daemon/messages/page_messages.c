// SPDX-License-Identifier: BSD-2-Clause
#include "messages/page_messages.h"

#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/pages.h"
#include "messages/hosts.h"
#include "system/timing.h"

#define MESSAGE_QUEUED (sizeof(((struct litemrc_queued *)0)->frames) / sizeof(uint32_t))
#define TICK_MS 50	/* the driver's queue is not waited for by poll() */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a word of a bitmap has its bytes in the order of the link");

static struct page_messages selected;
static uint32_t accessed_from, hot_from;	/* first epochs that have them */
static bool always_on;
static uint32_t queued_sent, lost_seen;
static int64_t queue_due_ms;

static bool is_from(uint32_t epoch, uint32_t first)
{
	return (int32_t)(epoch - first) >= 0;
}

bool pages_has_bitmap(uint32_t epoch, struct bitmap *bitmap)
{
	return selected.accessed && is_from(epoch, accessed_from) && !bitmap_of(epoch, bitmap);
}

bool pages_has_hot(uint32_t epoch, struct hot_list *list)
{
	return selected.hot && is_from(epoch, hot_from) && !hot_list_of(epoch, list);
}

void pages_note_hot(void)
{
	uint32_t on = 0;

	hot_setting(HOT_ALWAYS_ON, &on);
	always_on = on;
}

/* ------------------------------------------------------------------------------------------------- queue */

static void send_queued(const uint32_t *frames, uint32_t count, bool overflow)
{
	struct litemrc_queued queued = {.index = queued_sent++, .overflow = overflow, .frames_count = count};

	memcpy(queued.frames, frames, count * sizeof(frames[0]));
	hosts_send(LITEMRC_MESSAGE_QUEUED, &queued, sizeof(queued));
}

/* Without room for the serial host the pages wait in the driver, which counts those that it loses. */
static void drain(void)
{
	static uint32_t frames[QUEUE_PAGES];
	uint32_t lost;
	int count;

	queue_due_ms = now_ms() + TICK_MS;
	if (!host_has_room_for(SERIAL, QUEUE_PAGES / MESSAGE_QUEUED * sizeof(struct litemrc_queued)))
		return;
	count = hot_queue(frames, &lost);
	for (int first = 0; first < count; first += (int)MESSAGE_QUEUED) {
		uint32_t left = count - first;

		send_queued(frames + first, left < MESSAGE_QUEUED ? left : MESSAGE_QUEUED, lost != lost_seen);
		lost_seen = lost;
	}
}

void pages_empty_queue(void)
{
	static uint32_t frames[QUEUE_PAGES];
	uint32_t lost;

	if (hot_queue(frames, &lost) >= 0)
		lost_seen = lost;
}

void pages_progress(void)
{
	if (always_on && now_ms() >= queue_due_ms)
		drain();
}

int pages_timeout_ms(void)
{
	int64_t left;

	if (!always_on)
		return -1;
	left = queue_due_ms - now_ms();
	return left > 0 ? left : 0;
}

/* -------------------------------------------------------------------------------------------- selection */

static uint32_t running_epoch(void)
{
	uint32_t epoch = 0;

	driver_number(SETTING_EPOCH, &epoch);
	return epoch;
}

int pages_select(struct page_messages wanted)
{
	int error = wanted.accessed != selected.accessed ? bitmap_keep(wanted.accessed) : 0;

	if (error)
		return error;
	if (!selected.accessed)
		accessed_from = running_epoch();
	if (!selected.hot)
		hot_from = running_epoch();
	selected = wanted;
	return 0;
}

struct page_messages pages_selected(void)
{
	return selected;
}

static void end(void)
{
	pages_select((struct page_messages){0});
}

void pages_init(void)
{
	pages_note_hot();
	if (parameters.hot_pages)
		pages_empty_queue();
	atexit(end);
}
