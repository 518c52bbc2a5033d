// SPDX-License-Identifier: BSD-2-Clause
#include "epochs.h"

#include <generated/soc.h>
#include <irq.h>
#include <string.h>

#include "alarm.h"
#include "link.h"
#include "monitor.h"
#include "paging/replication.h"
#include "paging/tasks.h"
#include "ranks.h"
#include "uptime.h"

#define PIECE 128u	/* bytes for which there must be room */
#define PARTS_MAX 7
#define ROW_HEAD (sizeof(struct litemrc_row) / sizeof(uint32_t))
#define FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)

/* What an epoch was counted with. A later clear changes LITEMRC_HOT_STATUS. */
struct epoch_settings {
	uint32_t scale_log2, hot_status;
	bool split, hot;
};

static volatile uint32_t complete;	/* number of the first epoch that was not sent */
static struct epoch_settings kept;	/* of the epoch in the window, if changed since */
static bool settings_kept;
static uint64_t sent_at;	/* uptime when the last epoch was sent */
static bool resting;	/* until the alarm */
static uint32_t queued_sent;

/* The record that is being sent, up to a word of an item of a part. */
static struct {
	bool begun;
	struct epoch_settings settings;
	uint32_t parts, part, item, word;
	struct litemrc_part table[PARTS_MAX];
	union {
		struct litemrc_row row;
		struct litemrc_rank rank;
		struct litemrc_task task;
		struct litemrc_copies copies;
		uint32_t words[24];
	} found;	/* the item, or what is before the counts of a row */
} sending;

static void end_rest(void)
{
	resting = false;
	monitor_interrupts(LITEMRC_EV_ENABLE_EPOCH, LITEMRC_EV_ENABLE_EPOCH);
}

void epochs_init(void (*on_ready)(void))
{
	alarm_init(ALARM_EPOCHS, end_rest);
	irq_attach(MRC_INTERRUPT, on_ready);
	irq_setmask(irq_getmask() | (1 << MRC_INTERRUPT));
	end_rest();
}

static struct epoch_settings present_settings(void)
{
	bool has_hot = PARAMETERS->hot_pages;

