// SPDX-License-Identifier: GPL-2.0
/*
 * After a clear: one access to each page frame in use assigns its page to context 0.
 *
 * A frame is in use if the page allocator does not have it. Its reference count does not show that:
 * it is 0 also for the frames behind the first of an allocation of several, such as half of each
 * kernel stack. So the allocator's free frames are listed: those in the buddy system, and those on
 * the lists of each processor.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/uaccess.h>

#include "litemrc.h"

/*
 * The reads must reach the DRAM. All have the same offset in their pages, so in a cache of at most
 * this many pages per way each evicts an earlier one. Only the first reads may hit lines that were
 * cached before; they are repeated after the last.
 */
#define LITEMRC_AGAIN 64

/* Notes that a block of frames is free. Also called by the hook of freed pages during a claim. */
void litemrc_note_free(struct litemrc *mon, struct page *page, unsigned int order)
{
	unsigned long frame = page_to_pfn(page) - mon->first_pfn;
	unsigned long end = frame + (1UL << order);

	/* A frame below the watched memory wraps to a large number. */
	for (; frame != end; frame++)
		if (frame < mon->parameters.frames)
			set_bit(frame, mon->free);
}

/* Lists of each order, then those of huge pages. */
static unsigned int order_of_list(unsigned int list)
{
	return list < NR_LOWORDER_PCP_LISTS ? list / MIGRATE_PCPTYPES : pageblock_order;
}

static void note_lists(struct litemrc *mon, struct per_cpu_pages *lists)
{
	struct page *page;
	unsigned int i;

	spin_lock(&lists->lock);
	for (i = 0; i < NR_PCP_LISTS; i++)
		list_for_each_entry(page, &lists->lists[i], pcp_list)
			litemrc_note_free(mon, page, order_of_list(i));
	spin_unlock(&lists->lock);
}

static struct zone *zone_of(unsigned long pfn)
{
	return pfn_valid(pfn) ? page_zone(pfn_to_page(pfn)) : NULL;
}

/*
 * Notes the free frames from @pfn to @end that are in one zone, and returns the frame after them. A
 * page can move between a processor's lists and the buddy system, hence the interrupts: on one
 * processor, both are seen at one moment.
 */
static unsigned long note_zone(struct litemrc *mon, unsigned long pfn, unsigned long end)
{
	struct zone *zone = zone_of(pfn);
	unsigned long flags;
	unsigned int cpu;

	if (!zone)
		return pfn + 1;
	local_irq_save(flags);
	for_each_possible_cpu(cpu)
		note_lists(mon, per_cpu_ptr(zone->per_cpu_pageset, cpu));
	spin_lock(&zone->lock);
	while (pfn < end && zone_of(pfn) == zone) {
		struct page *page = pfn_to_page(pfn);
		unsigned int order = PageBuddy(page) ? page_private(page) : 0;

		if (PageBuddy(page))
			litemrc_note_free(mon, page, order);
		pfn += 1UL << order;
	}
	spin_unlock(&zone->lock);
	local_irq_restore(flags);
	return pfn;
}

/*
 * From here to the end of the claim, frames that become free are noted, too. A block of the buddy
 * system does not cross a multiple of the largest one, so these are taken one at a time.
 */
static void note_all_free(struct litemrc *mon)
{
	unsigned long pfn = mon->first_pfn;
	unsigned long last = mon->first_pfn + mon->parameters.frames;

	bitmap_zero(mon->free, mon->parameters.frames);
	while (pfn < last) {
		unsigned long end = min(last, ALIGN(pfn + 1, MAX_ORDER_NR_PAGES));

		while (pfn < end)
			pfn = note_zone(mon, pfn, end);
		cond_resched();
	}
}

static void claim_frame(struct litemrc *mon, u32 frame)
{
	unsigned long pfn = mon->first_pfn + frame;
	void *address;
	u32 word;

	if (!pfn_valid(pfn) || test_bit(frame, mon->free))
		return;
	/* The kernel does not use frames that it has not mapped: a fault is ignored. */
	address = kmap_local_page(pfn_to_page(pfn));
	if (copy_from_kernel_nofault(&word, address, sizeof(word)))
		word = 0;
	kunmap_local(address);
	if (mon->ops->claimed)
		mon->ops->claimed(mon->io, frame);
	/* Freed meanwhile: the hook's invalidation may have preceded the read. */
	if (test_bit(frame, mon->free))
		litemrc_invalidate(mon, frame);
}

/* Between litemrc_claim_begin() and litemrc_claim_end(). */
void litemrc_claim(struct litemrc *mon)
{
	u32 frames = mon->parameters.frames;
	u32 i;

	note_all_free(mon);
	for (i = 0; i < frames + min_t(u32, frames, LITEMRC_AGAIN); i++) {
		claim_frame(mon, i % frames);
		cond_resched();
	}
}
