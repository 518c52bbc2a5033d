// SPDX-License-Identifier: GPL-2.0
/*
 * Empties a rank of the memory: the kernel moves its pages elsewhere and the
 * driver holds all of them, so that no allocation finds one, until the rank is
 * opened again.
 *
 * Only ranks that an area of the device tree covers ("shared-dma-pool",
 * reusable) can be emptied: there the kernel allocates nothing but movable
 * pages.
 */
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/of_address.h>
#include <linux/page_ref.h>
#include <linux/pageblock-flags.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "ranks.h"

#define EVACUATE_TRIES 5

/**
 * litemrc_pages_of_rank() - pages of a rank
 * @mon: the monitor
 *
 * Return: their number
 */
u32 litemrc_pages_of_rank(const struct litemrc *mon)
{
	return mon->parameters.frames / mon->parameters.ranks;
}

static unsigned long litemrc_first_of_rank(const struct litemrc *mon,
					   unsigned int rank)
{
	return mon->first_pfn + rank * litemrc_pages_of_rank(mon);
}

static struct zone *litemrc_zone_of_rank(const struct litemrc *mon,
					 unsigned int rank)
{
	unsigned long pfn = litemrc_first_of_rank(mon, rank);

	return pfn_valid(pfn) ? page_zone(pfn_to_page(pfn)) : NULL;
}

/**
 * litemrc_node_of_rank() - NUMA node of a rank
 * @mon: the monitor
 * @rank: number of the rank
 *
 * Return: number of the node
 */
int litemrc_node_of_rank(const struct litemrc *mon, unsigned int rank)
{
	return pfn_to_nid(litemrc_first_of_rank(mon, rank));
}

/**
 * litemrc_rank_zone_free() - free pages in the zone of a rank
 * @mon: the monitor
 * @rank: number of the rank; its zone must hold no other one
 *
 * Return: their number
 */
u32 litemrc_rank_zone_free(const struct litemrc *mon, unsigned int rank)
{
	struct zone *zone = litemrc_zone_of_rank(mon, rank);

	return zone ? zone_page_state_snapshot(zone, NR_FREE_PAGES) : 0;
}

/* Changes the state if it is @from. */
static bool litemrc_rank_change(struct litemrc_evacuation *all,
				unsigned int rank,
				enum litemrc_rank_memory from,
				enum litemrc_rank_memory to)
{
	bool is;

	spin_lock(&all->lock);
	is = all->rank[rank].memory == from;
	if (is)
		all->rank[rank].memory = to;
	spin_unlock(&all->lock);
	return is;
}

/*
 * Frees pages that the driver holds. free_contig_range() alone frees and merges
 * them one by one.
 */
static void litemrc_free_block(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);
	unsigned long at;

	/* A block has one reference, that of its first page. */
	for (at = 1; at < pageblock_nr_pages; at++)
		if (!page_ref_freeze(page + at, 1))
			break;
	if (at == pageblock_nr_pages) {
		__free_pages(page, pageblock_order);
		return;
	}
	/* Someone else refers to a page at this moment. */
	while (--at)
		page_ref_unfreeze(page + at, 1);
	free_contig_range(pfn, pageblock_nr_pages);
}

static void litemrc_free_pages_of_rank(unsigned long pfn, u32 pages)
{
	unsigned long end = pfn + pages;

	for (; pfn + pageblock_nr_pages <= end; pfn += pageblock_nr_pages)
		litemrc_free_block(pfn);
	free_contig_range(pfn, end - pfn);
}

/**
 * litemrc_give_back() - give the pages of a rank back, if it is closed
 * @all: the ranks
 * @rank: number of the rank
 *
 * Return: the number of the pages, or 0
 */
u32 litemrc_give_back(struct litemrc_evacuation *all, unsigned int rank)
{
	u32 pages = litemrc_pages_of_rank(all->mon);

	if (!litemrc_rank_change(all, rank, LITEMRC_RANK_CLOSED,
				 LITEMRC_RANK_MOVING))
		return 0;
	litemrc_free_pages_of_rank(litemrc_first_of_rank(all->mon, rank),
				   pages);
	litemrc_rank_change(all, rank, LITEMRC_RANK_MOVING, LITEMRC_RANK_OPEN);
	return pages;
}

/*
 * Pages in the buddy system. Others allocate meanwhile, so an order may be
 * anything.
 */
