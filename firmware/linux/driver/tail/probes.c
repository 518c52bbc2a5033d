// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's tracepoints that report evictions and refaults, registered while
 * a context has a tail. They are called with preemption disabled (not in 7.2),
 * some with interrupts off or under locks of the memory management, in reclaim:
 * the hooks neither allocate nor sleep.
 *
 * mm_vmscan_write_folio: reclaim has written a page to swap.
 *
 * rss_stat: pages of a process in swap: one less at a refault.
 *
 * mm_filemap_delete_from_page_cache: in reclaim, a page of a file is evicted.
 *
 * mm_filemap_add_to_page_cache: such a page is about to be read again.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/tracepoint.h>
#include <trace/events/filemap.h>
#include <trace/events/kmem.h>
#include <trace/events/vmscan.h>

#include "compat.h"
#include "tail.h"

static bool litemrc_tail_is_reclaiming(void)
{
	return current->flags & PF_MEMALLOC;
}

/*
 * Returns the context of pages charged to a memory cgroup: that of the deepest
 * cgroup, and of a process rather than of its cgroup; 0: none. Caller holds
 * @lock.
 */
static unsigned int litemrc_tail_context_of(const struct litemrc_tails *tails,
					    const struct mem_cgroup *memcg)
{
	unsigned int context, found = 0;
	int level = -1;

	for (context = 1; memcg && context < tails->mon->parameters.contexts;
	     context++) {
		const struct litemrc_tail *tail = &tails->of[context];
		struct cgroup *cgroup;

		if (!tail->active)
			continue;
		cgroup = tail->memcg->css.cgroup;
		if (2 * cgroup->level + tail->exclusive > level &&
		    cgroup_is_descendant(memcg->css.cgroup, cgroup)) {
			level = 2 * cgroup->level + tail->exclusive;
			found = context;
		}
	}
	return found;
}

/*
 * Its memory cgroup is read in an RCU section: since 7.2 it may be released
 * meanwhile.
 */
static unsigned int
litemrc_tail_context_of_folio(const struct litemrc_tails *tails,
			      struct folio *folio)
{
	unsigned int context;

	rcu_read_lock();
	context = litemrc_tail_context_of(tails, folio_memcg(folio));
	rcu_read_unlock();
	return context;
}

static void litemrc_tail_note_evicted(struct litemrc_tails *tails,
				      struct folio *folio,
				      const struct litemrc_page *page)
{
	struct litemrc_evicted *stale;
	unsigned int context;
	unsigned long flags;

	raw_spin_lock_irqsave(&tails->lock, flags);
	/*
	 * The same place in swap has been freed and used again: its page was
	 * discarded.
	 */
	stale = litemrc_evicted_find(tails, page);
	if (stale) {
		struct litemrc_tail *tail = &tails->of[stale->context];

		tail->gone -= min(tail->gone, 1U);
		litemrc_evicted_remove(tails, stale);
	}
	context = litemrc_tail_context_of_folio(tails, folio);
	if (context && !page->file && !folio_test_anon(folio))
		tails->of[context].unidentified++; /* of a tmpfs */
	else if (context)
		litemrc_evicted_add(tails, context, page);
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}

/*
 * Counts an access to an evicted page that has just been charged again. Up to
 * `gone` of the pages evicted later may not be out: the position counts if its
 * group is the same in any case.
 */
static void litemrc_tail_count_refault(struct litemrc_tails *tails,
				       struct litemrc_evicted *evicted)
{
	struct litemrc_tail *tail = &tails->of[evicted->context];
	u32 later = litemrc_evicted_later(evicted);
	u32 position =
		later + max(page_counter_read(&tail->memcg->memory), 1UL) - 1;
	u32 least = position - min(later, tail->gone + tail->gone_since);
	u32 group = min(position / tails->group_pages, tails->groups - 1);

	litemrc_evicted_remove(tails, evicted);
	/* A frozen monitor updates its stacks, but does not count. */
	if (litemrc_read(tails->mon, LITEMRC_STATUS) & LITEMRC_STATUS_FROZEN)
		return;
	tail->refaults++;
	if (group == min(least / tails->group_pages, tails->groups - 1))
		tail->counts[group]++;
	else
		tail->unidentified++;
}

/* An eviction of a page that cannot be named. */
static void litemrc_tail_note_unidentified(struct litemrc_tails *tails,
					   struct folio *folio)
{
	unsigned int context;
	unsigned long flags;

