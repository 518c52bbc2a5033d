/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracker without hardware (Zhou et al. 2004, section 3.2): a monitor for
 * the driver, whose accesses are protection faults and accessed bits.
 * golden/monitor/os_tracker.py has the rules.
 */
#ifndef LITEMRC_TRACKER_H
#define LITEMRC_TRACKER_H

#include <linux/device.h>
#include <linux/irqdomain.h>
#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "litemrc_platform.h"
#include "litemrc_regs.h"

struct platform_device;
struct tracepoint;

#define TRACKER_GROUPS_LOG2 6
#define TRACKER_GROUPS BIT(TRACKER_GROUPS_LOG2)
#define TRACKER_CONTEXTS_LOG2 3
#define TRACKER_CONTEXTS BIT(TRACKER_CONTEXTS_LOG2)
#define TRACKER_SPACES 64 /* memories of processes at a time */
#define TRACKER_NONE U32_MAX /* no frame */
#define TRACKER_LOG_ENTRIES 65536
/* a process may run unseen, if it was followed late */
#define TRACKER_SEE_JIFFIES (HZ / 10)
/* through all processes, at the end: one is the rule */
#define TRACKER_PASSES 16
/* before it is known whether the processor sets accessed bits */
#define TRACKER_JUDGED_PAGES 64

/* Work that waits for tracker_schedule(). */
#define TRACKER_WANTS_SCAN BIT(0) /* after a period */
#define TRACKER_WANTS_LEAVE BIT(1)
#define TRACKER_WANTS_SWEEP BIT(2)

/* Where a frame was accessed last. */
struct tracker_place {
	unsigned long page; /* by number; more than 32 bits of it with Sv48 */
	u8 space; /* index in @spaces */
};

/* A frame in the stack of a context. */
struct tracker_page {
	u32 newer; /* frames: neighbours in the stack */
	u32 older;
	u32 epoch; /* when it was counted last, plus 1 */
	u32 faulted; /* the number of scans at its last fault, plus 1 */
	struct tracker_place place;
	u8 context; /* 0: in no stack */
	u8 group;
	bool permitted; /* in the scan list */
	bool leaving; /* no longer in the scan list, but not protected yet */
};

/* The LRU stack of a context; its top is the scan list. */
struct tracker_stack {
	u32 newest;
	u32 oldest;
	u32 pages;
	u32 permitted; /* pages of the scan list */
	u32 last_permitted; /* its last page */
	u32 first[TRACKER_GROUPS]; /* the first page of each group */
};

struct tracker_row {
	u32 hits[TRACKER_GROUPS];
	u32 misses;
	u32 touched;
};

/* What the events of golden/monitor/os_tracker.py cost is counted by these. */
struct tracker_events {
	u32 faults;
	u32 scans;
	u32 bitmaps; /* passed for them */
	u32 scanned;
	u32 accessed;
	u32 crossed;
};

/* Does the processor set accessed bits? */
enum tracker_accessed_bits { TRACKER_UNKNOWN, TRACKER_NO, TRACKER_YES };

enum tracker_kind {
	TRACKER_FAULT = 'f',
	TRACKER_ACCESSED = 'a',
	TRACKER_SCAN = 's',
	TRACKER_FREED = 'i',
};

/* The log of a test: what was counted, in order. */
struct tracker_entry {
	u64 page; /* by number */
	u32 kind;
	u32 frame;
	u32 group; /* TRACKER_NONE: a miss */
	u32 unused;
};

struct tracker {
	/* guards all below, to the settings, and the last */
	raw_spinlock_t lock;
	u32 control;
	u32 epoch_length; /* in cycles of @clock_hz */
	u64 epoch_length_ns;
	u32 clock_hz;
	u32 lower; /* frames that take part */
	u32 upper;
	u32 ev_enable;
	u32 epoch;
	u64 epoch_ns; /* when it began */
	bool ready; /* an epoch is in the window */
	bool end_requested;
	bool shot;
	bool masked;
	u32 frames;
	u32 group_pages;
	u32 last_group; /* counts all deeper ones, too */
	struct tracker_page *page; /* by frame */
	unsigned int last_space; /* the one that was found last */
	struct tracker_events events;
	u32 leaving; /* pages */
	u32 wanted; /* TRACKER_WANTS_* */
	u32 untracked; /* accesses of processes beyond TRACKER_SPACES */
	struct tracker_entry *log; /* NULL: none */
	u32 logged;
	enum tracker_accessed_bits accessed_bits;
	/*
	 * bits of the frames that a monitor in hardware saw since the last scan
	 */
	u32 *accessed;
	bool passed; /* there are such bits */
	u32 faulted_pages; /* pages that faulted since the scan before, and */
	u32 young; /* those whose accessed bits were set */
	bool never_young; /* entries are taken for old: a test */

