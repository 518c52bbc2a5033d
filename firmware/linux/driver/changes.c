// SPDX-License-Identifier: GPL-2.0
/*
 * A change of whom a context follows ends the running epoch, and the record of just that epoch
 * tells it: then a reader knows whose counts the next ones are, however late it reads.
 */
#include <linux/sched/signal.h>

#include "litemrc.h"

/**
 * litemrc_settle_locked - wait until no end of epoch is on its way to the window; under the lock
 * @mon: the monitor
 *
 * An end is on its way for as long as the queue takes. One that waits for the window to be released
 * has not set out: it will end the epoch that runs now.
 *
 * Return: whether the window is free, so that the next end sets out at once
 */
bool litemrc_settle_locked(struct litemrc *mon)
{
	const u32 ready = LITEMRC_STATUS_EPOCH_READY, due = LITEMRC_STATUS_EPOCH_DUE;
	unsigned int reads;
	u32 status;

	for (reads = 0; !mon->stuck && reads < LITEMRC_PATIENCE; reads++) {
		status = litemrc_read(mon, LITEMRC_STATUS);
		if (status & ready || !(status & due))
			return !(status & ready);
		cpu_relax();
	}
	mon->stuck = true;
	return true;
}

static void describe(const struct litemrc_follower *follower, struct litemrc_context *followed)
{
	memset(followed, 0, sizeof(*followed));
	followed->state = follower->state;
	followed->pid = pid_nr(follower->pid);
	strscpy(followed->comm, follower->comm, sizeof(followed->comm));
}

/* The context follows somebody else from now on, or nobody: ends the epoch; under the lock. */
void litemrc_change_locked(struct litemrc *mon, unsigned int context)
{
	struct litemrc_change *change;

	litemrc_settle_locked(mon);
	/*
	 * Those who change contexts wait for the record, so there is always room but for broken
	 * hardware.
	 */
	if (mon->changes == LITEMRC_CHANGES_MAX)
		mon->changes--;
	change = &mon->change[mon->changes++];
	change->epoch = litemrc_read(mon, LITEMRC_EPOCH);
	change->context = context;
	describe(&mon->follower[context], &change->followed);
	litemrc_write(mon, LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
}

/* A process followed may have another name since; under the lock. */
static void rename_followed(struct litemrc *mon, unsigned int context,
			    struct litemrc_context *followed)
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

/**
 * litemrc_tell - fill in whom each context follows from the end of this epoch on
 * @mon: the monitor
 * @record: of the epoch
 *
 * Return: a bit for each context that changed with this epoch
 */
u32 litemrc_tell(struct litemrc *mon, struct litemrc_epoch *record)
{
	unsigned int told, context;
	unsigned long flags;
	u32 changed = 0;

	memcpy(record->followed, mon->ring.followed, record->contexts * sizeof(*record->followed));
	raw_spin_lock_irqsave(&mon->lock, flags);
	for (told = 0; told < mon->changes; told++) {
		const struct litemrc_change *change = &mon->change[told];

		if ((s32)(change->epoch - record->epoch) > 0)
			break;
		record->followed[change->context] = change->followed;
		changed |= BIT(change->context);
	}
	mon->changes -= told;
	memmove(mon->change, mon->change + told, mon->changes * sizeof(*mon->change));
	for (context = 1; context < record->contexts; context++)
		rename_followed(mon, context, &record->followed[context]);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	return changed;
}
