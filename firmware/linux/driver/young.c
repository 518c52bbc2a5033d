// SPDX-License-Identifier: GPL-2.0
/*
 * Accessed bits for a processor that sets none: at the end of each epoch, those of the page table
 * entries that map a frame accessed in it. Reclaim and DAMON then work as if the processor had set
 * them. It ignores them, so no translation is flushed. Pages that no process maps have no entries;
 * read() and write() note their accesses. A process that has not run in the epoch has not accessed
 * its pages, so its page tables are not visited.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "walk.h"

static void mark_accessed(void *data, pte_t *entry, unsigned int count)
{
	struct litemrc *mon = data;
	const u32 *bits = mon->young.taken;
	unsigned long first = mon->first_pfn, frame;
	u32 frames = mon->parameters.frames, marked = 0;
	pte_t *end = entry + count;

	for (; entry != end; entry++) {
		if ((pte_val(*entry) & (_PAGE_PRESENT | _PAGE_ACCESSED)) != _PAGE_PRESENT)
			continue;
		frame = pte_pfn(*entry) - first;
		if (frame >= frames || !(bits[frame / LITEMRC_BITMAP_FRAMES] &
					 BIT(frame % LITEMRC_BITMAP_FRAMES)))
			continue;
		/* Atomic: another hart may set the dirty bit. */
		set_bit(ilog2(_PAGE_ACCESSED), &pte_val(*entry));
		marked++;
	}
	mon->young.walked.visited += count;
	mon->young.walked.marked += marked;
}

static void mark_all(struct work_struct *work)
{
	struct litemrc_young *young = container_of(work, struct litemrc_young, work);
	struct litemrc *mon = container_of(young, struct litemrc, young);
	ktime_t begin = ktime_get();
	u64 since;
	int ret;

	mutex_lock(&young->lock);
	since = young->since;
	young->since = young->passed;
	swap(young->pending, young->taken);
	memset(young->pending, 0, young->words * sizeof(u32));
	mutex_unlock(&young->lock);
	ret = litemrc_walk_since(since, mark_accessed, mon);
	if (ret)
		dev_warn_ratelimited(mon->dev, "no memory to mark the pages accessed: %d\n", ret);
	mutex_lock(&young->lock);
	young->walked.walks++;
	young->walked.ns += ktime_to_ns(ktime_sub(ktime_get(), begin));
	young->events = young->walked;
	mutex_unlock(&young->lock);
}

int litemrc_young_init(struct litemrc *mon, u32 words)
{
	struct litemrc_young *young = &mon->young;

	mutex_init(&young->lock);
	INIT_WORK(&young->work, mark_all);
	young->words = words;
	young->pending = vzalloc(array_size(words, sizeof(u32)));
	young->taken = vzalloc(array_size(words, sizeof(u32)));
	return young->pending && young->taken ? 0 : -ENOMEM;
}

void litemrc_young_free(struct litemrc *mon)
{
	vfree(mon->young.pending);
	vfree(mon->young.taken);
}

/* On return no page table is visited. Caller holds @settings, or frees the monitor. */
static void stop(struct litemrc *mon)
{
	struct litemrc_young *young = &mon->young;

	mutex_lock(&young->lock);
	young->on = false;
	mutex_unlock(&young->lock);
	cancel_work_sync(&young->work);
	memset(young->pending, 0, young->words * sizeof(u32));
	young->since = 0; /* visit all when it is on again */
	young->passed = 0;
}

void litemrc_young_stop(struct litemrc *mon)
{
	if (mon->young.words)
		stop(mon);
}

/**
 * litemrc_young_set - feed the bits of accessed frames to the kernel, or cease to
 * @mon: the monitor; caller holds @settings
 * @on: whether to
 *
 * Return: 0, or -ENODEV for gateware without a page bitmap
 */
int litemrc_young_set(struct litemrc *mon, bool on)
{
	if (!mon->parameters.page_bitmap)
		return on ? -ENODEV : 0;
	if (on)
		WRITE_ONCE(mon->young.on, true);
	else
		stop(mon);
	return 0;
}

bool litemrc_young_wanted(const struct litemrc *mon)
{
	return READ_ONCE(mon->young.on);
}

/*
 * The end of an epoch, in the interrupt's thread: the scheduler set its time when it took the
 * processor from the process that ran at the end. Bits that a walk has not taken yet remain.
 */
void litemrc_young_pass(struct litemrc *mon, const u32 *bits, u32 words)
{
	struct litemrc_young *young = &mon->young;
	u32 word;

	mutex_lock(&young->lock);
	if (young->on) {
		for (word = 0; word < words; word++)
			young->pending[word] |= bits[word];
		young->passed = current->se.exec_start;
		schedule_work(&young->work);
	}
	mutex_unlock(&young->lock);
}

void litemrc_young_events(struct litemrc *mon, struct litemrc_young_events *events)
{
	*events = (struct litemrc_young_events){};
	if (!mon->young.words)
		return;
	mutex_lock(&mon->young.lock);
	*events = mon->young.events;
	mutex_unlock(&mon->young.lock);
}
