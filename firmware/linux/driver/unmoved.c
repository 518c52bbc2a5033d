// SPDX-License-Identifier: GPL-2.0
/* Why an evacuation failed: the pages in a rank that would not have moved. */
#include <linux/mm.h>

#include "evacuate.h"

/* References that a user's page has without being pinned. */
static int litemrc_explained_references(struct page *page)
{
	bool cached = PageAnon(page) ? PageSwapCache(page) : !!READ_ONCE(page->mapping);

	return page_mapcount(page) + cached + page_has_private(page);
}

/* Of zram, for example; such pages are on no LRU list. */
static bool litemrc_is_movable_by_owner(struct page *page)
{
	return (unsigned long)page->mapping & PAGE_MAPPING_MOVABLE && !PageAnon(page);
}

/* Counts what remains in a rank and would not have moved. */
void litemrc_note_unmoved(unsigned long pfn, u32 pages, u32 *unmoved)
{
	u32 at;

	memset(unmoved, 0, LITEMRC_UNMOVED_KINDS * sizeof(*unmoved));
	for (at = 0; at < pages; at++) {
		struct page *page = compound_head(pfn_to_page(pfn + at));

		if (PageBuddy(page)) {
			/* Read once: the page may be allocated meanwhile. */
			unsigned long order = READ_ONCE(page->private);

			if (order <= pageblock_order)
				at += (1U << order) - 1;
		} else if (!page_count(page)) {
			continue; /* on its way to or from the buddy system */
		} else if (!PageLRU(page) && !litemrc_is_movable_by_owner(page)) {
			unmoved[LITEMRC_KERNEL]++;
		} else if (PageLocked(page) || PageWriteback(page)) {
			unmoved[LITEMRC_BUSY]++;
		} else if (PageLRU(page) && page_count(page) > litemrc_explained_references(page)) {
			unmoved[LITEMRC_PINNED]++;
		}
	}
}