	return (struct epoch_settings){
		.scale_log2 = monitor_read(LITEMRC_SCALE) & LITEMRC_SCALE_SCALE_LOG2,
		.split = monitor_read(LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT,
		.hot = has_hot && monitor_read(LITEMRC_HOT_CONTROL) & LITEMRC_HOT_CONTROL_ENABLE,
		.hot_status = has_hot ? monitor_read(LITEMRC_HOT_STATUS) : 0,
	};
}

/* ------------------------------------------------------------------------------------------- the record */

static const volatile uint32_t *counts_of(uint32_t context)
{
	return MONITOR_WINDOW + context * LITEMRC_WINDOW_ROW(PARAMETERS->groups);
}

static uint32_t accesses_of(uint32_t context)
{
	return counts_of(context)[LITEMRC_WINDOW_ACCESSES(PARAMETERS->groups)];
}

static uint32_t rows(void)
{
	uint32_t used = 0;

	for (uint32_t context = 0; context < PARAMETERS->contexts; context++)
		used += accesses_of(context) != 0;
	return used;
}

static void add_part(uint32_t kind, uint32_t item_bytes, uint32_t items)
{
	sending.table[sending.parts++] = (struct litemrc_part){.kind = kind, .item_bytes = item_bytes, .items = items};
}

static void list_parts(void)
{
	uint32_t bitmap_words = PARAMETERS->frames / LITEMRC_BITMAP_FRAMES;

	sending.parts = 0;
	add_part(LITEMRC_PART_ROWS, 4 * (ROW_HEAD + PARAMETERS->groups + LITEMRC_ROW_WORDS), rows());
	if (ranks_domains())
		add_part(LITEMRC_PART_RANKS, sizeof(struct litemrc_rank), ranks_domains());
	if (tasks_count())
		add_part(LITEMRC_PART_TASKS, sizeof(struct litemrc_task), tasks_count());
	if (replication_reports())
		add_part(LITEMRC_PART_COPIES, sizeof(struct litemrc_copies), 1);
	if (registers.accessed_messages) {
		add_part(LITEMRC_PART_ACCESSED, 4, bitmap_words);
		add_part(LITEMRC_PART_WRITTEN, 4, bitmap_words);
	}
	if (registers.hot_messages && sending.settings.hot)
		add_part(LITEMRC_PART_HOT, sizeof(struct litemrc_hot_page), FIELD(sending.settings.hot_status, HOT_STATUS_LISTED));
}

static uint32_t flags(void)
{
	const struct epoch_settings *settings = &sending.settings;

	return (monitor_status(LITEMRC_STATUS_OVERFLOW) ? LITEMRC_EPOCH_OVERFLOW : 0) |
	       (settings->split ? LITEMRC_EPOCH_SPLIT : 0) |
	       (settings->hot && settings->hot_status & LITEMRC_HOT_STATUS_MORE ? LITEMRC_EPOCH_HOT_MORE : 0) |
	       (settings->hot && settings->hot_status & LITEMRC_HOT_STATUS_SATURATED ? LITEMRC_EPOCH_HOT_SATURATED : 0);
}

static void begin_record(void)
{
	struct litemrc_epoch head;

	sending.settings = settings_kept ? kept : present_settings();
	list_parts();
	head = (struct litemrc_epoch){
		.header_bytes = sizeof(head),
		.parts = sending.parts,
		.epoch = monitor_read(LITEMRC_EPOCH) - 1,
		.flags = flags(),
		.dropped = monitor_read(LITEMRC_EPOCH_DROPPED),
		.outside = monitor_read(LITEMRC_EPOCH_OUTSIDE),
		.unsampled = monitor_read(LITEMRC_EPOCH_UNSAMPLED),
		.scale_log2 = sending.settings.scale_log2,
		.groups = PARAMETERS->groups,
		.hot_accesses = sending.settings.hot ? monitor_read(LITEMRC_HOT_ACCESSES) : 0,
	};
	head.bytes = sizeof(head) + sending.parts * sizeof(sending.table[0]);
	for (uint32_t part = 0; part < sending.parts; part++)
		head.bytes += litemrc_part_bytes(&sending.table[part]);
	sending.part = sending.item = sending.word = 0;
	sending.begun = true;
	link_begin(LITEMRC_MESSAGE_EPOCH);
	link_put(&head, sizeof(head));
	link_put(sending.table, sending.parts * sizeof(sending.table[0]));
}

/* At the first word of an item. */
static void find_item(uint32_t kind)
{
	uint32_t context;

	switch (kind) {
	case LITEMRC_PART_ROWS:
		context = sending.item ? sending.found.row.context + 1 : 0;
		while (!accesses_of(context))
			context++;
		sending.found.row = (struct litemrc_row){.context = context};	/* follows nothing, nothing is evicted */
		break;
	case LITEMRC_PART_RANKS:
		ranks_fill(&sending.found.rank, sending.item);
		break;
	case LITEMRC_PART_TASKS:
		tasks_fill(&sending.found.task, sending.item);
		break;
	case LITEMRC_PART_COPIES:
		replication_fill(&sending.found.copies);
		break;
	}
}

/* The items of these parts are in the window as they are sent: each part is taken as one item. */
static const volatile uint32_t *part_in_window(uint32_t kind)
{
	uint32_t groups = PARAMETERS->groups, contexts = PARAMETERS->contexts;
	uint32_t words = PARAMETERS->frames / LITEMRC_BITMAP_FRAMES;
	bool has_bitmap = device_has(&registers.device, LITEMRC_FEATURE_PAGE_BITMAP);

	switch (kind) {
	case LITEMRC_PART_ACCESSED:
		return MONITOR_WINDOW + LITEMRC_WINDOW_ACCESSED(groups, contexts);
	case LITEMRC_PART_WRITTEN:
		return MONITOR_WINDOW + LITEMRC_WINDOW_ACCESSED(groups, contexts) + words;
	case LITEMRC_PART_HOT:
		return MONITOR_WINDOW + LITEMRC_WINDOW_HOT(groups, contexts, has_bitmap ? 2 * words : 0);
	default:
		return NULL;
	}
}

/* Sends a piece of an item of so many words. */
static void send_piece(const volatile uint32_t *window, uint32_t words)
{
	const volatile uint32_t *from = window ? window : sending.found.words;
	uint32_t count;

	if (!window && sending.table[sending.part].kind == LITEMRC_PART_ROWS) {
		if (sending.word < ROW_HEAD)
			words = ROW_HEAD;
		else
			from = counts_of(sending.found.row.context) - ROW_HEAD;
	}
	count = words - sending.word;
	if (count > PIECE / sizeof(*from))
		count = PIECE / sizeof(*from);
	link_put(from + sending.word, count * sizeof(*from));
	sending.word += count;
}

/* Returns whether the part is queued. */
static bool send_part(const struct litemrc_part *part)
{
	const volatile uint32_t *window = part_in_window(part->kind);
	uint32_t bytes = part->items * part->item_bytes, pad = 0;
	uint32_t items = window ? !!bytes : part->items, words = (window ? bytes : part->item_bytes) / sizeof(*window);

	while (sending.item < items) {
		if (!link_has_room(PIECE))
			return false;
		if (!sending.word)
			find_item(part->kind);
		send_piece(window, words);
		if (sending.word == words) {
			sending.word = 0;
			sending.item++;
		}
	}
	link_put(&pad, litemrc_part_bytes(part) - bytes);
	sending.item = 0;
	return true;
}

/* Returns whether the whole epoch is queued; false: the link has no room. */
static bool send_record(void)
{
	if (!sending.begun) {
		if (!link_has_room(sizeof(struct litemrc_epoch) + sizeof(sending.table)))
			return false;
		begin_record();
	}
	for (; sending.part < sending.parts; sending.part++)
		if (!send_part(&sending.table[sending.part]))
			return false;
	if (!link_has_room(PIECE))
		return false;
	link_end();
	sending.begun = false;
	return true;
}

/*
 * Nothing is sent until the programs have run as long as the last sending took; the monitor's epoch is longer then.
 * Otherwise epochs that are shorter than their sending would leave the programs no time at all.
 */
static void rest(uint64_t began)
{
	uint64_t ran = began - sent_at;

	sent_at = uptime_cycles();
	resting = ran < sent_at - began;
	if (resting)
		alarm_set(ALARM_EPOCHS, sent_at - began - ran);
	else
		end_rest();
}

/* ------------------------------------------------------------------------------------------ queued pages */

static void send_queued(void)
{
	struct litemrc_queued queued = {
		.index = queued_sent++,
		.overflow = !!(monitor_read(LITEMRC_HOT_STATUS) & LITEMRC_HOT_STATUS_QUEUE_OVERFLOW),
	};
	uint32_t acknowledge = queued.overflow ? LITEMRC_HOT_COMMAND_ACKNOWLEDGE : 0, page;

	while (queued.frames_count < LITEMRC_HOT_QUEUED_MAX &&
	       (page = monitor_read(LITEMRC_HOT_QUEUE)) & LITEMRC_HOT_QUEUE_VALID) {
		queued.frames[queued.frames_count++] = page & LITEMRC_HOT_QUEUE_FRAME;
		monitor_write(LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE | acknowledge);
		acknowledge = 0;
	}
	link_send(LITEMRC_MESSAGE_QUEUED, &queued, sizeof(queued));
}

static void drain_queue(void)
{
	bool stuck = false;

	while (!stuck && monitor_read(LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID) {
		stuck = sending.begun || !link_has_room(sizeof(struct litemrc_queued));
		if (!stuck)
			send_queued();
	}
	/* Without room the link's interrupt calls again; the monitor's level interrupt would be raised endlessly. */
	monitor_interrupts(LITEMRC_EV_ENABLE_HOT, stuck ? 0 : LITEMRC_EV_ENABLE_HOT);
}

/* ------------------------------------------------------------------------------------------------------- */

void epochs_progress(void)
{
	uint64_t began;

	if (!resting && monitor_status(LITEMRC_STATUS_EPOCH_READY)) {
		began = uptime_cycles();
		/* Without room the link's interrupt calls again; the monitor's level interrupt would be raised endlessly. */
		monitor_interrupts(LITEMRC_EV_ENABLE_EPOCH, 0);
		if (send_record()) {
			complete = monitor_read(LITEMRC_EPOCH);
			monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_RELEASE);
			settings_kept = false;
			rest(began);
		}
	}
	if (PARAMETERS->hot_pages)
		drain_queue();
}

void epochs_keep_settings(void)
{
	if (settings_kept || !monitor_status(LITEMRC_STATUS_EPOCH_READY))
		return;
	kept = present_settings();
	settings_kept = true;
}

uint32_t epochs_end(void)
{
	uint32_t epoch;

	/* An end that waits for the release of the window ends the epoch that runs now; one behind it is past. */
	while (monitor_status(LITEMRC_STATUS_EPOCH_DUE) && !monitor_status(LITEMRC_STATUS_EPOCH_READY))
		;
	epoch = monitor_read(LITEMRC_EPOCH);
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	return epoch;
}

uint32_t epochs_next(void)
{
	return complete;
}

bool epochs_are_sent(uint32_t last)
{
	return (int32_t)(complete - last) > 0;
}

bool epochs_halfway(void)
{
	return sending.begun;
}
