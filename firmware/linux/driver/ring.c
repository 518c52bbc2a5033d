// SPDX-License-Identifier: GPL-2.0
/*
 * Finished epochs: copied from the window into a ring, and from there to each
 * reader once.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/poll.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "litemrc.h"

#define LITEMRC_DRAIN_TIMEOUT (2 * HZ)

/* Words of a context in the window. */
static u32 litemrc_ring_window_words(const struct litemrc *mon)
{
	return mon->parameters.groups + LITEMRC_ROW_WORDS;
}

static u32 litemrc_ring_row_words(const struct litemrc *mon)
{
	return litemrc_ring_window_words(mon) + litemrc_tail_groups(mon);
}

static u32 litemrc_ring_row_bytes(const struct litemrc *mon)
{
	return sizeof(struct litemrc_row) +
	       litemrc_ring_row_words(mon) * sizeof(u32);
}

/* Rows and ranks, and banks if the gateware counts their commands. */
static u32 litemrc_ring_record_parts(const struct litemrc *mon)
{
	return mon->parameters.banks ? 3 : 2;
}

/**
 * litemrc_epoch_least() - the shortest epoch that may be set
 * @mon: the monitor
 *
 * Return: its length in accesses or cycles: the words that are read from the
 * window after it
 */
u32 litemrc_epoch_least(const struct litemrc *mon)
{
	return mon->parameters.contexts * litemrc_ring_window_words(mon);
}

/*
 * Reports commands that were lost since the last record; returns the record's
 * flag.
 */
static u32 litemrc_ring_report_commands(struct litemrc *mon)
{
	unsigned long flags;
	bool lost;

	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_check_commands(mon, litemrc_read(mon, LITEMRC_STATUS));
	lost = mon->commands_lost != mon->lost_recorded;
	mon->lost_recorded = mon->commands_lost;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (lost)
		dev_err_ratelimited(mon->dev,
				    "the gateware lost an invalidation or clear: %u times\n",
				    mon->commands_lost);
	return lost ? LITEMRC_EPOCH_COMMAND_LOST : 0;
}

static struct litemrc_epoch *litemrc_ring_record(struct litemrc_ring *ring,
						 u32 number)
{
	return ring->records +
	       number % LITEMRC_RING_EPOCHS * ring->record_bytes;
}

/*
 * The ranks are a part without items, too, so that all records have the same
 * places.
 */
static void litemrc_ring_fill_sizes(const struct litemrc *mon,
				    struct litemrc_epoch *record)
{
	struct litemrc_part *parts = (struct litemrc_part *)(record + 1);
	u32 context;

	record->header_bytes = sizeof(*record);
	record->parts = litemrc_ring_record_parts(mon);
	record->groups = mon->parameters.groups;
	record->tail_groups = litemrc_tail_groups(mon);
	record->access_bytes = mon->parameters.access_bytes;
	parts[0] = (struct litemrc_part){ LITEMRC_PART_ROWS,
					  litemrc_ring_row_bytes(mon),
					  mon->parameters.contexts };
	parts[1] = (struct litemrc_part){ LITEMRC_PART_RANKS,
					  sizeof(struct litemrc_rank) };
	if (mon->parameters.banks)
		parts[2] = (struct litemrc_part){ LITEMRC_PART_BANKS,
						  sizeof(struct litemrc_bank),
						  mon->parameters.banks };
	for (context = 0; context < mon->parameters.contexts; context++) {
		litemrc_record_row(record, context)->context = context;
		litemrc_record_row(record, context)->state =
			LITEMRC_CONTEXT_FREE;
	}
}

/**
 * litemrc_ring_init() - allocate the records
 * @mon: the monitor, its parameters read
 *
 * Return: 0 or -ENOMEM
 */
int litemrc_ring_init(struct litemrc *mon)
{
	struct litemrc_ring *ring = &mon->ring;
	u32 row = litemrc_ring_row_words(mon);
	size_t bytes;
	u32 number;

	mutex_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	init_waitqueue_head(&ring->drained);
	INIT_LIST_HEAD(&ring->readers);
	ring->record_bytes =
		sizeof(struct litemrc_epoch) +
		litemrc_ring_record_parts(mon) * sizeof(struct litemrc_part) +
		ALIGN(mon->parameters.contexts * litemrc_ring_row_bytes(mon),
		      8) +
		mon->rank_room * sizeof(struct litemrc_rank) +
		mon->parameters.banks * sizeof(struct litemrc_bank);
	ring->records =
		vzalloc(array_size(LITEMRC_RING_EPOCHS, ring->record_bytes));
	bytes = array3_size(mon->parameters.contexts, row, sizeof(u32));
	ring->rows = vzalloc(bytes);
	if (!ring->records || !ring->rows)
		return -ENOMEM;
	for (number = 0; number < LITEMRC_RING_EPOCHS; number++)
		litemrc_ring_fill_sizes(mon, litemrc_ring_record(ring, number));
	return 0;
}

