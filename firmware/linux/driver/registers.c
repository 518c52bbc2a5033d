// SPDX-License-Identifier: GPL-2.0
/*
 * Access to the registers, and the sequences that docs/registers.md requires.
 */
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/litex.h>

#include "litemrc.h"

static u32 litemrc_mmio_read(void *io, unsigned int offset)
{
	const struct litemrc_mmio *mmio = io;

	return litex_read32(mmio->registers + offset);
}

static void litemrc_mmio_write(void *io, unsigned int offset, u32 value)
{
	const struct litemrc_mmio *mmio = io;

	litex_write32(mmio->registers + offset, value);
}

/* The window is memory, and does not change meanwhile. */
static void litemrc_mmio_window(void *io, unsigned int first, u32 *words,
				unsigned int count)
{
	const struct litemrc_mmio *mmio = io;
	const void __iomem *next = mmio->window + first * sizeof(u32);

	for (; count; count--, next += sizeof(u32))
		*words++ = readl_relaxed(next);
}

const struct litemrc_ops litemrc_mmio_ops = {
	.read = litemrc_mmio_read,
	.write = litemrc_mmio_write,
	.window = litemrc_mmio_window,
};
EXPORT_SYMBOL_GPL(litemrc_mmio_ops);

/* All are 0 where the DRAM's commands are not counted. */
static void litemrc_read_dram(struct litemrc *mon)
{
	struct litemrc_parameters *parameters = &mon->parameters;
	u32 built = litemrc_read(mon, LITEMRC_DRAM_CAPABILITIES);

	parameters->banks = LITEMRC_FIELD(built, DRAM_CAPABILITIES_BANKS);
	if (!parameters->banks)
		return;
	parameters->access_bytes =
		BIT(LITEMRC_FIELD(built, DRAM_CAPABILITIES_ACCESS_BYTES_LOG2));
	parameters->rows_observed = built & LITEMRC_DRAM_CAPABILITIES_ROWS;
	parameters->refresh_cycles =
		LITEMRC_FIELD(built, DRAM_CAPABILITIES_REFRESH_CYCLES);
}

/**
 * litemrc_read_parameters() - read the gateware's build parameters
 * @mon: the monitor
 *
 * Return: 0, or -ENODEV for gateware that this driver does not support
 */
int litemrc_read_parameters(struct litemrc *mon)
{
	struct litemrc_parameters *parameters = &mon->parameters;
	u32 built, stack, cycles;

	parameters->version = litemrc_read(mon, LITEMRC_VERSION);
	if (parameters->version != LITEMRC_REGS_VERSION)
		return dev_err_probe(mon->dev, -ENODEV,
				     "registers of version %u, expected %u\n",
				     parameters->version, LITEMRC_REGS_VERSION);
	built = litemrc_read(mon, LITEMRC_CAPABILITIES);
	stack = litemrc_read(mon, LITEMRC_STACK_CAPABILITIES);
	parameters->page_shift = LITEMRC_FIELD(built, CAPABILITIES_PAGE_SHIFT);
	parameters->frames_log2 =
		LITEMRC_FIELD(built, CAPABILITIES_FRAMES_LOG2);
	parameters->frames = BIT(parameters->frames_log2);
	parameters->groups =
		BIT(LITEMRC_FIELD(built, CAPABILITIES_GROUPS_LOG2));
	parameters->contexts =
		BIT(LITEMRC_FIELD(built, CAPABILITIES_CONTEXTS_LOG2));
	parameters->queue_depth =
		BIT(LITEMRC_FIELD(built, CAPABILITIES_QUEUE_LOG2));
	parameters->engine = LITEMRC_FIELD(built, CAPABILITIES_ENGINE);
	parameters->ranks = LITEMRC_FIELD(built, CAPABILITIES_RANKS);
	parameters->pages =
		BIT(LITEMRC_FIELD(stack, STACK_CAPABILITIES_PAGES_LOG2));
	parameters->recent_pages =
		LITEMRC_FIELD(stack, STACK_CAPABILITIES_RECENT_PAGES);
	parameters->claims = stack & LITEMRC_STACK_CAPABILITIES_CLAIMS;
	parameters->page_bitmap =
		LITEMRC_FIELD(stack, STACK_CAPABILITIES_PAGE_BITMAP);
	built = LITEMRC_FIELD(stack, STACK_CAPABILITIES_HOT_PAGES_LOG2);
	parameters->hot_pages = built ? BIT(built) : 0;
	parameters->commands =
		BIT(LITEMRC_FIELD(stack, STACK_CAPABILITIES_COMMANDS_LOG2));
	litemrc_read_dram(mon);
	/*
	 * A full queue of accesses to the last group (I + 13 cycles in group
	 * I), behind a clear.
	 */
	cycles = parameters->frames +
		 parameters->queue_depth * (parameters->groups + 16);
	mon->timeout_us = cycles / LITEMRC_CLOCK_MHZ;
	if (parameters->page_shift != PAGE_SHIFT)
		return dev_err_probe(mon->dev, -ENODEV,
				     "the gateware's pages have 2^%u bytes, the kernel's 2^%u\n",
				     parameters->page_shift, PAGE_SHIFT);
	if (parameters->contexts > LITEMRC_CONTEXTS_MAX ||
	    parameters->groups > LITEMRC_GROUPS_MAX)
		return dev_err_probe(mon->dev, -ENODEV,
				     "%u contexts of %u groups, supported are %u of %u\n",
				     parameters->contexts, parameters->groups,
				     LITEMRC_CONTEXTS_MAX, LITEMRC_GROUPS_MAX);
	return 0;
}

