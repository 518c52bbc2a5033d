/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rank meter, rank power, and ranks without data: between the files of
 * litemrc_ranks.
 */
#ifndef LITEMRC_RANKS_H
#define LITEMRC_RANKS_H

#include <linux/ioport.h>
#include <linux/notifier.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "litemrc.h"

#define LITEMRC_RANK_STATES 5

/* Parameters of the sleep policy, as in the registers. */
struct litemrc_rank_policy {
	u32 kind;
	u32 static_state;
	u32 mrc_state;
	u32 mrc_base;
	/* idle cycles before power-down, self-refresh; 0: never */
	u32 threshold[2];
};

struct litemrc_working_set {
	u32 automatic;
	u32 groups;
	u32 epsilon; /* of 2^16 */
};

struct litemrc_ranks {
	const struct litemrc_ops *ops; /* NULL: no rank power unit */
	void *io;
	u32 domains;
	u32 states; /* bit n: the state of number n can be reached */
	u32 virtual; /* domains are slices of one rank */
	struct litemrc_dram dram;
	struct litemrc_mmio mmio; /* of a unit in the device tree */
	struct resource range[2]; /* of it; without flags: not requested */
	struct litemrc_folders folders;
	/* NULL: this kernel cannot move pages */
	struct litemrc_evacuation *evacuation;
	/* Counters since load; guarded by the ring's lock. */
	u64 total[LITEMRC_RANKS_MAX][LITEMRC_METER_ROW];
};

enum litemrc_rank_memory {
	LITEMRC_RANK_FIXED, /* not, or not only, memory that can be emptied */
	LITEMRC_RANK_OPEN,
	LITEMRC_RANK_MOVING, /* between the other two, in either direction */
	/* it holds no data; the driver has all its pages */
	LITEMRC_RANK_CLOSED,
};

/* Why a page could not be moved. */
enum litemrc_unmoved {
	/* a user's page that a device or a part of the kernel refers to */
	LITEMRC_PINNED,
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

/*
 * Empties ranks under the policy mrc; only the work of ranks/governor.c changes
 * all but @margin.
 */
struct litemrc_governor {
	struct timer_list timer;
	struct work_struct work;
	u32 governs; /* the policy is mrc */
	bool stopped; /* the timer is not set any more */
	u32 margin; /* pages that stay free in the open ranks; 0: off */
	u32 working_set; /* pages, without those of the kernel's rank */
	u32 epoch; /* epochs finished */
	u32 hold; /* epochs until a rank may be closed */
	/* length and begin of the last pause, in epochs */
	u32 pause, paused_at;
	/* bit n: the governor has closed rank n */
	unsigned long closed_by_governor;
	/* the rank that did not become empty at the last attempt; 0: it did */
	unsigned int failed;
	u32 evacuations, openings, busy, no_room;
	u64 moved, us; /* pages and time of all evacuations */
};

struct litemrc_evacuation {
	struct litemrc *mon;
	struct litemrc_governor governor;
	spinlock_t lock; /* guards all below */
	struct shrinker shrinker;
	struct notifier_block oom;
	/* during the running evacuation; more than 0 ends it in vain */
	unsigned int oom_requests;
	struct task_struct *nice; /* it evacuates with a low priority */
	struct litemrc_evacuated rank[];
};

/* Names in sysfs, by number; NULL: no such number. */
extern const char *const litemrc_rank_state_names[LITEMRC_RANK_STATES];
extern const char *const litemrc_rank_policy_names[LITEMRC_POLICY_MRC + 1];

/* ranks.c */
int litemrc_ranks_find(struct litemrc *mon);
void litemrc_ranks_free(struct litemrc *mon);
void litemrc_ranks_quiet(struct litemrc *mon);
void litemrc_ranks_fill(struct litemrc *mon, struct litemrc_epoch *record);
u32 litemrc_rank_state(const struct litemrc *mon, unsigned int rank);
u64 litemrc_rank_total(struct litemrc *mon, unsigned int rank,
		       unsigned int word);
u64 litemrc_rank_us(const struct litemrc *mon, u64 cycles);
int litemrc_rank_set_state(struct litemrc *mon, unsigned int rank, u32 state);
void litemrc_rank_get_policy(const struct litemrc *mon,
			     struct litemrc_rank_policy *policy);
int litemrc_rank_set_policy(struct litemrc *mon,
			    const struct litemrc_rank_policy *policy);
void litemrc_get_working_set(const struct litemrc *mon,
			     struct litemrc_working_set *set);
int litemrc_set_working_set(struct litemrc *mon,
			    const struct litemrc_working_set *set);

static inline u32 litemrc_ranks_read(const struct litemrc_ranks *ranks,
				     unsigned int offset)
{
	return ranks->ops->read(ranks->io, offset);
}

static inline void litemrc_ranks_write(struct litemrc_ranks *ranks,
				       unsigned int offset, u32 value)
{
	ranks->ops->write(ranks->io, offset, value);
}

/* evacuate.c */
#ifdef LITEMRC_EVACUATION
int litemrc_evacuation_init(struct litemrc *mon);
void litemrc_evacuation_stop(struct litemrc *mon);
int litemrc_evacuate_files_add(struct litemrc *mon);
int litemrc_evacuate(struct litemrc *mon, unsigned int rank);
int litemrc_open_rank(struct litemrc *mon, unsigned int rank);

/* for governor.c */
u32 litemrc_pages_of_rank(const struct litemrc *mon);
int litemrc_node_of_rank(const struct litemrc *mon, unsigned int rank);
u32 litemrc_give_back(struct litemrc_evacuation *all, unsigned int rank);
long litemrc_spare_pages(const struct litemrc_evacuation *all);

u32 litemrc_rank_zone_free(const struct litemrc *mon, unsigned int rank);

/* governor.c */
int litemrc_governor_add(struct litemrc *mon);
void litemrc_governor_remove(struct litemrc *mon);
void litemrc_govern(struct litemrc *mon);

#else
static inline int litemrc_evacuation_init(struct litemrc *mon)
{
	return 0;
}

static inline void litemrc_evacuation_stop(struct litemrc *mon)
{
}

static inline int litemrc_evacuate_files_add(struct litemrc *mon)
{
	return 0;
}

static inline int litemrc_governor_add(struct litemrc *mon)
{
	return 0;
}

static inline void litemrc_governor_remove(struct litemrc *mon)
{
}

static inline void litemrc_govern(struct litemrc *mon)
{
}
#endif

#endif
