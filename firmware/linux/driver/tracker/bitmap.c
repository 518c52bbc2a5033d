// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that a monitor in hardware saw, where the processor sets no accessed
 * bits.
 */
#include <linux/printk.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "tracker.h"

/**
 * tracker_bitmap_words() - words of the frames' bits
 * @tracker: the tracker
 *
 * Return: their number
 */
u32 tracker_bitmap_words(const struct tracker *tracker)
{
	return DIV_ROUND_UP(tracker->frames, LITEMRC_BITMAP_FRAMES);
}

/**
 * tracker_wants_accessed() - litemrc_ops.wants_accessed of the tracker
 * @io: the tracker
 *
 * Return: whether tracker_accessed() has a use now
 */
bool tracker_wants_accessed(void *io)
{
	const struct tracker *tracker = io;

	return READ_ONCE(tracker->watching) &&
	       READ_ONCE(tracker->accessed_bits) == TRACKER_NO &&
	       READ_ONCE(tracker->control) & LITEMRC_CONTROL_ENABLE;
}

/**
 * tracker_accessed() - litemrc_ops.accessed of the tracker: ends a period
 * @io: the tracker
 * @first_pfn: frame 0 of the other monitor
 * @bits: of the frames accessed
 * @words: of the bits
 *
 * Bits that an earlier scan has not taken yet remain.
 */
void tracker_accessed(void *io, unsigned long first_pfn, const u32 *bits,
		      u32 words)
{
	struct tracker *tracker = io;
	unsigned long flags;
	u32 word;

	if (first_pfn != tracker->first_pfn ||
	    words != tracker_bitmap_words(tracker)) {
		pr_warn_once("litemrc_os: a monitor sees other frames: set memory= and frames_log2= to its own\n");
		return;
	}
	raw_spin_lock_irqsave(&tracker->lock, flags);
	for (word = 0; word < words; word++)
		tracker->accessed[word] |= bits[word];
	tracker->passed = true;
	tracker->events.bitmaps++;
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	mod_delayed_work(litemrc_system_wq(), &tracker->scan, 0);
}

/**
 * tracker_take_bitmap() - take the bits for a scan
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->lock.
 * Return: whether there are any, in @tracker->scanned
 */
bool tracker_take_bitmap(struct tracker *tracker)
{
	bool passed = tracker->passed;

	if (passed) {
		swap(tracker->accessed, tracker->scanned);
		memset(tracker->accessed, 0,
		       tracker_bitmap_words(tracker) * sizeof(u32));
	}
	tracker->passed = false;
	return passed;
}
