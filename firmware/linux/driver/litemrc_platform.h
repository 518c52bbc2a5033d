/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Platform data of a device "litemrc": access to a monitor that is not in the
 * device tree.
 */
#ifndef LITEMRC_PLATFORM_H
#define LITEMRC_PLATFORM_H

#include <linux/types.h>

/* A field of a register, from the word and into it. */
#define LITEMRC_FIELD(word, name) \
	(((u32)(word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)
#define LITEMRC_PUT(name, value) ((u32)(value) << LITEMRC_##name##_SHIFT)

struct device;

/*
 * What a monitor in software has in its capabilities in place of the gateware's
 * engine.
 */
#define LITEMRC_ENGINE_OS 3

/**
 * struct litemrc_ops - access to the registers and the window; from any
 * context, under a raw lock
 * @read: read a register at a byte offset (litemrc_regs.h)
 * @write: write a register
 * @window: copy words of the window, from an index on
 * @enable: called before the monitor is enabled, and after it was disabled; may
 *   sleep; or NULL
 * @follow: called before a process or cgroup is followed; may sleep; or NULL
 * @wants_accessed: whether @accessed has a use now; NULL: @accessed is NULL,
 *   too
 * @accessed: the frames accessed in an epoch of a monitor in hardware: its
 *   frame 0, and bits of the frames in words of LITEMRC_BITMAP_FRAMES; may
 *   sleep
 */
struct litemrc_ops {
	u32 (*read)(void *io, unsigned int offset);
	void (*write)(void *io, unsigned int offset, u32 value);
	void (*window)(void *io, unsigned int first, u32 *words,
		       unsigned int count);
	int (*enable)(void *io, bool on);
	int (*follow)(void *io);
	bool (*wants_accessed)(void *io);
	void (*accessed)(void *io, unsigned long first_pfn, const u32 *bits,
			 u32 words);
};

/**
 * struct litemrc_dram - the chips of the ranks
 * @part: their part name, or empty
 * @chips: chips of a rank
 * @phases: cycles of the DRAM per cycle of the system clock
 * @clock_hz: the system clock, in which the meter counts
 */
struct litemrc_dram {
	char part[32];
	u32 chips;
	u32 phases;
	u32 clock_hz;
};

/**
 * struct litemrc_platform_data - a monitor with operations of its own
 * @ops: operations that access it
 * @io: argument of the operations
 * @memory: physical address of its frame 0
 * @rank_ops: operations that access its rank meter; NULL: it has none
 * @rank_io: argument of these
 * @dram: the chips of its ranks
 */
struct litemrc_platform_data {
	const struct litemrc_ops *ops;
	void *io;
	phys_addr_t memory;
	const struct litemrc_ops *rank_ops;
	void *rank_io;
	struct litemrc_dram dram;
};

unsigned int litemrc_current_context(struct device *device);

#endif
