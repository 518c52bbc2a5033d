/* SPDX-License-Identifier: GPL-2.0 */
/* How a monitor is reached that is not in the device tree: platform data of a device "litemrc". */
#ifndef LITEMRC_PLATFORM_H
#define LITEMRC_PLATFORM_H

#include <linux/types.h>

/**
 * struct litemrc_ops - access to the registers and the window; from any context, under a raw lock
 * @read: a register, by its byte offset (litemrc_regs.h)
 * @write: a register
 * @window: a word of the window, by its index
 */
struct litemrc_ops {
	u32 (*read)(void *io, unsigned int offset);
	void (*write)(void *io, unsigned int offset, u32 value);
	u32 (*window)(void *io, unsigned int word);
};

/**
 * struct litemrc_platform_data - a monitor with operations of its own
 * @ops: how to reach it
 * @io: handed to them
 * @memory: physical address of its frame 0
 */
struct litemrc_platform_data {
	const struct litemrc_ops *ops;
	void *io;
	phys_addr_t memory;
};

#endif
