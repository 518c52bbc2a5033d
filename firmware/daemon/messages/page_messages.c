// SPDX-License-Identifier: BSD-2-Clause
#include "messages/page_messages.h"

#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/pages.h"
#include "messages/hosts.h"
#include "system/timing.h"

#define MESSAGE_WORDS (LITEMRC_ACCESSED_FRAMES / LITEMRC_BITMAP_FRAMES)
#define PLACES(body) (sizeof(((struct body *)0)->frames) / sizeof(uint32_t))
#define MESSAGE_HOT_PAGES PLACES(hot_body)
#define MESSAGE_QUEUED PLACES(queued_body)
#define QUEUED_ROOM 8	/* in messages of maximum length: those of QUEUE_PAGES are shorter */
#define TICK_MS 50	/* the driver's queue is not waited for by poll() */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a word of a bitmap has its bytes in the order of the link");
_Static_assert(QUEUED_ROOM * LITEMRC_FRAME_MAX >= QUEUE_PAGES / MESSAGE_QUEUED * (5 * MESSAGE_QUEUED + 40), "queued");

/* Messages of a kind: those of epochs from `first` on. */
static struct kind {
	bool selected;
	uint32_t first, sent;
} accessed, hot;
static struct {
	bool on;	/* hot pages, in the epochs from `since` on; the opposite in those before */
	uint32_t since;
	bool always_on;
} counting;
static uint32_t queued_sent, lost_seen;
static int64_t queue_due_ms;
static struct device_message message;

static uint32_t least(uint32_t one, uint32_t other)
{
	return one < other ? one : other;
}

static uint32_t messages_for(uint32_t items, uint32_t of_a_message)
{
	return items ? (items + of_a_message - 1) / of_a_message : 1;
}

uint32_t pages_most(void)
{
	return (driver_has(LITEMRC_FEATURE_PAGE_BITMAP) ? messages_for(parameters.frames, LITEMRC_ACCESSED_FRAMES) : 0) +
	       (parameters.hot_pages ? messages_for(parameters.hot_pages, MESSAGE_HOT_PAGES) : 0);
}

/* ---------------------------------------------------------------------------------------------- accessed */

/* Bytes of the bits of a message, up to the last one that is not 0. */
static struct zcbor_string bits_of(const uint32_t *words, const struct bitmap *bitmap, uint32_t first)
{
	struct zcbor_string bits = {.value = (const uint8_t *)(words + first)};

	for (bits.len = sizeof(uint32_t) * least(MESSAGE_WORDS, bitmap->words - first); bits.len; bits.len--)
		if (bits.value[bits.len - 1])
			break;
	return bits;
}

static uint32_t count_accessed(const struct bitmap *bitmap)
{
	uint32_t messages = 0;

	for (uint32_t first = 0; first < bitmap->words; first += MESSAGE_WORDS)
		messages += !!bits_of(bitmap->accessed, bitmap, first).len;
	return messages ? messages : 1;
}

static void send_accessed(uint32_t epoch, const struct bitmap *bitmap)
{
	uint32_t remaining = count_accessed(bitmap), piece = 0;

	if (!hosts_begin_pages(remaining)) {
		accessed.sent += remaining;
		return;
	}
	for (uint32_t first = 0; remaining; first += MESSAGE_WORDS) {
		bool last = first + MESSAGE_WORDS >= bitmap->words;
		struct zcbor_string bits = bits_of(bitmap->accessed, bitmap, first);

		if (!bits.len && !last)
			continue;
		message.type_choice = device_message_type_accessed_c;
		message.accessed = (struct accessed_body){
			.index = accessed.sent++,
			.epoch = epoch,
			.piece = piece++,
			.remaining = --remaining,
			.first = bits.len ? first * LITEMRC_BITMAP_FRAMES : 0,
			.accessed = bits,
			.written.written = bits_of(bitmap->written, bitmap, first),
		};
		hosts_send_epoch(&message);
	}
}

/* --------------------------------------------------------------------------------------------------- hot */

static void send_hot(uint32_t epoch, const struct hot_list *list)
{
	uint32_t messages = messages_for(list->count, MESSAGE_HOT_PAGES);
	struct hot_body *body = &message.hot;

	if (!hosts_begin_pages(messages)) {
		hot.sent += messages;
		return;
	}
	for (uint32_t piece = 0; piece < messages; piece++) {
		const uint32_t *pages = list->pages + 2 * MESSAGE_HOT_PAGES * piece;

		message.type_choice = device_message_type_hot_c;
		body->index = hot.sent++;
		body->epoch = epoch;
		body->piece = piece;
		body->remaining = messages - piece - 1;
		body->accesses = list->accesses;
		body->more.more = list->more;
		body->saturated.saturated = list->saturated;
		body->frames_count = least(list->count - MESSAGE_HOT_PAGES * piece, MESSAGE_HOT_PAGES);
		body->counts_count = body->frames_count;
		for (uint32_t i = 0; i < body->frames_count; i++) {
			body->frames[i] = pages[2 * i];
			body->counts[i] = pages[2 * i + 1];
		}
		hosts_send_epoch(&message);
	}
}

