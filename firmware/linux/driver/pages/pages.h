/* SPDX-License-Identifier: GPL-2.0 */
/* Single pages of an epoch: bits of the frames accessed and written, and hot pages. */
#ifndef LITEMRC_PAGES_H
#define LITEMRC_PAGES_H

#include <linux/kfifo.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct litemrc;

#define LITEMRC_HOT_QUEUE_PAGES 256 /* a power of two; as many lines fit into a file of sysfs */

/* Pages with the most accesses. */
struct litemrc_hot {
	struct mutex lock; /* guards the image */
	u32 *image; /* as in sysfs; NULL: the gateware has no hot pages */
	bool kept; /* the image is an epoch's */
	raw_spinlock_t queue_lock; /* guards the rest, and the gateware's queue */
	DECLARE_KFIFO(queue, u32, LITEMRC_HOT_QUEUE_PAGES); /* frames */
	u32 first; /* number of the oldest frame in @queue */
	u32 queued;
	u32 lost; /* as @queue was full */
	u32 overflows; /* of the gateware's queue */
};

/* Bits of the frames. Guarded by bitmap.c's lock. */
struct litemrc_bitmap {
	u32 *image; /* as in sysfs; NULL: the gateware has no page bitmap */
	bool keep; /* the image is for sysfs, too */
	bool kept; /* the image is complete */
	bool marks; /* the epoch passed last is to be marked; of the interrupt's thread */
};

struct litemrc_young_events {
	u64 walks; /* through all page tables */
	u64 visited; /* entries, of all walks */
	u64 marked; /* of these: accessed and not marked before */
	u64 ns; /* of all walks */
};

/* Accessed bits of page table entries, set from the bits of the frames. */
struct litemrc_young {
	bool on; /* guarded by bitmap.c's lock */
	u64 ended; /* end of the epoch before, on the scheduler's clock; for the irq thread */
	struct mutex lock; /* guards the events */
	struct litemrc_young_events events;
};

/* bitmap.c */
int litemrc_bitmap_init(struct litemrc *mon);
void litemrc_bitmap_stop(struct litemrc *mon);
void litemrc_bitmap_free(struct litemrc *mon);
void litemrc_bitmap_pass(struct litemrc *mon);
void litemrc_bitmap_mark(struct litemrc *mon);
int litemrc_bitmap_feed(struct litemrc *mon, bool on);
int litemrc_bitmap_keep(struct litemrc *mon, bool on);
ssize_t litemrc_bitmap_read(struct litemrc *mon, char *data, loff_t offset, size_t bytes);

/* hot.c */
int litemrc_hot_init(struct litemrc *mon);
void litemrc_hot_free(struct litemrc *mon);
void litemrc_hot_quiet(struct litemrc *mon);
void litemrc_hot_pass(struct litemrc *mon);
ssize_t litemrc_hot_read(struct litemrc *mon, char *data, loff_t offset, size_t bytes);
bool litemrc_hot_drain(struct litemrc *mon);
bool litemrc_hot_interrupt(struct litemrc *mon);
unsigned int litemrc_hot_copy(struct litemrc *mon, u32 *frames, u32 *first);
int litemrc_hot_acknowledge(struct litemrc *mon, u32 next);
int litemrc_hot_set(struct litemrc *mon, u32 offset, u32 mask, u32 value);

/* young.c: the first in the interrupt's thread */
void litemrc_young_mark(struct litemrc *mon, const u32 *bits);
void litemrc_young_events(struct litemrc *mon, struct litemrc_young_events *events);

#endif
