/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A monitor in software, for tests without gateware. Its registers behave as
 * docs/registers.md specifies; the value of a counter identifies its epoch,
 * context and word, until a test orders hits.
 */
#ifndef LITEMRC_FAKE_H
#define LITEMRC_FAKE_H

#include <linux/device.h>
#include <linux/irqdomain.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "litemrc_platform.h"
#include "litemrc_regs.h"

struct platform_device;

#define FAKE_GROUPS_LOG2 6
#define FAKE_GROUPS BIT(FAKE_GROUPS_LOG2)
#define FAKE_CONTEXTS_LOG2 3
#define FAKE_CONTEXTS BIT(FAKE_CONTEXTS_LOG2)
#define FAKE_RANKS_MAX 16
#define FAKE_HOT_PAGES_MAX 64
#define FAKE_RANK_CYCLES 123456
#define FAKE_BANKS_MAX 16
#define FAKE_ACCESS_BYTES_LOG2 4
#define FAKE_REFRESH_CYCLES 39
#define FAKE_CLOCK_HZ 50000000 /* so that 50 cycles are a microsecond */
#define FAKE_LOG_ENTRIES 65536
#define FAKE_COMMANDS_LOG2 4
#define FAKE_COMMANDS BIT(FAKE_COMMANDS_LOG2)

/* Log: actions of the driver in order, and frames that a test asked for. */
enum fake_kind {
	FAKE_CONTEXT = 'c',
	FAKE_INVALIDATE = 'i',
	FAKE_CLAIM = 'k', /* the register's value */
	FAKE_CLEAR = 'x',
	FAKE_ENABLE = 'e',
	FAKE_FRAME = 'f',
	FAKE_YOUNG = 'y',
	FAKE_OLD = 'o',
	FAKE_ABSENT = 'a',
};

struct fake_entry {
	u32 kind;
	u32 value;
	u32 tgid; /* of the running process */
};

struct fake_hot {
	u32 pages; /* of a list; 0: no hot pages */
	u32 control;
	u32 threshold;
	u32 wanted;
	u32 lower;
	u32 upper;
	u32 watermark;
	/* of the running epoch: frame, count */
	u32 list[FAKE_HOT_PAGES_MAX][2];
	u32 listed;
	u32 published[FAKE_HOT_PAGES_MAX][2]; /* in the window */
	u32 published_listed;
	bool more;
	u32 queue[LITEMRC_HOT_QUEUED_MAX];
	u32 queued;
	bool overflow;
};

struct fake {
	raw_spinlock_t lock; /* guards all below */
	u32 control;
	u32 context;
	u32 epoch_length;
	u32 lower;
	u32 upper;
	u32 sampling;
	u32 ev_enable;
	u32 frames_log2;
	u32 memory;

	u32 accesses[FAKE_CONTEXTS]; /* in the running epoch */
	u32 published[FAKE_CONTEXTS]; /* in the epoch in the window */
	bool counting; /* a test ordered hits: the window has real counts */
	u32 hits[FAKE_CONTEXTS][FAKE_GROUPS]; /* as accesses */
	u32 published_hits[FAKE_CONTEXTS][FAKE_GROUPS];
	u32 elapsed;
	u32 epoch;
	bool end_requested;
	bool in_flight;
	bool ready;
	bool shot;
	unsigned int flight; /* status reads until the epoch is in the window */
	/* commands that wait; the queue takes some at each status read */
	unsigned int pending;
	unsigned int status_reads;
	/* status.command_lost and command_late, as a test asserted them */
	u32 reports;
	u32 stalled; /* status bits that stay asserted, as a test ordered */
	/*
	 * an epoch is always longer than its length; the interrupt comes at
	 * once
	 */
	bool endless;
	unsigned int busy; /* status reads until idle */
	u64 cleared; /* see chosen_pages() */
	bool masked;

	unsigned int violations; /* of rules in docs/registers.md */
	const char *violation; /* the last one */
	struct fake_entry *log;
	unsigned int logged;
	/*
	 * frames accessed and written: in the running epoch, in the window; or
	 * NULL
	 */
	u32 *bits;
	u8 *owner; /* context that claimed each frame, plus 1; 0: none */

	struct fake_hot hot;

	unsigned int banks; /* 0: the DRAM's commands are not counted */
	bool rows; /* of the DRAM are observed */

	unsigned int ranks; /* 0: no rank power unit */
	bool no_partial;
	bool rank_overflow;
	/* of each rank; negative: a number that identifies the epoch */
	s32 top_pages;
	u32 rank_state[FAKE_RANKS_MAX];
	u32 rank_register[16];

	struct platform_device *device;
	struct timer_list timer;
	struct work_struct raise;
	struct irq_domain *domain;
	int irq;
};

/* Words of the bits of all frames. */
static inline u32 fake_words(const struct fake *fake)
{
	return BIT(fake->frames_log2) / LITEMRC_BITMAP_FRAMES;
}

/* fake_registers.c */
extern const struct litemrc_ops fake_ops;
void fake_reset(struct fake *fake);
void fake_violate(struct fake *fake, const char *rule);
/* -1: misses */
void fake_access(struct fake *fake, u32 frame, u32 count, int group);
u32 fake_owner(const struct fake *fake, u32 frame);
void fake_advance(struct fake *fake);
void fake_log(struct fake *fake, enum fake_kind kind, u32 value);

/* fake_ranks.c */
extern const struct litemrc_ops fake_rank_ops;
void fake_ranks_reset(struct fake *fake);
u32 fake_rank_states(const struct fake *fake);

/* fake_hot.c */
extern const struct attribute_group fake_hot_group;
void fake_hot_reset(struct fake *fake);
void fake_hot_publish(struct fake *fake);
bool fake_hot_waiting(const struct fake *fake);
u32 fake_hot_window(const struct fake *fake, u32 word);
u32 fake_hot_read(const struct fake *fake, unsigned int offset);
bool fake_hot_write(struct fake *fake, unsigned int offset, u32 value);

/* fake_dram.c */
u32 fake_dram_capabilities(const struct fake *fake);
u32 fake_dram_words(const struct fake *fake);
u32 fake_dram_window(const struct fake *fake, u32 word);

/* fake_interrupt.c */
void fake_raise(struct fake *fake);
int fake_interrupt_init(struct fake *fake);
void fake_interrupt_exit(struct fake *fake);

/* fake_ages.c */
extern const struct attribute_group fake_ages_group;

/* fake_attributes.c */
extern const struct attribute_group *fake_groups[];
struct fake *fake_of_device(struct device *device);

#endif