static u32 litemrc_buddy_pages(unsigned long pfn, u32 pages)
{
	u32 found = 0, at = 0;

	while (at < pages) {
		struct page *page = pfn_to_page(pfn + at);
		unsigned long order =
			PageBuddy(page) ? READ_ONCE(page->private) : 0;
		u32 block = order > pageblock_order ? 1 : 1 << order;

		if (PageBuddy(page))
			found += min(block, pages - at);
		at += block;
	}
	return found;
}

static u32 litemrc_rank_free_pages(struct litemrc *mon, unsigned int rank)
{
	u32 pages = litemrc_pages_of_rank(mon);
	unsigned long pfn = litemrc_first_of_rank(mon, rank);

	if (mon->ranks->evacuation->rank[rank].memory == LITEMRC_RANK_CLOSED)
		return pages;
	return pfn_valid(pfn) && pfn_valid(pfn + pages - 1) ?
		       litemrc_buddy_pages(pfn, pages) :
		       0;
}

/* References that a user's page has without being pinned. */
static int litemrc_explained_references(struct page *page)
{
	bool cached = PageAnon(page) ? PageSwapCache(page) :
				       !!READ_ONCE(page->mapping);

	return page_mapcount(page) + cached + page_has_private(page);
}

/* Of zram, for example; such pages are on no LRU list. */
static bool litemrc_is_movable_by_owner(struct page *page)
{
	return (unsigned long)page->mapping & PAGE_MAPPING_MOVABLE &&
	       !PageAnon(page);
}

/* Counts what remains in a rank and would not have moved. */
static void litemrc_note_unmoved(unsigned long pfn, u32 pages, u32 *unmoved)
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
		} else if (!PageLRU(page) &&
			   !litemrc_is_movable_by_owner(page)) {
			unmoved[LITEMRC_KERNEL]++;
		} else if (PageLocked(page) || PageWriteback(page)) {
			unmoved[LITEMRC_BUSY]++;
		} else if (PageLRU(page) &&
			   page_count(page) >
				   litemrc_explained_references(page)) {
			unmoved[LITEMRC_PINNED]++;
		}
	}
}

/**
 * litemrc_spare_pages() - free pages of the whole memory beyond the kernel's
 * watermarks
 * @all: the ranks; closed ones have none
 *
 * Return: their number; negative if there are fewer
 */
long litemrc_spare_pages(const struct litemrc_evacuation *all)
{
	long spare = global_zone_page_state(NR_FREE_PAGES);
	struct zone *zone, *before = NULL;
	unsigned int rank;

	for (rank = 0; rank < all->mon->parameters.ranks; rank++) {
		zone = litemrc_zone_of_rank(all->mon, rank);
		if (zone && zone != before &&
		    all->rank[rank].memory != LITEMRC_RANK_CLOSED)
			spare -= high_wmark_pages(zone);
		before = zone;
	}
	return spare;
}

static int litemrc_move_pages_away(struct litemrc_evacuation *all,
				   unsigned long pfn, u32 pages)
{
	int ret = -EBUSY;
	unsigned int try;

	for (try = 0; try < EVACUATE_TRIES && ret == -EBUSY; try++) {
		if (READ_ONCE(all->oom_requests))
			break;
		if (fatal_signal_pending(current))
			return -EINTR;
		/*
		 * Who is unmapping pages refers to them, and may have yielded
		 * the processor.
		 */
		if (try)
			schedule_timeout_killable(1 << (try - 1));
		/*
		 * All at once: the pages of one block would move to the next.
		 */
		WRITE_ONCE(all->mon->migrating, current);
		ret = alloc_contig_range(pfn, pfn + pages, MIGRATE_CMA,
					 GFP_KERNEL | __GFP_NOWARN);
		WRITE_ONCE(all->mon->migrating, NULL);
	}
	return ret;
}

/**
 * litemrc_evacuate() - empty a rank
 * @mon: the monitor
 * @rank: number of the rank
 *
 * One at a time. When the rank is closed, the caller may have it sleep.
 *
 * Return: 0, also if it is closed already; -ENODEV if it cannot be emptied;
 * -EAGAIN while a rank is being emptied or opened; -ENOSPC if memory is short;
 * -EBUSY if a page stays; -EINTR if the task is killed
 */