/* A clear restarts the running epoch; one after the end belongs to the next. */
static void litemrc_ring_fill_times(struct litemrc *mon,
				    struct litemrc_epoch *record)
{
	struct litemrc_ring *ring = &mon->ring;
	unsigned long flags;
	u64 cleared_ns;

	raw_spin_lock_irqsave(&mon->lock, flags);
	cleared_ns = mon->cleared_ns;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	record->begin_ns = ring->ended_ns;
	if (cleared_ns > record->begin_ns && cleared_ns <= ring->interrupt_ns)
		record->begin_ns = cleared_ns;
	record->end_ns = ring->interrupt_ns;
	ring->ended_ns = ring->interrupt_ns;
}

/*
 * A row without accesses is 0; so is that of the older record in this place, if
 * it had none.
 */
static void litemrc_ring_copy_row(struct litemrc *mon,
				  struct litemrc_epoch *record, u32 context)
{
	u32 first = context * LITEMRC_WINDOW_ROW(record->groups);
	u32 *counts = litemrc_record_counts(record, context);
	u32 *accesses = counts + LITEMRC_ROW_ACCESSES(record->groups);
	u32 before = *accesses;

	mon->ops->window(mon->io,
			 first + LITEMRC_WINDOW_ACCESSES(record->groups),
			 accesses, 1);
	if (*accesses || before)
		mon->ops->window(mon->io, first, counts,
				 litemrc_ring_window_words(mon));
}

static_assert(sizeof(struct litemrc_bank) ==
	      LITEMRC_DRAM_BANK_WORDS * sizeof(u32));

/* The first word of them in the window. */
static u32 litemrc_banks_first_word(const struct litemrc_parameters *parameters)
{
	u32 bitmap = parameters->page_bitmap ?
			     LITEMRC_BITMAP_WORDS(parameters->frames) :
			     0;

	return LITEMRC_WINDOW_DRAM(parameters->groups, parameters->contexts,
				   bitmap,
				   LITEMRC_HOT_PAGE_WORDS *
					   parameters->hot_pages);
}

/**
 * litemrc_window_end() - words of the window with all its parts
 * @parameters: of the monitor
 *
 * Return: their number
 */
u32 litemrc_window_end(const struct litemrc_parameters *parameters)
{
	u32 banks = parameters->banks * LITEMRC_DRAM_BANK_WORDS;

	return litemrc_banks_first_word(parameters) +
	       (banks ? LITEMRC_DRAM_HEAD_WORDS + banks : 0);
}

static void litemrc_banks_fill_head(struct litemrc *mon,
				    struct litemrc_epoch *record)
{
	u32 words[LITEMRC_DRAM_QUEUE_PEAK + 1];

	mon->ops->window(mon->io, litemrc_banks_first_word(&mon->parameters),
			 words, ARRAY_SIZE(words));
	record->flags |= LITEMRC_EPOCH_DRAM_ROWS;
	record->cycles = words[LITEMRC_DRAM_CYCLES] |
			 (u64)words[LITEMRC_DRAM_CYCLES_HIGH] << 32;
	record->refreshes = words[LITEMRC_DRAM_REFRESHES];
	record->refresh_cycles = mon->parameters.refresh_cycles;
	record->queue_peak = words[LITEMRC_DRAM_QUEUE_PEAK];
}

/*
 * Without rows a bank's words behind reads and writes have no meaning: they
 * stay 0.
 */
static void litemrc_banks_fill(struct litemrc *mon,
			       struct litemrc_epoch *record)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 words = parameters->rows_observed ?
			    offsetof(struct litemrc_bank, reserved) :
			    offsetof(struct litemrc_bank, row_hits);
	u32 first =
		litemrc_banks_first_word(parameters) + LITEMRC_DRAM_HEAD_WORDS;
	u32 bank;

	if (parameters->rows_observed)
		litemrc_banks_fill_head(mon, record);
	for (bank = 0; bank < parameters->banks; bank++)
		mon->ops->window(mon->io,
				 first + bank * LITEMRC_DRAM_BANK_WORDS,
				 &litemrc_record_bank(record, bank)->reads,
				 words / sizeof(u32));
}

