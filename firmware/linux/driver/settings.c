// SPDX-License-Identifier: GPL-2.0
/*
 * Settings. Callers hold @settings, which the interrupt's thread never takes.
 */
#include "litemrc.h"

/**
 * litemrc_end_epoch() - end the running epoch and wait for its record
 * @mon: the monitor
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, or -EIO if the epoch does not end
 */
int litemrc_end_epoch(struct litemrc *mon)
{
	unsigned long flags;
	u32 epoch;

	raw_spin_lock_irqsave(&mon->lock, flags);
	epoch = litemrc_end_epoch_locked(mon);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	return litemrc_wait_stored(mon, epoch);
}

/*
 * Something else may write the registers, so CONTROL does not show what has to
 * be undone.
 */
static bool litemrc_is_counting(struct litemrc *mon)
{
	return litemrc_read(mon, LITEMRC_CONTROL) & LITEMRC_CONTROL_ENABLE;
}

/*
 * The stacks were cleared while the monitor was enabled: the owners of the
 * pages are known.
 */
static void litemrc_restore(struct litemrc *mon)
{
	litemrc_owners_restore(mon);
	litemrc_call_clients(mon, cleared);
}

static int litemrc_check_stuck(struct litemrc *mon)
{
	return mon->stuck ? -EIO : 0;
}

/**
 * litemrc_clear() - invalidate all pages; while enabled, frames keep their
 * owners
 * @mon: the monitor
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, or -EIO if the gateware does not respond
 */
int litemrc_clear(struct litemrc *mon)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_clear_locked(mon);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (mon->enabled)
		litemrc_restore(mon);
	return litemrc_check_stuck(mon);
}

static int litemrc_tell_monitor(struct litemrc *mon, bool on)
{
	return mon->ops->enable ? mon->ops->enable(mon->io, on) : 0;
}

/*
 * Gateware must know of all freed pages, a monitor in software only of those
 * that it follows.
 */
static bool litemrc_needs_probes(const struct litemrc *mon)
{
	return !mon->ops->follow || mon->map.last;
}

static int litemrc_begin(struct litemrc *mon)
{
	unsigned long flags;
	int ret;

	ret = litemrc_tell_monitor(mon, true);
	if (ret)
		return ret;
	ret = litemrc_needs_probes(mon) ? litemrc_probes_register(mon) : 0;
	if (ret) {
		litemrc_tell_monitor(mon, false);
		return ret;
	}
	mon->enabled = true;
	raw_spin_lock_irqsave(&mon->lock, flags);
	litemrc_clear_locked(mon);
	litemrc_owners_reset_locked(mon);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	litemrc_set_control(mon, LITEMRC_CONTROL_ENABLE,
			    LITEMRC_CONTROL_ENABLE);
	litemrc_hand_over_all(mon);
	litemrc_call_clients(mon, cleared);
	return litemrc_check_stuck(mon);
}

/**
 * litemrc_enable() - enable the monitor, which clears it, or disable it
 * @mon: the monitor
 * @on: 1: enable; 0: disable
 *
 * Context: Caller holds @mon->settings.
 * Return: 0 or a negative error
 */
int litemrc_enable(struct litemrc *mon, u32 on)
{
	if (on == mon->enabled && on == litemrc_is_counting(mon))
		return 0;
	if (on)
		return litemrc_begin(mon);
	litemrc_set_control(mon, LITEMRC_CONTROL_ENABLE, 0);
	litemrc_probes_unregister(mon);
	litemrc_call_clients(mon, cleared);
	mon->enabled = false;
	return litemrc_tell_monitor(mon, false);
}

/**
 * litemrc_set_epoch_length() - set the length of epochs
 * @mon: the monitor
 * @length: in accesses or cycles, litemrc_epoch_least() at least
 *
 * Context: Caller holds @mon->settings.
 * Return: 0 or -EINVAL
 */
int litemrc_set_epoch_length(struct litemrc *mon, u32 length)
{
	if (length < litemrc_epoch_least(mon))
		return -EINVAL;
	litemrc_write(mon, LITEMRC_EPOCH_LENGTH, length);
	return 0;
}

/**
 * litemrc_set_epoch_unit() - set the unit of the length of epochs
 * @mon: the monitor
 * @cycles: it is cycles, not accesses
 *
 * No epoch ends by the old length in the new unit: there is no length until one
 * is set.
 *
 * Context: Caller holds @mon->settings.
 */
void litemrc_set_epoch_unit(struct litemrc *mon, bool cycles)
{
	if (cycles ==
	    !!(litemrc_read(mon, LITEMRC_CONTROL) & LITEMRC_CONTROL_EPOCH_UNIT))
		return;
	litemrc_write(mon, LITEMRC_EPOCH_LENGTH, 0);
	litemrc_set_control(mon, LITEMRC_CONTROL_EPOCH_UNIT,
			    cycles ? LITEMRC_CONTROL_EPOCH_UNIT : 0);
}