int litemrc_evacuate(struct litemrc *mon, unsigned int rank)
{
	struct litemrc_evacuation *all = mon->ranks->evacuation;
	struct litemrc_evacuated *last = &all->rank[rank];
	unsigned long pfn = litemrc_first_of_rank(mon, rank);
	u32 pages = litemrc_pages_of_rank(mon), used, free;
	ktime_t begin = ktime_get();
	unsigned int other;
	long spare;
	int ret = 0;

	spin_lock(&all->lock);
	for (other = 0; other < mon->parameters.ranks; other++)
		if (all->rank[other].memory == LITEMRC_RANK_MOVING)
			ret = -EAGAIN;
	if (last->memory == LITEMRC_RANK_FIXED)
		ret = -ENODEV;
	if (ret || last->memory == LITEMRC_RANK_CLOSED) {
		spin_unlock(&all->lock);
		return ret;
	}
	last->memory = LITEMRC_RANK_MOVING;
	all->oom_requests = 0;
	spin_unlock(&all->lock);

	free = litemrc_buddy_pages(pfn, pages);
	used = pages - free;
	/* Signed: the spare pages may be fewer than the rank's free ones. */
	spare = litemrc_spare_pages(all) - (long)free;
	ret = spare < (long)used ? -ENOSPC :
				   litemrc_move_pages_away(all, pfn, pages);
	memset(last->unmoved, 0, sizeof(last->unmoved));
	if (ret == -EBUSY)
		litemrc_note_unmoved(pfn, pages, last->unmoved);
	last->moved = ret ? 0 : used;
	last->us = ktime_us_delta(ktime_get(), begin);
	litemrc_rank_change(all, rank, LITEMRC_RANK_MOVING,
			    ret ? LITEMRC_RANK_OPEN : LITEMRC_RANK_CLOSED);
	if (READ_ONCE(all->oom_requests))
		litemrc_give_back(all, rank);
	return READ_ONCE(all->oom_requests) || ret == -ENOMEM ? -ENOSPC : ret;
}

/**
 * litemrc_open_rank() - open a rank, if it is closed
 * @mon: the monitor
 * @rank: number of the rank
 *
 * Return: 0; -ENODEV if it cannot be emptied; -EAGAIN while it is being emptied
 * or opened
 */
int litemrc_open_rank(struct litemrc *mon, unsigned int rank)
{
	switch (READ_ONCE(mon->ranks->evacuation->rank[rank].memory)) {
	case LITEMRC_RANK_FIXED:
		return -ENODEV;
	case LITEMRC_RANK_MOVING:
		return -EAGAIN;
	default:
		litemrc_give_back(mon->ranks->evacuation, rank);
		return 0;
	}
}

/* Does a reusable area of the device tree cover the whole rank? */
static bool litemrc_is_movable(const struct litemrc *mon, unsigned int rank)
{
	phys_addr_t begin = PFN_PHYS(litemrc_first_of_rank(mon, rank));
	phys_addr_t end = begin + PFN_PHYS(litemrc_pages_of_rank(mon));
	struct device_node *areas = of_find_node_by_path("/reserved-memory"),
			   *area;
	struct resource covers;
	bool movable = false;

	for_each_available_child_of_node(areas, area)
		if (of_device_is_compatible(area, "shared-dma-pool") &&
		    of_property_read_bool(area, "reusable") &&
		    !of_address_to_resource(area, 0, &covers))
			movable |= covers.start <= begin &&
				   covers.end >= end - 1;
	of_node_put(areas);
	return movable && pfn_valid(PHYS_PFN(begin)) &&
	       pfn_valid(PHYS_PFN(end) - 1);
}

/**
 * litemrc_evacuation_init() - find the ranks that can be emptied
 * @mon: the monitor
 *
 * Return: 0 or -ENOMEM
 */
int litemrc_evacuation_init(struct litemrc *mon)
{
	unsigned int rank, ranks = mon->parameters.ranks;
	struct litemrc_evacuation *all =
		kzalloc(struct_size(all, rank, ranks), GFP_KERNEL);

	if (!all)
		return -ENOMEM;
	all->mon = mon;
	spin_lock_init(&all->lock);
	for (rank = 0; rank < ranks; rank++)
		if (litemrc_is_movable(mon, rank))
			all->rank[rank].memory = LITEMRC_RANK_OPEN;
	mon->ranks->evacuation = all;
	return 0;
}

/**
 * litemrc_evacuation_stop() - open all ranks; none can be emptied any more
 * @mon: the monitor; the files are gone
 */
