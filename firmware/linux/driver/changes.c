// SPDX-License-Identifier: GPL-2.0
/*
 * Re-assigning a context ends the running epoch, and that epoch's record
 * carries the new follower. So a reader attributes the counts of the following
 * epochs correctly, however late it reads.
 */
#include <linux/sched/signal.h>

#include "litemrc.h"

static bool litemrc_is_settled(u32 status, u32 ready, u32 due)
{
	return status & ready || !(status & due);
}

/**
 * litemrc_settle_locked() - wait until no end of epoch is between queue and
 * window
 * @mon: the monitor
 *
 * An end of epoch passes the queue first. One that waits for the release of the
 * window has not entered the queue: it will end the epoch that runs now.
 *
 * Context: Caller holds @mon->lock.
 * Return: 0 if the window is free, so that the next end of epoch enters the
 * queue at once; -EAGAIN if it is not; -EIO if the gateware does not respond
 */
int litemrc_settle_locked(struct litemrc *mon)
{
	u32 status;

	if (litemrc_poll_status(mon, litemrc_is_settled,
				LITEMRC_STATUS_EPOCH_READY,
				LITEMRC_STATUS_EPOCH_DUE, &status))
		return -EIO;
	return status & LITEMRC_STATUS_EPOCH_READY ? -EAGAIN : 0;
}

static void litemrc_describe_follower(const struct litemrc_follower *follower,
				      struct litemrc_row *followed)
{
	memset(followed, 0, sizeof(*followed));
	followed->state = follower->state;
	followed->pid = pid_nr(follower->pid);
	strscpy(followed->comm, follower->comm, sizeof(followed->comm));
}

/**
 * litemrc_end_epoch_locked() - end the running epoch
 * @mon: the monitor
 *
 * Context: Caller holds @mon->lock.
 * Return: its number
 */
u32 litemrc_end_epoch_locked(struct litemrc *mon)
{
	u32 epoch;

	litemrc_settle_locked(mon);
	epoch = litemrc_read(mon, LITEMRC_EPOCH);
	litemrc_write(mon, LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	return epoch;
}

/**
 * litemrc_change_locked() - end the running epoch and note a new follower for
 * its record
 * @mon: the monitor
 * @context: the follower's context
 *
 * Context: Caller holds @mon->lock.
 * Return: number of the epoch
 */
u32 litemrc_change_locked(struct litemrc *mon, unsigned int context)
{
	struct litemrc_change *change;

	/*
	 * Writers wait for the record, so there is room unless the hardware is
	 * broken.
	 */
	if (mon->changes == LITEMRC_CHANGES_MAX)
		mon->changes--;
	change = &mon->change[mon->changes++];
	change->context = context;
	litemrc_describe_follower(&mon->follower[context], &change->followed);
	change->followed.context = context;
	change->epoch = litemrc_end_epoch_locked(mon);
	return change->epoch;
}

/* A followed process may have changed its name. Caller holds @lock. */
static void litemrc_rename_followed(struct litemrc *mon, unsigned int context,
				    struct litemrc_row *followed)
{
	const struct litemrc_follower *follower = &mon->follower[context];
	struct task_struct *task;

	if (followed->state != LITEMRC_CONTEXT_FOLLOWING || !followed->pid ||
	    followed->pid != pid_nr(follower->pid))
		return;
	rcu_read_lock();
	task = pid_task(follower->pid, PIDTYPE_TGID);
	if (task)
		memcpy(followed->comm, task->comm, sizeof(followed->comm));
	rcu_read_unlock();
}

/* Sets what a row of the record says of its follower, not of its memory. */
static void litemrc_set_followed(struct litemrc_row *row,
				 const struct litemrc_row *followed)
{
	if (row->state != LITEMRC_CONTEXT_FREE ||
	    followed->state != LITEMRC_CONTEXT_FREE)
		memcpy(row, followed, offsetof(struct litemrc_row, resident));
}

/**
 * litemrc_fill_followed() - fill in what each context follows after this epoch
 * @mon: the monitor
 * @last: the record before
 * @record: the record of the epoch
 *
 * Return: a bit for each context whose follower changed at the end of this
 * epoch
 */
u32 litemrc_fill_followed(struct litemrc *mon, const struct litemrc_epoch *last,
			  struct litemrc_epoch *record)
{
	u32 bytes = litemrc_parts(record)->item_bytes, changed = 0;
	const void *before = litemrc_record_row(last, 0);
	void *row = litemrc_record_row(record, 0);
	unsigned int reported, context;
	unsigned long flags;

	for (context = 0; context < mon->parameters.contexts; context++)
		litemrc_set_followed(row + context * bytes,
				     before + context * bytes);
	raw_spin_lock_irqsave(&mon->lock, flags);
	for (reported = 0; reported < mon->changes; reported++) {
		const struct litemrc_change *change = &mon->change[reported];

		if ((s32)(change->epoch - record->epoch) > 0)
			break;
		litemrc_set_followed(row + change->context * bytes,
				     &change->followed);
		changed |= BIT(change->context);
	}
	mon->changes -= reported;
	memmove(mon->change, mon->change + reported,
		mon->changes * sizeof(*mon->change));
	for (context = 1; context < mon->parameters.contexts; context++)
		litemrc_rename_followed(mon, context, row + context * bytes);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	return changed;
}
