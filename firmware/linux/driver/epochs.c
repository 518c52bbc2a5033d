// SPDX-License-Identifier: GPL-2.0
/* Finished epochs: copied from the window into a ring, and from there to each reader once. */
#include <linux/interrupt.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "litemrc.h"

#define LITEMRC_DRAIN_TIMEOUT (2 * HZ)

static u32 row_words(const struct litemrc *mon)
{
	return mon->parameters.groups + LITEMRC_ROW_WORDS;
}

int litemrc_ring_init(struct litemrc *mon)
{
	struct litemrc_ring *ring = &mon->ring;
	u32 row = row_words(mon);

	mutex_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	INIT_LIST_HEAD(&ring->readers);
	ring->record_bytes =
		sizeof(struct litemrc_epoch) +
		mon->parameters.contexts * (sizeof(struct litemrc_context) + row * sizeof(u32));
	ring->records = vzalloc(array_size(LITEMRC_RING_EPOCHS, ring->record_bytes));
	ring->rows = vzalloc(array3_size(mon->parameters.contexts, row, sizeof(u32)));
	mon->free = vzalloc(array_size(BITS_TO_LONGS(mon->parameters.frames), sizeof(long)));
	return ring->records && ring->rows && mon->free ? 0 : -ENOMEM;
}

static struct litemrc_epoch *record_of(struct litemrc_ring *ring, u32 number)
{
	return ring->records + number % LITEMRC_RING_EPOCHS * ring->record_bytes;
}

static u32 *counters_of(struct litemrc_epoch *record)
{
	return (u32 *)(record->followed + record->contexts);
}

/* Reports commands that were lost since the last record; returns the record's flag. */
static u32 report_commands(struct litemrc *mon)
{
	unsigned long flags;
	bool lost;

	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_check_commands(mon, litemrc_read(mon, LITEMRC_STATUS));
	lost = mon->commands_lost != mon->lost_recorded;
	mon->lost_recorded = mon->commands_lost;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (lost)
		dev_err_ratelimited(mon->dev, "the gateware lost an invalidation or clear: %u times\n",
				    mon->commands_lost);
	return lost ? LITEMRC_EPOCH_COMMAND_LOST : 0;
}

static void copy_window(struct litemrc *mon, struct litemrc_epoch *record)
{
	u32 row = row_words(mon);
	u32 *counters;
	u32 context, word;

	record->bytes = mon->ring.record_bytes;
	record->epoch = litemrc_read(mon, LITEMRC_EPOCH) - 1;
	record->lost = 0;
	record->flags = report_commands(mon);
	if (litemrc_read(mon, LITEMRC_STATUS) & LITEMRC_STATUS_OVERFLOW)
		record->flags |= LITEMRC_EPOCH_OVERFLOW;
	record->dropped = litemrc_read(mon, LITEMRC_EPOCH_DROPPED);
	record->outside = litemrc_read(mon, LITEMRC_EPOCH_OUTSIDE);
	record->unsampled = litemrc_read(mon, LITEMRC_EPOCH_UNSAMPLED);
	record->scale_log2 = LITEMRC_FIELD(litemrc_read(mon, LITEMRC_SCALE), SCALE_SCALE_LOG2);
	record->contexts = mon->parameters.contexts;
	record->groups = mon->parameters.groups;
	counters = counters_of(record);
	for (context = 0; context < record->contexts; context++) {
		u32 first = context * LITEMRC_WINDOW_ROW(record->groups);

		for (word = 0; word < row; word++)
			*counters++ = mon->ops->window(mon->io, first + word);
	}
}

/* Rows for sysfs: an ended process keeps its last row; its successor's and a free one's are 0. */
static void keep_rows(struct litemrc *mon, struct litemrc_epoch *record, u32 changed)
{
	struct litemrc_ring *ring = &mon->ring;
	const u32 *counters = counters_of(record);
	u32 row = row_words(mon);
	u32 context;

	for (context = 0; context < record->contexts; context++) {
		if (ring->followed[context].state != LITEMRC_CONTEXT_ENDED)
			memcpy(ring->rows + context * row, counters + context * row,
			       row * sizeof(u32));
		if (changed & BIT(context) &&
		    record->followed[context].state != LITEMRC_CONTEXT_ENDED)
			memset(ring->rows + context * row, 0, row * sizeof(u32));
	}
}