/* litemrc_ranks comes and goes. */
static void litemrc_ring_set_ranks(const struct litemrc *mon,
				   struct litemrc_epoch *record)
{
	u32 ranks = mon->client[LITEMRC_RANKS] ? mon->domains : 0;

	((struct litemrc_part *)(record + 1))[1].items = ranks;
	record->bytes = mon->ring.record_bytes -
			(mon->rank_room - ranks) * sizeof(struct litemrc_rank);
}

static void litemrc_ring_copy_window(struct litemrc *mon,
				     struct litemrc_epoch *record)
{
	u32 context;

	litemrc_ring_set_ranks(mon, record);
	litemrc_ring_fill_times(mon, record);
	record->epoch = litemrc_read(mon, LITEMRC_EPOCH) - 1;
	record->flags = litemrc_ring_report_commands(mon);
	if (litemrc_read(mon, LITEMRC_STATUS) & LITEMRC_STATUS_OVERFLOW)
		record->flags |= LITEMRC_EPOCH_OVERFLOW;
	if (litemrc_read(mon, LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT)
		record->flags |= LITEMRC_EPOCH_SPLIT;
	record->dropped = litemrc_read(mon, LITEMRC_EPOCH_DROPPED);
	record->outside = litemrc_read(mon, LITEMRC_EPOCH_OUTSIDE);
	record->unsampled = litemrc_read(mon, LITEMRC_EPOCH_UNSAMPLED);
	record->scale_log2 = LITEMRC_FIELD(litemrc_read(mon, LITEMRC_SCALE),
					   SCALE_SCALE_LOG2);
	for (context = 0; context < mon->parameters.contexts; context++)
		litemrc_ring_copy_row(mon, record, context);
	litemrc_banks_fill(mon, record);
}

/*
 * Rows for sysfs: an ended process keeps its last row; its successor's and a
 * free one's are 0.
 */
static void litemrc_ring_keep_rows(struct litemrc *mon,
				   const struct litemrc_epoch *last,
				   const struct litemrc_epoch *record)
{
	u32 row = litemrc_ring_row_words(mon);
	u32 context;

	for (context = 0; context < mon->parameters.contexts; context++) {
		u32 *kept = mon->ring.rows + context * row;

		if (!(mon->ring.changed & BIT(context)))
			continue;
		if (litemrc_record_row(record, context)->state !=
		    LITEMRC_CONTEXT_ENDED)
			memset(kept, 0, row * sizeof(u32));
		else if (litemrc_record_row(last, context)->state !=
			 LITEMRC_CONTEXT_ENDED)
			memcpy(kept, litemrc_record_counts(record, context),
			       row * sizeof(u32));
	}
}

/*
 * Is the oldest epoch, which is about to be overwritten, still unread by a
 * reader?
 */
static bool litemrc_ring_has_lagging_reader(struct litemrc_ring *ring)
{
	struct litemrc_reader *reader;

	list_for_each_entry(reader, &ring->readers, node)
		if (ring->head - reader->next >= LITEMRC_RING_EPOCHS)
			return true;
	return false;
}

/*
 * Limits the rate of epochs, whatever their length: an epoch continues until
 * the window is released, so one that would end earlier becomes longer, and no
 * access is lost.
 */
static void litemrc_ring_pace(struct litemrc_ring *ring)
{
	ktime_t now = ktime_get();
	s64 ahead_us;

	ring->due =
		ktime_add_us(max(ring->due, now), LITEMRC_EPOCH_INTERVAL_US);
	ahead_us = ktime_us_delta(ring->due, now) -
		   LITEMRC_EPOCH_BURST * LITEMRC_EPOCH_INTERVAL_US;
	if (ahead_us > 0)
		usleep_range(ahead_us, ahead_us + 1000);
}

/**
 * litemrc_epoch_interrupt() - handle the interrupt of the monitor
 * @irq: its number
 * @data: the monitor
 *
 * The end of an epoch is its interrupt: the thread may run much later. Until
 * the thread releases the window only this event is disabled, not the line: hot
 * pages come while it sleeps.
 *
 * Return: IRQ_WAKE_THREAD at the end of an epoch; IRQ_HANDLED if only hot pages
 * came; or IRQ_NONE
 */
irqreturn_t litemrc_epoch_interrupt(int irq, void *data)
{
	struct litemrc *mon = data;
	bool hot = litemrc_hot_interrupt(mon);

	if (!(READ_ONCE(mon->events) & LITEMRC_EV_ENABLE_EPOCH) ||
	    !(litemrc_read(mon, LITEMRC_STATUS) & LITEMRC_STATUS_EPOCH_READY))
		return hot ? IRQ_HANDLED : IRQ_NONE;
	litemrc_set_events(mon, LITEMRC_EV_ENABLE_EPOCH, 0);
	mon->ring.interrupt_ns = ktime_get_ns();
	return IRQ_WAKE_THREAD;
}

/*
 * Wakes poll() on `epoch`, which waits for a change since a read; each time
 * costs a work item.
 */
static void litemrc_ring_notify_epoch(struct litemrc *mon)
{
	struct kernfs_node *node = READ_ONCE(mon->epoch_node);

	/* no node yet, while the files are added */
	if (!node || !READ_ONCE(mon->epoch_read))
		return;
	WRITE_ONCE(mon->epoch_read, false);
	sysfs_notify_dirent(node);
}

/**
 * litemrc_epoch_thread() - store the record of an epoch and release the window
 * @irq: number of the interrupt
 * @data: the monitor
 *
 * control.hold freezes the window until the release; counting continues
 * meanwhile.
 *
 * Return: IRQ_HANDLED
 */
irqreturn_t litemrc_epoch_thread(int irq, void *data)
{
	struct litemrc *mon = data;
	struct litemrc_ring *ring = &mon->ring;
	struct litemrc_epoch *last, *record;

	mutex_lock(&ring->lock);
	ring->lost += litemrc_ring_has_lagging_reader(ring);
	last = litemrc_ring_record(ring, ring->head - 1);
	record = litemrc_ring_record(ring, ring->head);
	litemrc_ring_copy_window(mon, record);
	ring->changed = litemrc_fill_followed(mon, last, record);
	litemrc_call_clients(mon, fill, record);
	litemrc_pmu_add(mon, record);
	litemrc_ring_keep_rows(mon, last, record);
	ring->head++;
	WRITE_ONCE(ring->stored, record->epoch + 1);
	mutex_unlock(&ring->lock);
	litemrc_bitmap_pass(mon);
	litemrc_hot_pass(mon);
	wake_up_poll(&ring->wait, EPOLLIN | EPOLLRDNORM);
	litemrc_ring_notify_epoch(mon);
	litemrc_ring_pace(ring);
	litemrc_command(mon, LITEMRC_COMMAND_RELEASE);
	litemrc_write(mon, LITEMRC_EV_PENDING, LITEMRC_EV_PENDING_EPOCH);
	litemrc_set_events(mon, LITEMRC_EV_ENABLE_EPOCH,
			   LITEMRC_EV_ENABLE_EPOCH);
	wake_up(&ring->drained);
	litemrc_bitmap_mark(mon);
	return IRQ_HANDLED;
}

static int litemrc_check_waited(struct litemrc *mon, long left)
{
	if (left)
		return 0;
	dev_err(mon->dev, "no end of epoch within %u s\n",
		LITEMRC_DRAIN_TIMEOUT / HZ);
	return -EIO;
}

static bool litemrc_is_drained(struct litemrc *mon)
{
	return !(litemrc_read(mon, LITEMRC_STATUS) &
		 (LITEMRC_STATUS_EPOCH_READY | LITEMRC_STATUS_EPOCH_DUE));
}

/**
 * litemrc_wait_drained() - wait until no epoch is in the window or on its way
 * there
 * @mon: the monitor; no epoch may end by its length, or there may always be
 *   another one
 *
 * Return: 0 or -EIO
 */
int litemrc_wait_drained(struct litemrc *mon)
{
	long left = wait_event_timeout(mon->ring.drained,
				       litemrc_is_drained(mon),
				       LITEMRC_DRAIN_TIMEOUT);

	return litemrc_check_waited(mon, left);
}

static bool litemrc_is_stored(const struct litemrc_ring *ring, u32 epoch)
{
	return (s32)(READ_ONCE(ring->stored) - epoch) > 0;
}

/**
 * litemrc_wait_stored() - wait until the record of an epoch can be read
 * @mon: the monitor
 * @epoch: number of the epoch
 *
 * Return: 0 or -EIO
 */
int litemrc_wait_stored(struct litemrc *mon, u32 epoch)
{
	struct litemrc_ring *ring = &mon->ring;
	long left = wait_event_timeout(ring->wait,
				       litemrc_is_stored(ring, epoch),
				       LITEMRC_DRAIN_TIMEOUT);

	return litemrc_check_waited(mon, left);
}

/**
 * litemrc_ring_stop() - store no further epoch
 * @mon: the monitor
 *
 * Readers read those that are left, then the end of the file.
 */
void litemrc_ring_stop(struct litemrc *mon)
{
	mutex_lock(&mon->ring.lock);
	mon->ring.gone = true;
	mutex_unlock(&mon->ring.lock);
	wake_up_all(&mon->ring.wait);
}

/**
 * litemrc_ring_has() - look whether there is an epoch that a reader has not
 * read
 * @reader: the reader
 *
 * Return: whether there is one
 */
bool litemrc_ring_has(struct litemrc_reader *reader)
{
	return READ_ONCE(reader->mon->ring.head) != READ_ONCE(reader->next);
}

static bool litemrc_ring_says_something(const struct litemrc_row *row,
					u32 groups)
{
	const u32 *counts = (const u32 *)(row + 1);

	return row->state != LITEMRC_CONTEXT_FREE ||
	       counts[LITEMRC_ROW_ACCESSES(groups)] || row->refaults ||
	       row->unidentified;
}

static bool litemrc_ring_has_refaults(const struct litemrc_epoch *record)
{
	u32 context;

	for (context = 0; context < litemrc_parts(record)[0].items; context++)
		if (litemrc_record_row(record, context)->refaults)
			return true;
	return false;
}

/*
 * Copies a record without the rows that say nothing, and without tails if
 * nothing came back.
 */
static void litemrc_ring_copy(struct litemrc_epoch *to,
			      const struct litemrc_epoch *from)
{
	struct litemrc_part *parts = (struct litemrc_part *)(to + 1);
	u32 context, row_bytes, rest_bytes;
	const void *rest = litemrc_record_rank(from, 0);
	void *at = parts + from->parts;

	memcpy(to, from, at - (void *)to);
	if (!litemrc_ring_has_refaults(from)) {
		parts[0].item_bytes -= to->tail_groups * sizeof(u32);
		to->tail_groups = 0;
	}
	row_bytes = parts[0].item_bytes;
	for (context = 0; context < litemrc_parts(from)[0].items; context++) {
		const struct litemrc_row *row =
			litemrc_record_row(from, context);

		if (!litemrc_ring_says_something(row, from->groups)) {
			parts[0].items--;
			continue;
		}
		memcpy(at, row, row_bytes);
		at += row_bytes;
	}
	memset(at, 0,
	       litemrc_part_bytes(&parts[0]) - parts[0].items * row_bytes);
	at = (void *)(parts + from->parts) + litemrc_part_bytes(&parts[0]);
	/* ranks and banks */
	rest_bytes = (const void *)from + from->bytes - rest;
	memcpy(at, rest, rest_bytes);
	to->bytes = at + rest_bytes - (void *)to;
}

/**
 * litemrc_ring_fetch() - copy a reader's next epoch into its record and advance
 * @reader: the reader
 *
 * Context: Caller holds @reader->lock.
 * Return: whether there was an epoch
 */
bool litemrc_ring_fetch(struct litemrc_reader *reader)
{
	struct litemrc_ring *ring = &reader->mon->ring;
	u32 behind;

	mutex_lock(&ring->lock);
	behind = ring->head - reader->next;
	if (behind > LITEMRC_RING_EPOCHS) {
		reader->lost += behind - LITEMRC_RING_EPOCHS;
		reader->next = ring->head - LITEMRC_RING_EPOCHS;
	}
	if (behind) {
		litemrc_ring_copy(reader->record,
				  litemrc_ring_record(ring, reader->next));
		reader->record->lost = reader->lost;
		reader->next++;
	}
	mutex_unlock(&ring->lock);
	return behind;
}

/**
 * litemrc_ring_last() - the last finished epoch
 * @mon: the monitor
 *
 * Context: Caller holds @mon->ring.lock.
 * Return: its record, or NULL before the first
 */
const struct litemrc_epoch *litemrc_ring_last(struct litemrc *mon)
{
	lockdep_assert_held(&mon->ring.lock);
	return mon->ring.head ?
		       litemrc_ring_record(&mon->ring, mon->ring.head - 1) :
		       NULL;
}
EXPORT_SYMBOL_GPL(litemrc_ring_last);

/**
 * litemrc_ring_row() - a context's row for sysfs
 * @mon: the monitor
 * @context: the context
 *
 * Context: Caller holds @mon->ring.lock.
 * Return: hits, then LITEMRC_ROW_WORDS, then the tail
 */
const u32 *litemrc_ring_row(struct litemrc *mon, unsigned int context)
{
	const struct litemrc_epoch *last = litemrc_ring_last(mon);

	if (!last || mon->ring.changed & BIT(context) ||
	    litemrc_record_row(last, context)->state == LITEMRC_CONTEXT_ENDED)
		return mon->ring.rows + context * litemrc_ring_row_words(mon);
	return litemrc_record_counts(last, context);
}
