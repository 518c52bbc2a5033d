// SPDX-License-Identifier: GPL-2.0
/*
 * Accessed bits for a processor that sets none: at the end of each epoch, those of the page table
 * entries that map a frame accessed in it. Reclaim and DAMON then work as if the processor had set
 * them. It ignores them, so no translation is flushed. Pages that no process maps have no entries;
 * read() and write() note their accesses. A process that has not run in the epoch has not accessed
 * its pages, so its page tables are not visited.
 */
#include <linux/mm.h>

#include "walk.h"

struct mark {
	const struct litemrc *mon;
	const u32 *bits;
	u32 visited;
	u32 marked;
};

static void litemrc_young_mark_accessed(void *data, pte_t *entry, unsigned int count)
{
	struct mark *mark = data;
	const u32 *bits = mark->bits;
	unsigned long first = mark->mon->first_pfn, frame;
	u32 frames = mark->mon->parameters.frames;
	pte_t *end = entry + count;

	mark->visited += count;
	for (; entry != end; entry++) {
		if ((pte_val(*entry) & (_PAGE_PRESENT | _PAGE_ACCESSED)) != _PAGE_PRESENT)
			continue;
		frame = pte_pfn(*entry) - first;
		if (frame >= frames || !(bits[frame / LITEMRC_BITMAP_FRAMES] &
					 BIT(frame % LITEMRC_BITMAP_FRAMES)))
			continue;
		/* Atomic: another hart may set the dirty bit. */
		set_bit(ilog2(_PAGE_ACCESSED), &pte_val(*entry));
		mark->marked++;
	}
}

/**
 * litemrc_young_mark - mark the pages accessed in an epoch
 * @mon: the monitor
 * @bits: of the frames accessed in it
 *
 * Called in the interrupt's thread, which must not wait long: a process that changes its memory
 * now is skipped. The scheduler set the thread's time when it took the processor from the process
 * that ran at the end of the epoch.
 */
void litemrc_young_mark(struct litemrc *mon, const u32 *bits)
{
	struct litemrc_young *young = &mon->young;
	struct litemrc_young_events *events = &young->events;
	struct mark mark = { .mon = mon, .bits = bits };
	ktime_t begin = ktime_get();
	u64 since = young->ended;
	int ret;

	young->ended = current->se.exec_start;
	ret = litemrc_walk_since(since, litemrc_young_mark_accessed, &mark);
	if (ret)
		dev_warn_ratelimited(mon->dev, "the pages accessed were not marked: %d\n", ret);
	mutex_lock(&young->lock);
	events->walks++;
	events->visited += mark.visited;
	events->marked += mark.marked;
	events->ns += ktime_to_ns(ktime_sub(ktime_get(), begin));
	mutex_unlock(&young->lock);
}

void litemrc_young_events(struct litemrc *mon, struct litemrc_young_events *events)
{
	mutex_lock(&mon->young.lock);
	*events = mon->young.events;
	mutex_unlock(&mon->young.lock);
}