/* Is the oldest epoch, which is about to be overwritten, still unread by a reader? */
static bool is_awaited(struct litemrc_ring *ring)
{
	struct litemrc_reader *reader;

	list_for_each_entry(reader, &ring->readers, node)
		if (ring->head - reader->next >= LITEMRC_RING_EPOCHS)
			return true;
	return false;
}

/* control.hold freezes the window until the release; counting continues meanwhile. */
irqreturn_t litemrc_epoch_thread(int irq, void *data)
{
	struct litemrc *mon = data;
	struct litemrc_ring *ring = &mon->ring;
	struct litemrc_epoch *record;

	if (!(litemrc_read(mon, LITEMRC_STATUS) & LITEMRC_STATUS_EPOCH_READY))
		return IRQ_NONE;
	mutex_lock(&ring->lock);
	ring->lost += is_awaited(ring);
	record = record_of(ring, ring->head);
	copy_window(mon, record);
	keep_rows(mon, record, litemrc_fill_followed(mon, record));
	memcpy(ring->followed, record->followed, record->contexts * sizeof(*record->followed));
	ring->head++;
	mutex_unlock(&ring->lock);
	litemrc_command(mon, LITEMRC_COMMAND_RELEASE);
	litemrc_write(mon, LITEMRC_EV_PENDING, LITEMRC_EV_PENDING_EPOCH);
	wake_up_all(&ring->wait);
	sysfs_notify_dirent(mon->epoch_node);
	return IRQ_HANDLED;
}

static bool is_drained(struct litemrc *mon)
{
	return !(litemrc_read(mon, LITEMRC_STATUS) &
		 (LITEMRC_STATUS_EPOCH_READY | LITEMRC_STATUS_EPOCH_DUE));
}

/* Waits until no end of epoch is requested and the interrupt's thread has copied the window. */
int litemrc_wait_drained(struct litemrc *mon)
{
	if (wait_event_timeout(mon->ring.wait, is_drained(mon), LITEMRC_DRAIN_TIMEOUT))
		return 0;
	dev_err(mon->dev, "no end of epoch within %u s\n", LITEMRC_DRAIN_TIMEOUT / HZ);
	return -EIO;
}

/* No further epoch is stored: readers read those that are left, then the end of the file. */
void litemrc_ring_stop(struct litemrc *mon)
{
	mutex_lock(&mon->ring.lock);
	mon->ring.gone = true;
	mutex_unlock(&mon->ring.lock);
	wake_up_all(&mon->ring.wait);
}

bool litemrc_ring_has(struct litemrc_reader *reader)
{
	return READ_ONCE(reader->mon->ring.head) != READ_ONCE(reader->next);
}

/**
 * litemrc_ring_fetch - copy a reader's next epoch into its record and advance
 * @reader: the reader; caller holds its lock
 *
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
		memcpy(reader->record, record_of(ring, reader->next), ring->record_bytes);
		reader->record->lost = reader->lost;
		reader->next++;
	}
	mutex_unlock(&ring->lock);
	return behind;
}

/* Returns a context's row for sysfs: hits, then LITEMRC_ROW_WORDS. Caller holds the ring's lock. */
const u32 *litemrc_ring_row(struct litemrc *mon, unsigned int context)
{
	lockdep_assert_held(&mon->ring.lock);
	return mon->ring.rows + context * row_words(mon);
}

/* Returns the last finished epoch, NULL before the first. Caller holds the ring's lock. */
const struct litemrc_epoch *litemrc_ring_last(struct litemrc *mon)
{
	lockdep_assert_held(&mon->ring.lock);
	return mon->ring.head ? record_of(&mon->ring, mon->ring.head - 1) : NULL;
}