/**
 * litemrc_set_stuck() - the gateware does not respond
 * @mon: the monitor
 *
 * It is not waited for again until a clear.
 *
 * Context: Any context; callers may hold the scheduler's locks.
 */
void litemrc_set_stuck(struct litemrc *mon)
{
	if (mon->stuck)
		return;
	mon->stuck = true;
	irq_work_queue(&mon->stuck_work);
}

static bool litemrc_has_value(u32 status, u32 mask, u32 value)
{
	return (status & mask) == value;
}

/*
 * Reads without a pause first: most waits are shorter than one, and a virtual
 * processor may be stopped for longer than @timeout_us.
 */
#define LITEMRC_QUICK_READS 16

/**
 * litemrc_poll_status() - busy-wait until the status register satisfies a
 * condition
 * @mon: the monitor
 * @is_done: the condition; gets the status, @mask and @value
 * @mask: bits of the status register
 * @value: for the condition
 * @status: the status read last
 *
 * Return: 0, or -EIO if the gateware does not respond, now or earlier
 */
int litemrc_poll_status(struct litemrc *mon,
			bool (*is_done)(u32 status, u32 mask, u32 value),
			u32 mask, u32 value, u32 *status)
{
	unsigned int reads;

	if (mon->stuck)
		return -EIO;
	for (reads = 0; reads < LITEMRC_QUICK_READS; reads++) {
		*status = litemrc_read(mon, LITEMRC_STATUS);
		if (is_done(*status, mask, value))
			return 0;
	}
	if (!read_poll_timeout_atomic(litemrc_read, *status,
				      is_done(*status, mask, value), 1,
				      mon->timeout_us, false, mon,
				      LITEMRC_STATUS))
		return 0;
	litemrc_set_stuck(mon);
	return -EIO;
}

/**
 * litemrc_wait_status() - busy-wait until status bits have a value
 * @mon: the monitor
 * @mask: bits of the status register
 * @value: their expected value
 *
 * Return: 0, or -EIO if the gateware does not respond, now or earlier
 */
int litemrc_wait_status(struct litemrc *mon, u32 mask, u32 value)
{
	u32 status;

	return litemrc_poll_status(mon, litemrc_has_value, mask, value,
				   &status);
}

/**
 * litemrc_check_commands() - count commands that were lost or late
 * @mon: the monitor
 * @status: the status register, just read
 *
 * Context: Caller holds @mon->lock.
 */
void litemrc_check_commands(struct litemrc *mon, u32 status)
{
	if (!(status &
	      (LITEMRC_STATUS_COMMAND_LOST | LITEMRC_STATUS_COMMAND_LATE)))
		return;
	mon->commands_lost += LITEMRC_FIELD(status, STATUS_COMMAND_LOST);
	mon->commands_late += LITEMRC_FIELD(status, STATUS_COMMAND_LATE);
	litemrc_write(mon, LITEMRC_COMMAND, LITEMRC_COMMAND_ACKNOWLEDGE);
}

/*
 * Caller holds @lock. On return the queue has all commands, ahead of all later
 * accesses.
 */
