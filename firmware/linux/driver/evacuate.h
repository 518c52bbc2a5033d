/* SPDX-License-Identifier: GPL-2.0 */
/* Ranks without data: evacuate.c moves the pages, sysfs/evacuate.c has the files. */
#ifndef LITEMRC_EVACUATE_H
#define LITEMRC_EVACUATE_H

#include <linux/types.h>

struct litemrc;
struct litemrc_evacuation;

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

#ifdef CONFIG_CONTIG_ALLOC
int litemrc_evacuation_init(struct litemrc *mon);
void litemrc_evacuation_stop(struct litemrc *mon);
int litemrc_evacuate(struct litemrc *mon, unsigned int rank);
int litemrc_open_rank(struct litemrc *mon, unsigned int rank);
u32 litemrc_rank_free_pages(struct litemrc *mon, unsigned int rank);
void litemrc_last_evacuation(struct litemrc *mon, unsigned int rank,
			     struct litemrc_evacuated *last);

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
