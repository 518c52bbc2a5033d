// SPDX-License-Identifier: GPL-2.0
/*
 * A process that moves into a followed cgroup takes its private pages along. The tracepoint that
 * reports the move must not sleep, so a work item walks the process's memory.
 */
#include "litemrc.h"

/* Called in a tracepoint, possibly with interrupts off. */
void litemrc_note_moved(struct litemrc *mon, struct cgroup *cgroup, struct task_struct *task)
{
	struct litemrc_moved *moved = &mon->moved;
	unsigned long flags;
	bool followed;

	raw_spin_lock_irqsave(&mon->lock, flags);
	followed = litemrc_cgroup_followed(&mon->map, cgroup);
	if (followed && moved->count < LITEMRC_MOVED_MAX)
		moved->pid[moved->count++] = get_pid(task_tgid(task));
	else if (followed)
		moved->more = true;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	/* Not under @lock: this may wake a worker, and the scheduler's hook takes @lock. */
	if (followed)
		schedule_work(&moved->work);
}

static void hand_over_all(struct litemrc *mon)
{
	unsigned int context;

	for (context = 1; context < mon->parameters.contexts; context++)
		if (mon->follower[context].cgroup)
			litemrc_hand_over(mon, context);
}

/* A move during a claim waits here for its end; the pages read meanwhile are handed over then. */
static void hand_over_moved(struct work_struct *work)
{
	struct litemrc *mon = container_of(work, struct litemrc, moved.work);
	struct litemrc_moved *moved = &mon->moved;
	struct pid *pid[LITEMRC_MOVED_MAX];
	unsigned int count, i;
	unsigned long flags;
	bool more;

	mutex_lock(&mon->settings);
	raw_spin_lock_irqsave(&mon->lock, flags);
	count = moved->count;
	more = moved->more;
	memcpy(pid, moved->pid, count * sizeof(*pid));
	moved->count = 0;
	moved->more = false;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (more)
		hand_over_all(mon);
	for (i = 0; i < count; i++) {
		if (!more)
			litemrc_hand_over_process(mon, pid[i]);
		put_pid(pid[i]);
	}
	mutex_unlock(&mon->settings);
}

void litemrc_moved_init(struct litemrc *mon)
{
	INIT_WORK(&mon->moved.work, hand_over_moved);
}

/* The probes are unregistered, so no further move is noted. Caller does not hold @settings. */
void litemrc_moved_stop(struct litemrc *mon)
{
	flush_work(&mon->moved.work);
}
