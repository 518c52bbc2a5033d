// SPDX-License-Identifier: GPL-2.0
/*
 * Nothing reports which places in swap are freed by munmap(), madvise() or an exit. Their number is
 * known, however (rss_stat), and after such an event the page tables of the context's processes
 * show which evicted pages are still out. The others are forgotten.
 */
#include "compat.h"
#include "tail.h"
#include "walk.h"

#define LITEMRC_SWEEP_PLACES 64 /* looked at with interrupts off */

struct sweep {
	struct litemrc_tails *tails;
	unsigned int context;
};

static void litemrc_tail_note_seen(const struct sweep *sweep, pte_t pte)
{
	struct litemrc_tails *tails = sweep->tails;
	struct litemrc_page page = {};
	struct litemrc_evicted *evicted;
	unsigned long flags;

	if (!litemrc_swap_entry(pte, &page.index))
		return;
	raw_spin_lock_irqsave(&tails->lock, flags);
	evicted = litemrc_evicted_find(tails, &page);
	if (evicted && evicted->context == sweep->context)
		evicted->sweep = tails->of[sweep->context].sweep;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}

static void litemrc_tail_note_all_seen(void *data, pte_t *entry, unsigned int count)
{
	for (; count; count--)
		litemrc_tail_note_seen(data, *entry++);
}

/* Forgets pages that no table has, of some places; caller holds @lock. */
static void litemrc_tail_forget(struct litemrc_tails *tails, unsigned int context, u32 first, u32 end)
{
	struct litemrc_tail *tail = &tails->of[context];
	struct litemrc_evicted *evicted;

	for (evicted = tails->places + first; evicted != tails->places + end; evicted++)
		if (evicted->size && evicted->context == context && !evicted->page.file &&
		    evicted->sweep != tail->sweep)
			litemrc_evicted_remove(tails, evicted);
}

/* Pages evicted meanwhile have the number of this sweep; pages discarded meanwhile need another. */
void litemrc_tail_sweep(struct litemrc_tails *tails, unsigned int context)
{
	struct sweep sweep = { .tails = tails, .context = context };
	struct litemrc_tail *tail = &tails->of[context];
	unsigned long flags;
	u32 place;

	raw_spin_lock_irqsave(&tails->lock, flags);
	tail->sweep++;
	tail->gone = min(tail->gone + tail->gone_since, tail->swapped);
	tail->gone_since = 0;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
	if (litemrc_walk_context(tails->mon, context, LITEMRC_WALK_SHARED, litemrc_tail_note_all_seen, &sweep))
		return;
	for (place = 0; place < tails->count; place += LITEMRC_SWEEP_PLACES) {
		raw_spin_lock_irqsave(&tails->lock, flags);
		litemrc_tail_forget(tails, context, place,
		       min_t(u32, place + LITEMRC_SWEEP_PLACES, tails->count));
		raw_spin_unlock_irqrestore(&tails->lock, flags);
		cond_resched();
	}
	raw_spin_lock_irqsave(&tails->lock, flags);
	tail->gone = 0;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}