	raw_spin_lock_irqsave(&tails->lock, flags);
	context = litemrc_tail_context_of_folio(tails, folio);
	if (context)
		tails->of[context].unidentified++;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}

/*
 * Writing unlocked the page, so it may leave the swap cache, and its swap entry
 * may go, at any moment. If another task has the lock, the page is on its way
 * back.
 */
static void litemrc_tail_on_write(void *data, struct folio *folio)
{
	struct litemrc_page page = {};

	if (!folio_trylock(folio)) {
		litemrc_tail_note_unidentified(data, folio);
		return;
	}
	page.index = page_private(&folio->page); /* its swap entry */
	if (folio_test_swapcache(folio))
		litemrc_tail_note_evicted(data, folio, &page);
	folio_unlock(folio);
}

/*
 * Pages in swap came back without a known address, or were discarded. Caller
 * holds @lock.
 */
static void litemrc_tail_note_gone(struct litemrc_tail *tail, u32 pages)
{
	tail->gone_since = min(tail->gone_since + pages, tail->swapped);
}

/* Returns whether pages in swap may be gone. Caller holds @lock. */
static bool litemrc_tail_note_swap_in(struct litemrc_tails *tails,
				      struct litemrc_tail *tail,
				      struct mm_struct *mm, long before)
{
	struct litemrc_evicted *evicted;
	struct litemrc_page page = {};

	if (current->mm != mm || !litemrc_fault_entry(mm, &page.index)) {
		if (before < 0)
			litemrc_tail_note_gone(tail, tail->swapped);
		else if (tail->mm_swapped < before)
			litemrc_tail_note_gone(tail, before - tail->mm_swapped);
		return tail->gone_since;
	}
	evicted = litemrc_evicted_find(tails, &page);
	if (evicted && tails->of[evicted->context].active) {
		litemrc_tail_count_refault(tails, evicted);
	} else {
		tail->refaults++;
		tail->unidentified++;
	}
	return false;
}

static struct mem_cgroup *litemrc_tail_memcg_of(struct mm_struct *mm)
{
	struct task_struct *owner = rcu_dereference(mm->owner);

	/* A process that ends has no owner any more. */
	return mem_cgroup_from_task(owner ?: current);
}

static void litemrc_tail_note_swapped(struct litemrc_tails *tails,
				      struct mm_struct *mm)
{
	struct litemrc_tail *tail;
	unsigned int context;
	unsigned long flags;
	bool gone = false;
	long before;

	rcu_read_lock();
	raw_spin_lock_irqsave(&tails->lock, flags);
	context = litemrc_tail_context_of(tails, litemrc_tail_memcg_of(mm));
	if (context) {
		tail = &tails->of[context];
		before = tail->mm == mm ? tail->mm_swapped : -1;
		tail->mm = mm;
		tail->mm_swapped = get_mm_counter(mm, MM_SWAPENTS);
		if (!litemrc_tail_is_reclaiming())
			gone = litemrc_tail_note_swap_in(tails, tail, mm,
							 before);
	}
	raw_spin_unlock_irqrestore(&tails->lock, flags);
	rcu_read_unlock();
	if (gone)
		schedule_work(&tails->work);
}

/*
 * Before 6.6 there is one more argument, the counter: the type of the callback
 * is not checked.
 */
static void litemrc_tail_on_rss_stat(void *data, struct mm_struct *mm,
				     int member)
{
	if (member == MM_SWAPENTS)
		litemrc_tail_note_swapped(data, mm);
}

static struct litemrc_page litemrc_tail_page_of_file(struct folio *folio)
{
	const struct inode *inode = folio->mapping->host;
	u32 file = jhash_3words(inode->i_sb->s_dev, inode->i_ino,
				inode->i_generation, 0);

	return (struct litemrc_page){ .index = folio->index,
				      .file = file ?: 1 };
}

static void litemrc_tail_on_delete(void *data, struct folio *folio)
{
	struct litemrc_page page;

	if (!litemrc_tail_is_reclaiming() || folio_test_swapbacked(folio) ||
	    !folio->mapping->host)
		return;
	page = litemrc_tail_page_of_file(folio);
	litemrc_tail_note_evicted(data, folio, &page);
}

