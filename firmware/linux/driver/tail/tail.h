/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that keep the tail of refault distances; ../README.md describes it.
 */
#ifndef LITEMRC_TAIL_H
#define LITEMRC_TAIL_H

#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/memcontrol.h>
#include <linux/mm_types.h>
#include <linux/rbtree.h>

#include "litemrc.h"

#define LITEMRC_EVICTED_MIN 1024 /* places for evicted pages */

/* An evicted page, until it comes back. */
struct litemrc_page {
	unsigned long index; /* swap entry, or index in the file */
	u32 file; /* hash of the file; 0: in swap */
};

/* Its place, in use if it is in a bucket of the hash. */
struct litemrc_evicted {
	struct rb_node node; /* of its context's tree, in order of eviction */
	u32 size; /* of its subtree */
	struct hlist_node same; /* pages of the same hash, or free places */
	struct litemrc_page page;
	u8 context;
	u8 sweep; /* number of the sweep that found it last */
};

/* The tail of one context. */
struct litemrc_tail {
	struct mem_cgroup *memcg; /* with a reference; NULL: no tail */
	bool active; /* counting; false once its process has ended */
	bool recorded; /* all that it counted, after its process ended */
	bool exclusive; /* of a process alone in its cgroup */
	struct rb_root evicted;
	u32 swapped; /* of these, in swap */
	/*
	 * at most this many of those in swap were discarded, not brought back
	 */
	u32 gone;
	u32 gone_since; /* likewise, since the sweep under way began */
	u8 sweep;
	/* the last one whose pages in swap changed, for comparison only */
	struct mm_struct *mm;
	long mm_swapped; /* and their number then */
	u32 refaults; /* these and those below: since the last record */
	u32 unidentified;
	u32 *counts; /* by group of LRU position */
};

struct litemrc_tails {
	/* inside @lock of the monitor; guards all below except @work */
	raw_spinlock_t lock;
	struct litemrc_tail of[LITEMRC_CONTEXTS_MAX];
	struct litemrc_evicted *places;
	u32 count; /* of places */
	struct hlist_head free;
	struct hlist_head *hash;
	u32 hash_bits;
	u32 group_pages;
	u32 groups;
	u32 *counts;
	struct litemrc *mon;
	bool probing; /* guarded by @settings */
	struct work_struct work;
};

/* order.c */
int litemrc_order_init(struct litemrc_tails *tails, u32 count);
struct litemrc_evicted *litemrc_evicted_find(struct litemrc_tails *tails,
					     const struct litemrc_page *page);
void litemrc_evicted_add(struct litemrc_tails *tails, unsigned int context,
			 const struct litemrc_page *page);
u32 litemrc_evicted_later(const struct litemrc_evicted *evicted);
u32 litemrc_evicted_count(const struct litemrc_tail *tail);
void litemrc_evicted_remove(struct litemrc_tails *tails,
			    struct litemrc_evicted *evicted);

/* probes.c */
int litemrc_tail_probes_register(struct litemrc_tails *tails);
void litemrc_tail_probes_unregister(struct litemrc_tails *tails);
void litemrc_tail_sweep(struct litemrc_tails *tails, unsigned int context);

#endif
