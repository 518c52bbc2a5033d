/* SPDX-License-Identifier: GPL-2.0 */
/* Ranks without data: evacuate.c moves pages, sysfs/evacuate.c has the files. */
#ifndef LITEMRC_EVACUATE_H
#define LITEMRC_EVACUATE_H

#include <linux/notifier.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

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

/* Empties ranks under the policy mrc; only the work of ranks/governor.c changes all but @margin. */
struct litemrc_governor {
	struct timer_list timer;
	struct work_struct work;
	bool governs; /* the policy is mrc */
	bool stopped; /* the timer is not set any more */
	u32 margin; /* pages that stay free in the open ranks; 0: off */
	u32 working_set; /* pages, without those of the kernel's rank */
	u32 epoch; /* epochs finished */
	u32 hold; /* epochs until a rank may be closed */
	u32 pause, paused_at; /* length and begin of the last pause, in epochs */
	unsigned long closed_by_governor; /* bit n: the governor has closed rank n */
	unsigned int failed; /* the rank that did not become empty at the last attempt; 0: it did */
	u32 evacuations, openings, busy, no_room;
	u64 moved, us; /* pages and time of all evacuations */
};

struct litemrc_evacuation {
	struct litemrc *mon;
	struct litemrc_governor governor;
	spinlock_t lock; /* guards all below */
	struct shrinker shrinker;
	struct notifier_block oom;
	unsigned int oom_requests; /* during the running evacuation; more than 0 ends it in vain */
	struct task_struct *nice; /* it evacuates with a low priority */
	struct litemrc_evacuated rank[];
};

#ifdef LITEMRC_EVACUATION
int litemrc_evacuation_init(struct litemrc *mon);
void litemrc_evacuation_stop(struct litemrc *mon);
int litemrc_evacuate(struct litemrc *mon, unsigned int rank);
int litemrc_open_rank(struct litemrc *mon, unsigned int rank);
u32 litemrc_rank_free_pages(struct litemrc *mon, unsigned int rank);
void litemrc_last_evacuation(struct litemrc *mon, unsigned int rank,
			     struct litemrc_evacuated *last);

/* for pressure.c and ranks/governor.c */
u32 litemrc_pages_of_rank(const struct litemrc *mon);
int litemrc_node_of_rank(const struct litemrc *mon, unsigned int rank);
u32 litemrc_give_back(struct litemrc_evacuation *all, unsigned int rank);
long litemrc_spare_pages(const struct litemrc_evacuation *all);

u32 litemrc_rank_zone_free(const struct litemrc *mon, unsigned int rank);

/* pressure.c */
int litemrc_pressure_register(struct litemrc_evacuation *all);
void litemrc_pressure_unregister(struct litemrc_evacuation *all);

/* unmoved.c */
void litemrc_note_unmoved(unsigned long pfn, u32 pages, u32 *unmoved);

/* ranks/governor.c */
void litemrc_governor_init(struct litemrc_evacuation *all);
void litemrc_governor_stop(struct litemrc_evacuation *all);
void litemrc_govern(struct litemrc *mon);
int litemrc_set_margin(struct litemrc *mon, u32 margin);

/* sysfs/evacuate.c */
int litemrc_add_evacuate_files(struct litemrc *mon);
#else
static inline int litemrc_evacuation_init(struct litemrc *mon)
{
	return 0;
}

static inline void litemrc_evacuation_stop(struct litemrc *mon) {}

static inline void litemrc_govern(struct litemrc *mon) {}

static inline int litemrc_add_evacuate_files(struct litemrc *mon)
{
	return 0;
}
#endif

#endif
