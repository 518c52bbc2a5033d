// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of docs/registers.md that the driver uses. Commands take effect
 * at once.
 */
#include <linux/math64.h>
#include <linux/mm.h>

#include "tracker.h"

/**
 * tracker_reset() - set the registers up as after a reset
 * @tracker: the tracker
 */
void tracker_reset(struct tracker *tracker)
{
	tracker->control = LITEMRC_CONTROL_HOLD | LITEMRC_CONTROL_EPOCH_UNIT;
	tracker->upper = tracker->frames - 1;
	tracker_stacks_clear(tracker);
}

static void tracker_end_epoch(struct tracker *tracker)
{
	memcpy(tracker->published, tracker->row, sizeof(tracker->row));
	memset(tracker->row, 0, sizeof(tracker->row));
	tracker->epoch++;
	tracker->epoch_ns = ktime_get_ns();
	tracker->end_requested = false;
	tracker->ready = true;
	tracker->shot = tracker->control & LITEMRC_CONTROL_SINGLE_SHOT;
	if (tracker->watching)
		tracker->wanted |= TRACKER_WANTS_SWEEP;
}

/**
 * tracker_epoch_left() - time until the epoch is over by its length
 * @tracker: the tracker
 *
 * Return: nanoseconds; U64_MAX if its length does not end it
 */
u64 tracker_epoch_left(const struct tracker *tracker)
{
	u64 passed;

	if (!tracker->epoch_length ||
	    !(tracker->control & LITEMRC_CONTROL_ENABLE) ||
	    !(tracker->control & LITEMRC_CONTROL_EPOCH_UNIT) || tracker->shot ||
	    tracker->control & LITEMRC_CONTROL_FREEZE)
		return U64_MAX;
	passed = ktime_get_ns() - tracker->epoch_ns;
	return passed < tracker->epoch_length_ns ?
		       tracker->epoch_length_ns - passed :
		       0;
}

static bool tracker_is_over(const struct tracker *tracker)
{
	return tracker->end_requested || !tracker_epoch_left(tracker);
}

/**
 * tracker_tick() - end the epoch if it is over
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->lock.
 * Return: whether the interrupt is asserted
 */
bool tracker_tick(struct tracker *tracker)
{
	if (tracker_is_over(tracker) && !tracker->ready)
		tracker_end_epoch(tracker);
	return tracker->ready && tracker->ev_enable &&
	       !READ_ONCE(tracker->masked);
}

static u32 tracker_read_status(struct tracker *tracker)
{
	u32 status = 0;

	tracker_tick(tracker);
	if (!(tracker->control & LITEMRC_CONTROL_ENABLE))
		status |= LITEMRC_STATUS_IDLE;
	if (tracker->ready)
		status |= LITEMRC_STATUS_EPOCH_READY;
	if (tracker->end_requested)
		status |= LITEMRC_STATUS_EPOCH_DUE;
	if (tracker->shot || tracker->control & LITEMRC_CONTROL_FREEZE)
		status |= LITEMRC_STATUS_FROZEN;
	return status;
}

static u32 tracker_read_register(struct tracker *tracker, unsigned int offset)
{
	switch (offset) {
	case LITEMRC_VERSION:
		return LITEMRC_REGS_VERSION;
	case LITEMRC_CAPABILITIES:
		return PAGE_SHIFT << LITEMRC_CAPABILITIES_PAGE_SHIFT_SHIFT |
		       ilog2(tracker->frames)
			       << LITEMRC_CAPABILITIES_FRAMES_LOG2_SHIFT |
		       TRACKER_GROUPS_LOG2
			       << LITEMRC_CAPABILITIES_GROUPS_LOG2_SHIFT |
		       TRACKER_CONTEXTS_LOG2
			       << LITEMRC_CAPABILITIES_CONTEXTS_LOG2_SHIFT |
		       LITEMRC_ENGINE_OS << LITEMRC_CAPABILITIES_ENGINE_SHIFT |
		       1 << LITEMRC_CAPABILITIES_RANKS_SHIFT;
	case LITEMRC_STACK_CAPABILITIES:
		return ilog2(tracker->frames)
			       << LITEMRC_STACK_CAPABILITIES_PAGES_LOG2_SHIFT |
		       1 << LITEMRC_STACK_CAPABILITIES_RECENT_PAGES_SHIFT |
		       4 << LITEMRC_STACK_CAPABILITIES_COMMANDS_LOG2_SHIFT;
	case LITEMRC_CONTROL:
		return tracker->control;
	case LITEMRC_EPOCH_LENGTH:
		return tracker->epoch_length;
	case LITEMRC_RANGE_LOWER:
		return tracker->lower;
	case LITEMRC_RANGE_UPPER:
		return tracker->upper;
	case LITEMRC_STATUS:
		return tracker_read_status(tracker);
	case LITEMRC_EPOCH:
		return tracker->epoch;
	case LITEMRC_EPOCH_DROPPED:
		return tracker->untracked;
	case LITEMRC_EV_STATUS:
	case LITEMRC_EV_PENDING:
		return tracker->ready;
	case LITEMRC_EV_ENABLE:
		return tracker->ev_enable;
	/*
	 * sampling, scale: all pages take part; the DRAM's commands are not
	 * seen
	 */
	default:
		return 0;
	}
}

