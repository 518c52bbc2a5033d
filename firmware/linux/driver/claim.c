// SPDX-License-Identifier: GPL-2.0
/* After a clear: one access to each page frame in use assigns its page to context 0. */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "litemrc.h"

/*
 * The reads must reach the DRAM. All have the same offset in their pages, so in a cache of at most
 * this many pages per way each evicts an earlier one. Only the first reads may hit lines that were
 * cached before; they are repeated after the last.
 */
#define LITEMRC_AGAIN 64

/* Free pages, including those on per-CPU lists, have no references. */
static bool is_in_use(struct page *page)
{
	return page_ref_count(page);
}

static void claim_frame(struct litemrc *mon, u32 frame)
{
	unsigned long pfn = mon->first_pfn + frame;
	struct page *page;
	void *address;
	u32 word;

	if (!pfn_valid(pfn))
		return;
	page = pfn_to_page(pfn);
	if (!is_in_use(page))
		return;
	/* The kernel does not use frames that it has not mapped: a fault is ignored. */
	address = kmap_local_page(page);
	if (copy_from_kernel_nofault(&word, address, sizeof(word)))
		word = 0;
	kunmap_local(address);
	/* Freed meanwhile: the hook's invalidation may have preceded the read. */
	if (!is_in_use(page))
		litemrc_invalidate(mon, frame);
}

void litemrc_claim(struct litemrc *mon)
{
	u32 frames = mon->parameters.frames;
	u32 i;

	for (i = 0; i < frames + min_t(u32, frames, LITEMRC_AGAIN); i++) {
		claim_frame(mon, i % frames);
		cond_resched();
	}
}