/* What litemrc_quieten() changed, until litemrc_resume(). */
struct quiet {
	bool enabled;
	u32 length;
	unsigned long flags;
};

/*
 * Range and sampling may change only while the monitor is disabled and idle,
 * and a clear must follow. An epoch in the window is copied first, with the
 * scale it was counted in. Returns with @lock held, even on failure.
 */
static int litemrc_quieten(struct litemrc *mon, struct quiet *quiet)
{
	int ret;

	quiet->enabled = mon->enabled;
	quiet->length = litemrc_read(mon, LITEMRC_EPOCH_LENGTH);
	litemrc_set_control(mon, LITEMRC_CONTROL_ENABLE, 0);
	litemrc_write(mon, LITEMRC_EPOCH_LENGTH, 0);
	ret = litemrc_wait_drained(mon);
	raw_spin_lock_irqsave(&mon->lock, quiet->flags);
	if (!ret)
		ret = litemrc_wait_status(mon, LITEMRC_STATUS_IDLE,
					  LITEMRC_STATUS_IDLE);
	return ret;
}

static int litemrc_resume(struct litemrc *mon, const struct quiet *quiet,
			  bool cleared)
{
	litemrc_write(mon, LITEMRC_EPOCH_LENGTH, quiet->length);
	raw_spin_unlock_irqrestore(&mon->lock, quiet->flags);
	if (!quiet->enabled)
		return litemrc_check_stuck(mon);
	litemrc_set_control(mon, LITEMRC_CONTROL_ENABLE,
			    LITEMRC_CONTROL_ENABLE);
	if (cleared)
		litemrc_restore(mon);
	return litemrc_check_stuck(mon);
}

/**
 * litemrc_set_range() - set the frames that take part, and clear the monitor
 * @mon: the monitor
 * @lower: the first of them
 * @upper: the last of them
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, -EINVAL, or -EIO if the gateware does not respond
 */
int litemrc_set_range(struct litemrc *mon, u32 lower, u32 upper)
{
	struct quiet quiet;
	int ret;

	if (lower > upper || upper >= mon->parameters.frames)
		return -EINVAL;
	ret = litemrc_quieten(mon, &quiet);
	if (!ret) {
		litemrc_write(mon, LITEMRC_RANGE_LOWER, lower);
		litemrc_write(mon, LITEMRC_RANGE_UPPER, upper);
		litemrc_clear_locked(mon);
	}
	return litemrc_resume(mon, &quiet, !ret) ?: ret;
}

/**
 * litemrc_set_quiet() - write a register while the monitor is quiet, and clear
 * it
 * @mon: the monitor
 * @offset: of the register, in bytes
 * @value: its new value
 *
 * Context: Caller holds @mon->settings.
 * Return: 0; -ENODEV if the register does not hold the value; -EIO if the
 * gateware does not respond
 */
int litemrc_set_quiet(struct litemrc *mon, u32 offset, u32 value)
{
	struct quiet quiet;
	u32 before;
	int ret;

	ret = litemrc_quieten(mon, &quiet);
	if (!ret) {
		before = litemrc_read(mon, offset);
		litemrc_write(mon, offset, value);
		if (litemrc_read(mon, offset) == value) {
			litemrc_clear_locked(mon);
		} else {
			litemrc_write(mon, offset, before);
			ret = -ENODEV;
		}
	}
	return litemrc_resume(mon, &quiet, !ret) ?: ret;
}

/**
 * litemrc_set_sampling() - set the part of the pages that takes part
 * @mon: the monitor
 * @sampling: k: 1 page of 2^k
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, -EINVAL, or an error of litemrc_set_quiet()
 */
int litemrc_set_sampling(struct litemrc *mon, u32 sampling)
{
	if (sampling > mon->parameters.frames_log2)
		return -EINVAL;
	return litemrc_set_quiet(mon, LITEMRC_SAMPLING, sampling);
}

/**
 * litemrc_set_split() - count writes in the upper half of the contexts, or no
 * longer
 * @mon: the monitor
 * @on: 1: count them there
 *
 * Context: Caller holds @mon->settings.
 * Return: 0; -EBUSY if one of these contexts is not free; -ENODEV if there is
 * one context; or an error of litemrc_set_quiet()
 */
int litemrc_set_split(struct litemrc *mon, u32 on)
{
	u32 contexts = mon->parameters.contexts, context, control;

	if (contexts < 2)
		return on ? -ENODEV : 0;
	for (context = contexts / 2; on && context < contexts; context++)
		if (mon->follower[context].state != LITEMRC_CONTEXT_FREE)
			return -EBUSY;
	control = litemrc_read(mon, LITEMRC_CONTROL);
	if (!!(control & LITEMRC_CONTROL_SPLIT) == on)
		return 0;
	control &= ~(LITEMRC_CONTROL_ENABLE | LITEMRC_CONTROL_SPLIT);
	return litemrc_set_quiet(mon, LITEMRC_CONTROL,
				 control | (on ? LITEMRC_CONTROL_SPLIT : 0));
}