static void litemrc_wait_commands(struct litemrc *mon)
{
	u32 status;

	if (litemrc_poll_status(mon, litemrc_has_value,
				LITEMRC_STATUS_COMMAND_PENDING, 0, &status))
		return;
	mon->room = mon->parameters.commands;
	litemrc_check_commands(mon, status);
}

/* Returns whether there is room; if not, the gateware is stuck. */
static noinline bool litemrc_find_room(struct litemrc *mon)
{
	litemrc_wait_commands(mon);
	mon->commands_lost += !mon->room;
	return mon->room;
}

/*
 * Writes a command for the queue; the status is read only when there may be no
 * room.
 */
static __always_inline void litemrc_queue_command(struct litemrc *mon,
						  unsigned int offset,
						  u32 value)
{
	if (!mon->room && !litemrc_find_room(mon))
		return;
	mon->room--;
	litemrc_write(mon, offset, value);
}

/**
 * litemrc_set_control() - set bits of the control register
 * @mon: the monitor
 * @mask: the bits that change
 * @value: their new values
 */
void litemrc_set_control(struct litemrc *mon, u32 mask, u32 value)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_write(mon, LITEMRC_CONTROL,
		      (litemrc_read(mon, LITEMRC_CONTROL) & ~mask) | value);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/**
 * litemrc_command() - write a command that does not pass the queue
 * @mon: the monitor
 * @command: LITEMRC_COMMAND_*
 */
void litemrc_command(struct litemrc *mon, u32 command)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_write(mon, LITEMRC_COMMAND, command);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/**
 * litemrc_set_events() - choose which events raise the interrupt
 * @mon: the monitor
 * @mask: the events that change, as in EV_ENABLE
 * @value: those of them that raise it from now on
 *
 * Context: Any context.
 */
void litemrc_set_events(struct litemrc *mon, u32 mask, u32 value)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->events_lock, flags);
	mon->events = (mon->events & ~mask) | value;
	litemrc_write(mon, LITEMRC_EV_ENABLE, mon->events);
	raw_spin_unlock_irqrestore(&mon->events_lock, flags);
}

/*
 * The frame's next access is more than 64 cycles away; the queue takes the
 * command before that, or reports it as late. From then on each command is
 * waited for.
 */
static __always_inline void litemrc_command_of_frames(struct litemrc *mon,
						      unsigned int offset,
						      u32 value)
{
	litemrc_queue_command(mon, offset, value);
	if (mon->commands_late)
		litemrc_wait_commands(mon);
}

/**
 * litemrc_invalidate_locked() - report a frame without an owner to the monitor
 * @mon: the monitor
 * @frame: its number
 *
 * Context: Caller holds @mon->lock.
 */
void litemrc_invalidate_locked(struct litemrc *mon, u32 frame)
{
	litemrc_command_of_frames(mon, LITEMRC_INVALIDATE, frame);
}

/**
 * litemrc_claim_locked() - frames belong to a context from now on
 * @mon: the monitor
 * @frame: the first of them
 * @order: log2 of their number
 * @context: their owner
 *
 * Context: Caller holds @mon->lock.
 */
void litemrc_claim_locked(struct litemrc *mon, u32 frame, unsigned int order,
			  unsigned int context)
{
	u32 claim = LITEMRC_PUT(CLAIM_FRAME, frame) |
		    LITEMRC_PUT(CLAIM_CONTEXT, context) |
		    LITEMRC_PUT(CLAIM_ORDER, order);

	litemrc_command_of_frames(mon, LITEMRC_CLAIM, claim);
}

/**
 * litemrc_wait_invalidated() - wait until all invalidations are queued
 * @mon: the monitor
 *
 * Return: 0, or -EIO if the gateware does not respond
 */
int litemrc_wait_invalidated(struct litemrc *mon)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_wait_commands(mon);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	return mon->stuck ? -EIO : 0;
}

/**
 * litemrc_clear_locked() - invalidate all pages and restart the running epoch
 * @mon: the monitor
 *
 * After a clear the gateware's state is known again, so it gets another chance.
 *
 * Context: Caller holds @mon->lock.
 */
void litemrc_clear_locked(struct litemrc *mon)
{
	mon->stuck = false;
	litemrc_queue_command(mon, LITEMRC_COMMAND, LITEMRC_COMMAND_CLEAR);
	litemrc_wait_commands(mon);
	mon->cleared_ns = ktime_get_ns();
}