static void tracker_command(struct tracker *tracker, u32 value)
{
	if (value & LITEMRC_COMMAND_CLEAR) {
		tracker_stacks_clear(tracker);
		memset(tracker->row, 0, sizeof(tracker->row));
		tracker->epoch_ns = ktime_get_ns();
		if (tracker->watching)
			tracker->wanted |= TRACKER_WANTS_SWEEP;
	}
	if (value & LITEMRC_COMMAND_RELEASE)
		tracker->ready = false;
	if (value & LITEMRC_COMMAND_END_EPOCH)
		tracker->end_requested = true;
	if (value & LITEMRC_COMMAND_ARM)
		tracker->shot = false;
	tracker_tick(tracker);
}

static void tracker_write_register(struct tracker *tracker, unsigned int offset,
				   u32 value)
{
	switch (offset) {
	case LITEMRC_CONTROL:
		/* faults do not tell them */
		tracker->control = value & ~LITEMRC_CONTROL_SPLIT;
		break;
	case LITEMRC_COMMAND:
		tracker_command(tracker, value);
		break;
	case LITEMRC_INVALIDATE:
		if (value >= tracker->frames || !tracker->page[value].context)
			break;
		tracker_note(tracker, TRACKER_FREED, value, 0);
		tracker_forget(tracker, value);
		break;
	case LITEMRC_EPOCH_LENGTH:
		tracker->epoch_length = value;
		tracker->epoch_length_ns =
			mul_u64_u32_div(value, NSEC_PER_SEC, tracker->clock_hz);
		break;
	case LITEMRC_RANGE_LOWER:
		tracker->lower = value;
		break;
	case LITEMRC_RANGE_UPPER:
		tracker->upper = min(value, tracker->frames - 1);
		break;
	case LITEMRC_EV_ENABLE:
		tracker->ev_enable = value;
		break;
	}
}

static u32 tracker_read_window(const struct tracker *tracker, unsigned int word)
{
	unsigned int column = word % LITEMRC_WINDOW_ROW(TRACKER_GROUPS);
	const struct tracker_row *row;
	u32 hits = 0, group;

	row = &tracker->published[word / LITEMRC_WINDOW_ROW(TRACKER_GROUPS) %
				  TRACKER_CONTEXTS];
	if (column < TRACKER_GROUPS)
		return row->hits[column];
	if (column == LITEMRC_WINDOW_MISSES(TRACKER_GROUPS))
		return row->misses;
	if (column != LITEMRC_WINDOW_ACCESSES(TRACKER_GROUPS))
		return row->touched;
	for (group = 0; group < TRACKER_GROUPS; group++)
		hits += row->hits[group];
	return hits + row->misses;
}

static u32 tracker_os_read(void *io, unsigned int offset)
{
	struct tracker *tracker = io;
	unsigned long flags;
	u32 value;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	value = tracker_read_register(tracker, offset);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	return value;
}

static void tracker_os_write(void *io, unsigned int offset, u32 value)
{
	struct tracker *tracker = io;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	tracker_write_register(tracker, offset, value);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	if (offset != LITEMRC_INVALIDATE) /* which is frequent */
		tracker_interrupt_check(tracker);
}

static void tracker_os_window(void *io, unsigned int first, u32 *words,
			      unsigned int count)
{
	struct tracker *tracker = io;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	for (; count; count--)
		*words++ = tracker_read_window(tracker, first++);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
}

/*
 * Caller holds the driver's settings; before the monitor is enabled, after it
 * is disabled.
 */
static int tracker_os_enable(void *io, bool on)
{
	struct tracker *tracker = io;
	int ret = 0;

	mutex_lock(&tracker->settings);
	if (on)
		ret = tracker_start(tracker);
	else
		tracker_stop(tracker);
	mutex_unlock(&tracker->settings);
	return ret;
}

static int tracker_os_follow(void *io)
{
	struct tracker *tracker = io;
	int ret;

	mutex_lock(&tracker->settings);
	ret = tracker_follow(tracker);
	mutex_unlock(&tracker->settings);
	return ret;
}

const struct litemrc_ops tracker_ops = {
	.read = tracker_os_read,
	.write = tracker_os_write,
	.window = tracker_os_window,
	.wants_accessed = tracker_wants_accessed,
	.accessed = tracker_accessed,
	.enable = tracker_os_enable,
	.follow = tracker_os_follow,
};