	struct mutex settings; /* guards the rest; outermost */
	u32 scan_list;
	u32 period_ms; /* 0: scans by command only */
	struct tracepoint *fault; /* the tracepoint behind page faults */
	struct tracepoint *fork;
	bool running; /* enabled */
	bool used; /* a process was followed */
	/* the tracepoint of faults is registered, and pages may be protected */
	bool watching;
	/* a process was forked whose memory was locked, at the end */
	bool missed;
	u32 *listed; /* pages of a scan */
	u32 *scanned; /* bits of their frames, of a scan by bitmap */
	/* pending while a scan list has pages, if tracker_scans() */
	struct delayed_work scan;
	struct work_struct leave; /* protects pages that left a scan list */
	/* protects pages that the tracker does not know */
	struct work_struct sweep;
	struct platform_device *device;
	unsigned long first_pfn;
	struct timer_list timer;
	struct irq_domain *domain;
	int irq;

	/*
	 * Guarded by @lock; at the end, so that one instruction reaches all
	 * fields before.
	 */
	/* with references to the struct alone */
	struct mm_struct *space[TRACKER_SPACES];
	struct tracker_stack stack[TRACKER_CONTEXTS];
	struct tracker_row row[TRACKER_CONTEXTS]; /* of the running epoch */
	struct tracker_row published[TRACKER_CONTEXTS];
};

/* The level of the interrupt may have changed: sample it at the next jiffy. */
static inline void tracker_interrupt_check(struct tracker *tracker)
{
	mod_timer(&tracker->timer, jiffies + 1);
}

/* registers.c */
extern const struct litemrc_ops tracker_ops;
void tracker_reset(struct tracker *tracker);
bool tracker_tick(struct tracker *tracker);
u64 tracker_epoch_left(const struct tracker *tracker);

/* interrupt.c */
int tracker_interrupt_init(struct tracker *tracker);
void tracker_interrupt_exit(struct tracker *tracker);

/* attributes.c */
extern const struct attribute_group *tracker_groups[];

/* stack.c */
u32 tracker_list(struct tracker *tracker, unsigned int context, bool all);
void tracker_stacks_clear(struct tracker *tracker);
u32 tracker_access(struct tracker *tracker, unsigned int context, u32 frame);
void tracker_forget(struct tracker *tracker, u32 frame);
void tracker_count_scanned(struct tracker *tracker, u32 frame);
void tracker_note(struct tracker *tracker, enum tracker_kind kind, u32 frame,
		  u32 group);

/* entries.c: page table entries */
enum tracker_entry_state {
	TRACKER_ABSENT,
	TRACKER_PERMITTED,
	TRACKER_PROTECTED
};

/*
 * The table that was found last, while the mmap lock is held; its neighbours
 * need no walk.
 */
struct tracker_table {
	struct mm_struct *mm; /* NULL: none */
	unsigned long begin; /* address of its first page */
	pte_t *entries;
	spinlock_t *lock; /* guards the entries */
};

enum tracker_entry_state tracker_entry_permit(struct tracker_table *table,
					      struct mm_struct *mm,
					      unsigned long address, bool old,
					      unsigned long *pfn);
bool tracker_entry_protect(struct tracker_table *table, struct mm_struct *mm,
			   unsigned long address, unsigned long pfn);
bool tracker_entry_accessed(struct tracker_table *table, struct mm_struct *mm,
			    unsigned long address, unsigned long pfn);
u32 tracker_entries_permit(struct mm_struct *mm, bool may_sleep);
typedef bool tracker_choose(void *data, unsigned long address,
			    unsigned long pfn);
void tracker_entries_protect(struct mm_struct *mm, tracker_choose *choose,
			     void *data);

/* spaces.c */
int tracker_space_of(struct tracker *tracker, struct mm_struct *mm);
void tracker_see(struct tracker *tracker);
struct mm_struct *tracker_space_get(struct tracker *tracker,
				    unsigned int space);
void tracker_space_put(struct mm_struct *mm);
void tracker_spaces_check(struct tracker *tracker);
void tracker_spaces_free(struct tracker *tracker);

/* faults.c */
int tracker_find_tracepoint(struct tracker *tracker);
int tracker_start(struct tracker *tracker);
int tracker_follow(struct tracker *tracker);
void tracker_stop(struct tracker *tracker);
void tracker_exit_watch(struct tracker *tracker);

/* bitmap.c */
bool tracker_wants_accessed(void *io);
void tracker_accessed(void *io, unsigned long first_pfn, const u32 *bits,
		      u32 words);
u32 tracker_bitmap_words(const struct tracker *tracker);
bool tracker_take_bitmap(struct tracker *tracker);

/* scan.c */
bool tracker_scans(const struct tracker *tracker);
u32 tracker_take_wanted(struct tracker *tracker);
void tracker_schedule(struct tracker *tracker, u32 wanted);
void tracker_scan(struct tracker *tracker);
void tracker_sweep(struct tracker *tracker);
void tracker_scan_work(struct work_struct *work);
void tracker_leave_work(struct work_struct *work);
void tracker_sweep_work(struct work_struct *work);

#endif