void litemrc_evacuation_stop(struct litemrc *mon)
{
	struct litemrc_evacuation *all = mon->ranks->evacuation;
	unsigned int rank;

	if (!all)
		return;
	for (rank = 0; rank < mon->parameters.ranks; rank++)
		litemrc_give_back(all, rank);
	mon->ranks->evacuation = NULL;
	kfree(all);
}

/* ranks/N/evacuate, free_pages, and evacuation/. */

static const char *const litemrc_memory_names[] = {
	[LITEMRC_RANK_FIXED] = "fixed",
	[LITEMRC_RANK_OPEN] = "open",
	[LITEMRC_RANK_MOVING] = "moving",
	[LITEMRC_RANK_CLOSED] = "closed",
};

static ssize_t evacuate_show(struct kobject *kobj,
			     struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	u32 memory = READ_ONCE(mon->ranks->evacuation->rank[rank].memory);

	return sysfs_emit(text, "%s\n", litemrc_memory_names[memory]);
}

static ssize_t evacuate_store(struct kobject *kobj,
			      struct kobj_attribute *attribute,
			      const char *text, size_t bytes)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	u32 on;
	int ret;

	ret = litemrc_parse_number(text, &on);
	if (ret || on > 1)
		return -EINVAL;
	ret = on ? litemrc_evacuate(mon, rank) : litemrc_open_rank(mon, rank);
	return ret ?: bytes;
}

static ssize_t free_pages_show(struct kobject *kobj,
			       struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);

	return sysfs_emit(text, "%u\n", litemrc_rank_free_pages(mon, rank));
}

/* A number of the last evacuation of a rank; all are u32. */
static ssize_t litemrc_evacuated_show(struct kobject *kobj,
				      struct kobj_attribute *attribute,
				      char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	const void *last = &mon->ranks->evacuation->rank[rank];

	last += litemrc_place_of(attribute);
	return sysfs_emit(text, "%u\n", READ_ONCE(*(u32 *)last));
}

#define LITEMRC_EVACUATED(_name, _member)                        \
	LITEMRC_PLACED(evacuated, _name, litemrc_evacuated_show, \
		       offsetof(struct litemrc_evacuated, _member))

LITEMRC_EVACUATED(moved, moved);
LITEMRC_EVACUATED(microseconds, us);
LITEMRC_EVACUATED(pinned, unmoved[LITEMRC_PINNED]);
LITEMRC_EVACUATED(kernel, unmoved[LITEMRC_KERNEL]);
LITEMRC_EVACUATED(busy, unmoved[LITEMRC_BUSY]);
static struct kobj_attribute litemrc_evacuate_file =
	__ATTR_RW_MODE(evacuate, 0600);
static struct kobj_attribute litemrc_free_pages_file =
	__ATTR_RO_MODE(free_pages, 0400);

static struct attribute *litemrc_evacuate_files[] = {
	&litemrc_evacuate_file.attr, &litemrc_free_pages_file.attr, NULL
};

static const struct attribute_group litemrc_evacuate_group = {
	.attrs = litemrc_evacuate_files,
};

static struct attribute *litemrc_evacuated_files[] = {
	LITEMRC_FILE(evacuated, moved), LITEMRC_FILE(evacuated, microseconds),
	LITEMRC_FILE(evacuated, pinned), LITEMRC_FILE(evacuated, kernel),
	LITEMRC_FILE(evacuated, busy), NULL
};

static const struct attribute_group litemrc_evacuated_group = {
	.name = "evacuation",
	.attrs = litemrc_evacuated_files,
};

static const struct attribute_group *litemrc_evacuate_groups[] = {
	&litemrc_evacuate_group, &litemrc_evacuated_group, NULL
};

/**
 * litemrc_evacuate_files_add() - add the files of evacuations to the folders of
 * the ranks
 * @mon: the monitor; the folders exist, and their removal removes these files,
 *   too
 *
 * Return: 0 or a negative error
 */
int litemrc_evacuate_files_add(struct litemrc *mon)
{
	struct litemrc_folders *folders = &mon->ranks->folders;
	unsigned int rank;
	int ret = 0;

	for (rank = 0; !ret && rank < folders->count; rank++)
		ret = sysfs_create_groups(folders->child[rank],
					  litemrc_evacuate_groups);
	return ret;
}
