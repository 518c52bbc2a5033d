/* SPDX-License-Identifier: GPL-2.0 */
/* Ranks without data: evacuate.c moves pages, sysfs/evacuate.c has the files. */
#ifndef LITEMRC_EVACUATE_H
#define LITEMRC_EVACUATE_H

#include <linux/notifier.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct litemrc;

enum litemrc_rank_memory {
	LITEMRC_RANK_FIXED, /* not, or not only, memory that can be emptied */
	LITEMRC_RANK_OPEN,
	LITEMRC_RANK_MOVING, /* between the other two, in either direction */
	LITEMRC_RANK_CLOSED, /* it holds no data; the driver has all its pages */
};

/* Why a page could not be moved. */
enum litemrc_unmoved {
	LITEMRC_PINNED, /* a user's page that a device or a part of the kernel refers to */
	LITEMRC_KERNEL, /* not a user's page */
	LITEMRC_BUSY, /* locked or being written at that moment */
	LITEMRC_UNMOVED_KINDS
};

/* The last evacuation of a rank. */
struct litemrc_evacuated {
	enum litemrc_rank_memory memory; /* now */
	u32 moved; /* pages; 0 if it failed */
	u32 us;
	u32 unmoved[LITEMRC_UNMOVED_KINDS];
};

struct litemrc_evacuation {
	struct litemrc *mon;
	spinlock_t lock; /* guards all below */
	struct shrinker shrinker;
	struct notifier_block oom;
	unsigned int pleas; /* during the running evacuation; more than 0 ends it in vain */
	struct litemrc_evacuated rank[];
};

#ifdef CONFIG_CONTIG_ALLOC
int litemrc_evacuation_init(struct litemrc *mon);
void litemrc_evacuation_stop(struct litemrc *mon);
int litemrc_evacuate(struct litemrc *mon, unsigned int rank);
int litemrc_open_rank(struct litemrc *mon, unsigned int rank);
u32 litemrc_rank_free_pages(struct litemrc *mon, unsigned int rank);
void litemrc_last_evacuation(struct litemrc *mon, unsigned int rank,
			     struct litemrc_evacuated *last);

/* for pressure.c */
u32 litemrc_pages_of_rank(const struct litemrc *mon);
int litemrc_node_of_rank(const struct litemrc *mon, unsigned int rank);
u32 litemrc_give_back(struct litemrc_evacuation *all, unsigned int rank);
long litemrc_spare_pages(const struct litemrc_evacuation *all);

/* pressure.c */
int litemrc_pressure_register(struct litemrc_evacuation *all);
void litemrc_pressure_unregister(struct litemrc_evacuation *all);

/* unmoved.c */
void litemrc_note_unmoved(unsigned long pfn, u32 pages, u32 *unmoved);

/* sysfs/evacuate.c */
int litemrc_add_evacuate_files(struct litemrc *mon);
#else
static inline int litemrc_evacuation_init(struct litemrc *mon)
{
	return 0;
}

static inline void litemrc_evacuation_stop(struct litemrc *mon) {}

static inline int litemrc_add_evacuate_files(struct litemrc *mon)
{
	return 0;
}
#endif

#endif