static void litemrc_tail_on_add(void *data, struct folio *folio)
{
	struct litemrc_tails *tails = data;
	struct litemrc_evicted *evicted;
	struct litemrc_page page;
	unsigned long flags;

	if (folio_test_swapbacked(folio) || !folio->mapping->host)
		return;
	page = litemrc_tail_page_of_file(folio);
	raw_spin_lock_irqsave(&tails->lock, flags);
	evicted = litemrc_evicted_find(tails, &page);
	/*
	 * A page that another cgroup reads again is out of the stack of this
	 * one.
	 */
	if (evicted &&
	    litemrc_tail_context_of_folio(tails, folio) == evicted->context)
		litemrc_tail_count_refault(tails, evicted);
	else if (evicted)
		litemrc_evicted_remove(tails, evicted);
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}

static struct litemrc_hook hooks[] = {
	{ "mm_vmscan_write_folio", litemrc_tail_on_write },
	{ "rss_stat", litemrc_tail_on_rss_stat },
	{ "mm_filemap_delete_from_page_cache", litemrc_tail_on_delete },
	{ "mm_filemap_add_to_page_cache", litemrc_tail_on_add },
};

/**
 * litemrc_tail_probes_register() - find and register the hooks of evictions and
 * refaults
 * @tails: the tails
 *
 * Context: Caller holds the monitor's @settings.
 * Return: 0 or a negative error
 */
int litemrc_tail_probes_register(struct litemrc_tails *tails)
{
	typeof(litemrc_tail_on_write) *on_write = litemrc_tail_on_write;
	typeof(litemrc_tail_on_delete) *on_delete = litemrc_tail_on_delete;
	typeof(litemrc_tail_on_add) *on_add = litemrc_tail_on_add;
	struct device *dev = tails->mon->dev;
	int ret;

	check_trace_callback_type_mm_vmscan_write_folio(on_write);
	check_trace_callback_type_mm_filemap_delete_from_page_cache(on_delete);
	check_trace_callback_type_mm_filemap_add_to_page_cache(on_add);
	ret = litemrc_hooks_find(dev, hooks, ARRAY_SIZE(hooks));
	if (!ret)
		ret = litemrc_hooks_add(dev, hooks, ARRAY_SIZE(hooks), tails);
	if (ret)
		dev_err(dev, "no tails\n");
	tails->probing = !ret;
	return ret;
}

/**
 * litemrc_tail_probes_unregister() - unregister the hooks of evictions and
 * refaults
 * @tails: the tails
 *
 * Context: Caller holds the monitor's @settings.
 */
void litemrc_tail_probes_unregister(struct litemrc_tails *tails)
{
	tails->probing = false;
	litemrc_hooks_remove(hooks, ARRAY_SIZE(hooks), tails);
}

/*
 * Nothing reports which places in swap are freed by munmap(), madvise() or an
 * exit. Their number is known, however (rss_stat), and after such an event the
 * page tables of the context's processes show which evicted pages are still
 * out. The others are forgotten.
 */

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

static void litemrc_tail_note_all_seen(void *data, pte_t *entry,
				       unsigned int count)
{
	for (; count; count--)
		litemrc_tail_note_seen(data, *entry++);
}

/* Forgets pages that no table has, of some places; caller holds @lock. */
static void litemrc_tail_forget(struct litemrc_tails *tails,
				unsigned int context, u32 first, u32 end)
{
	struct litemrc_tail *tail = &tails->of[context];
	struct litemrc_evicted *evicted;

	for (evicted = tails->places + first; evicted != tails->places + end;
	     evicted++)
		if (evicted->size && evicted->context == context &&
		    !evicted->page.file && evicted->sweep != tail->sweep)
			litemrc_evicted_remove(tails, evicted);
}

/**
 * litemrc_tail_sweep() - forget a context's pages in swap that no page table
 * has
 * @tails: the tails
 * @context: the context
 *
 * Pages evicted meanwhile have the number of this sweep; pages discarded
 * meanwhile need another.
 *
 * Context: Caller holds the monitor's @settings.
 */
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
	if (litemrc_walk_context(tails->mon, context, LITEMRC_WALK_SHARED,
				 litemrc_tail_note_all_seen, &sweep))
		return;
	for (place = 0; place < tails->count; place += LITEMRC_SWEEP_PLACES) {
		raw_spin_lock_irqsave(&tails->lock, flags);
		litemrc_tail_forget(tails, context, place,
				    min_t(u32, place + LITEMRC_SWEEP_PLACES,
					  tails->count));
		raw_spin_unlock_irqrestore(&tails->lock, flags);
		cond_resched();
	}
	raw_spin_lock_irqsave(&tails->lock, flags);
	tail->gone = 0;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}