static uint32_t running_epoch(void)
{
	uint32_t epoch = 0;

	driver_numbers(SETTING_EPOCH, &epoch, 1);
	return epoch;
}

void pages_note_hot(void)
{
	uint32_t on = 0, always_on = 0;

	hot_setting(HOT_ENABLE, &on);
	hot_setting(HOT_ALWAYS_ON, &always_on);
	if (on != counting.on) {
		counting.on = on;
		counting.since = running_epoch();
	}
	counting.always_on = always_on;
}

/* ------------------------------------------------------------------------------------------------ epochs */

static uint32_t later(uint32_t one, uint32_t other)
{
	return (int32_t)(one - other) > 0 ? one : other;
}

/* How many of the `count` epochs before `end` are `first` or later. */
static uint32_t epochs_from(uint32_t first, uint32_t end, uint32_t count)
{
	return (int32_t)(end - first) > 0 ? least(end - first, count) : 0;
}

/* How many of them have hot messages. */
static uint32_t hot_epochs(uint32_t end, uint32_t count)
{
	uint32_t since = epochs_from(later(hot.first, counting.since), end, count);

	return counting.on ? since : epochs_from(hot.first, end, count) - since;
}

void pages_lose(uint32_t end, uint32_t count)
{
	if (accessed.selected)
		accessed.sent += epochs_from(accessed.first, end, count);
	if (hot.selected)
		hot.sent += hot_epochs(end, count);
}

void pages_send(uint32_t epoch)
{
	struct bitmap bitmap;
	struct hot_list list;

	if (accessed.selected && epochs_from(accessed.first, epoch + 1, 1)) {
		if (bitmap_of(epoch, &bitmap))
			accessed.sent++;
		else
			send_accessed(epoch, &bitmap);
	}
	if (hot.selected && epochs_from(hot.first, epoch + 1, 1)) {
		bool has = !hot_list_of(epoch, &list);

		if (has != counting.on)
			pages_note_hot();	/* another program may have turned them on or off */
		if (has)
			send_hot(epoch, &list);
		else
			hot.sent += hot_epochs(epoch + 1, 1);
	}
}

/* ------------------------------------------------------------------------------------------------- queue */

static void send_queued(const uint32_t *frames, uint32_t count, bool overflow)
{
	message.type_choice = device_message_type_queued_c;
	message.queued.index = queued_sent++;
	message.queued.overflow.overflow = overflow;
	message.queued.frames_count = count;
	memcpy(message.queued.frames, frames, count * sizeof(frames[0]));
	hosts_send_epoch(&message);
}

/* Without room for the serial host the pages wait in the driver, which counts those that it loses. */
static void drain(void)
{
	static uint32_t frames[QUEUE_PAGES];
	uint32_t lost;
	int count;

	queue_due_ms = now_ms() + TICK_MS;
	hosts_begin_between(QUEUED_ROOM);
	if (!host_takes(SERIAL))
		return;
	count = hot_queue(frames, &lost);
	for (int first = 0; first < count; first += (int)MESSAGE_QUEUED) {
		send_queued(frames + first, least(count - first, MESSAGE_QUEUED), lost != lost_seen);
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
	if (counting.always_on && now_ms() >= queue_due_ms)
		drain();
}

int pages_timeout_ms(void)
{
	int64_t left = queue_due_ms - now_ms();

	if (!counting.always_on)
		return -1;
	return left > 0 ? left : 0;
}

/* -------------------------------------------------------------------------------------------- selection */

static void select_kind(struct kind *kind, bool on)
{
	if (on && !kind->selected)
		kind->first = running_epoch();
	kind->selected = on;
}

int pages_select(struct page_messages wanted)
{
	int error = wanted.accessed != accessed.selected ? bitmap_keep(wanted.accessed) : 0;

	if (error)
		return error;
	pages_note_hot();
	select_kind(&accessed, wanted.accessed);
	select_kind(&hot, wanted.hot);
	return 0;
}

struct page_messages pages_selected(void)
{
	return (struct page_messages){accessed.selected, hot.selected};
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
