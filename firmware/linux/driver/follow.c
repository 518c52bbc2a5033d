// SPDX-License-Identifier: GPL-2.0
/*
 * The process or cgroup that each context follows. @settings guards the
 * followers. @lock guards the map, which the hook of allocated pages reads, and
 * the end of a process, which can come at any time.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "litemrc.h"

LITEMRC_ON_EXIT(litemrc_on_exit);

static struct litemrc_hook exit_hook = { "sched_process_exit",
					 litemrc_on_exit };

/**
 * litemrc_follow_init() - free all contexts and find the tracepoint of ended
 * processes
 * @mon: the monitor
 *
 * Return: 0, or -ENODEV if the kernel lacks it
 */
int litemrc_follow_init(struct litemrc *mon)
{
	unsigned int context;

	for (context = 0; context < LITEMRC_CONTEXTS_MAX; context++) {
		mon->map.tgid[context] = LITEMRC_NO_TGID;
		mon->follower[context].state = LITEMRC_CONTEXT_FREE;
	}
	check_trace_callback_type_sched_process_exit(litemrc_on_exit);
	return litemrc_hooks_find(mon->dev, &exit_hook, 1);
}

/**
 * litemrc_follow_start() - note processes that end, until litemrc_follow_stop()
 * @mon: the monitor
 *
 * Return: 0 or a negative error
 */
int litemrc_follow_start(struct litemrc *mon)
{
	return litemrc_hooks_add(mon->dev, &exit_hook, 1, mon);
}

/**
 * litemrc_follow_stop() - note no further process that ends
 * @mon: the monitor
 */
void litemrc_follow_stop(struct litemrc *mon)
{
	litemrc_hooks_remove(&exit_hook, 1, mon);
}

/* Caller holds @lock. */
static void litemrc_count_followers(struct litemrc *mon)
{
	struct litemrc_map *map = &mon->map;
	unsigned int context, last = 0, cgroups = 0;

	for (context = 1; context < mon->parameters.contexts; context++) {
		if (map->tgid[context] != LITEMRC_NO_TGID ||
		    map->cgroup[context])
			last = context;
		cgroups += !!map->cgroup[context];
	}
	WRITE_ONCE(map->last, last);
	WRITE_ONCE(map->cgroups, cgroups);
}

static void litemrc_set_map(struct litemrc *mon, unsigned int context,
			    pid_t tgid, struct cgroup *cgroup)
{
	WRITE_ONCE(mon->map.tgid[context], tgid);
	WRITE_ONCE(mon->map.cgroup[context], cgroup);
	litemrc_count_followers(mon);
	mon->allocating = NULL;
}

static void litemrc_unfollow(struct litemrc *mon, unsigned int context)
{
	litemrc_set_map(mon, context, LITEMRC_NO_TGID, NULL);
}

/*
 * The followed process or cgroup is gone; @task is of the process, for its
 * name, NULL of a cgroup. Caller holds @lock.
 */
static void litemrc_end_locked(struct litemrc *mon, unsigned int context,
			       struct task_struct *task)
{
	struct litemrc_follower *follower = &mon->follower[context];

	follower->state = LITEMRC_CONTEXT_ENDED;
	if (task)
		memcpy(follower->comm, task->group_leader->comm,
		       sizeof(follower->comm));
	litemrc_unfollow(mon, context);
	litemrc_call_clients(mon, ended, context);
	litemrc_change_locked(mon, context);
}

static bool litemrc_is_alive(struct task_struct *task)
{
	return atomic_read(&task->signal->live);
}

LITEMRC_ON_EXIT(litemrc_on_exit)
{
	struct litemrc *mon = data;
	unsigned int context;
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	if (mon->allocating == task)
		mon->allocating = NULL;
	if (litemrc_is_alive(task))
		goto unlock;
	for (context = 1; context < mon->parameters.contexts; context++)
		if (mon->map.tgid[context] == task->tgid)
			litemrc_end_locked(mon, context, task);
unlock:
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/**
 * litemrc_check_removed() - end the following of a cgroup that was removed
 * @mon: the monitor
 * @context: the context that may follow one
 *
 * No hook reports the removal of a cgroup.
 *
 * Context: Caller holds @mon->settings.
 */
void litemrc_check_removed(struct litemrc *mon, unsigned int context)
{
	struct litemrc_follower *follower = &mon->follower[context];
	unsigned long flags;

	lockdep_assert_held(&mon->settings);
	raw_spin_lock_irqsave(&mon->lock, flags);
	if (follower->state == LITEMRC_CONTEXT_FOLLOWING && follower->cgroup &&
	    litemrc_cgroup_removed(follower->cgroup))
		litemrc_end_locked(mon, context, NULL);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

static void litemrc_follower_get(const struct litemrc_follower *follower)
{
	get_pid(follower->pid);
	if (follower->cgroup)
		litemrc_cgroup_hold(follower->cgroup);
}

static void litemrc_follower_put(const struct litemrc_follower *follower)
{
	put_pid(follower->pid);
	if (follower->cgroup)
		litemrc_cgroup_put(follower->cgroup);
}

/**
 * litemrc_free_context() - have a context follow nothing
 * @mon: the monitor
 * @context: the context
 *
 * Context: Caller holds @mon->settings.
 * Return: 0; -EBUSY for context 0; -EIO if the epoch does not end
 */
int litemrc_free_context(struct litemrc *mon, unsigned int context)
{
	struct litemrc_follower *follower = &mon->follower[context];
	struct litemrc_follower before;
	unsigned long flags;
	u32 epoch;
	int ret;

	lockdep_assert_held(&mon->settings);
	if (!context)
		return -EBUSY;
	if (follower->state == LITEMRC_CONTEXT_FREE)
		return 0;
	raw_spin_lock_irqsave(&mon->lock, flags);
	before = *follower;
	*follower = (struct litemrc_follower){ .state = LITEMRC_CONTEXT_FREE };
	litemrc_unfollow(mon, context);
	epoch = litemrc_change_locked(mon, context);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	litemrc_follower_put(&before);
	litemrc_owners_release(mon, context);
	ret = litemrc_wait_stored(mon, epoch);
	litemrc_call_clients(mon, changed);
	return ret;
}

/* Is it one of the contexts of writes? */
static bool litemrc_counts_writes(struct litemrc *mon, unsigned int context)
{
	return context >= mon->parameters.contexts / 2 &&
	       litemrc_read(mon, LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT;
}

/*
 * Returns 0 if free, 1 if it already follows this process or cgroup, -EBUSY
 * otherwise.
 */
static int litemrc_check_use(struct litemrc *mon, unsigned int context,
			     struct pid *pid, struct cgroup *cgroup)
{
	struct litemrc_follower *follower = mon->follower;
	unsigned int other;

	if (!context || litemrc_counts_writes(mon, context))
		return -EBUSY;
	for (other = 1; other < mon->parameters.contexts; other++) {
		bool same = pid ? follower[other].pid == pid :
				  follower[other].cgroup == cgroup;

		if (follower[other].state != LITEMRC_CONTEXT_FOLLOWING)
			continue;
		if (other == context)
			return same ? 1 : -EBUSY;
		if (same)
			return -EBUSY;
	}
	return 0;
}

/*
 * Installs a follower unless its process has ended; the exit hook of its last
 * thread takes @lock. Returns -EAGAIN unless the window is free: the running
 * epoch must end now, before the follower's first access.
 */
static int litemrc_try_replace(struct litemrc *mon, unsigned int context,
			       const struct litemrc_follower *wanted,
			       struct task_struct *task, u32 *epoch)
{
	struct litemrc_follower *follower = &mon->follower[context];
	struct litemrc_follower before = {};
	unsigned long flags;
	int ret;

	ret = litemrc_wait_drained(mon);
	if (ret)
		return ret;
	raw_spin_lock_irqsave(&mon->lock, flags);
	ret = task && !litemrc_is_alive(task) ? -ESRCH :
						litemrc_settle_locked(mon);
	if (!ret) {
		before = *follower;
		*follower = *wanted;
		litemrc_follower_get(follower);
		*epoch = litemrc_change_locked(mon, context);
		litemrc_set_map(mon, context,
				task ? task->tgid : LITEMRC_NO_TGID,
				wanted->cgroup);
	}
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	litemrc_follower_put(&before);
	return ret;
}

/*
 * No epoch ends by its length meanwhile, so only the end of a process, once for
 * each context, can fill the window between the wait and the look.
 */
static int litemrc_replace_follower(struct litemrc *mon, unsigned int context,
				    const struct litemrc_follower *wanted,
				    struct task_struct *task, u32 *epoch)
{
	u32 length = litemrc_read(mon, LITEMRC_EPOCH_LENGTH);
	unsigned int tries = mon->parameters.contexts + 1;
	int ret;

	litemrc_write(mon, LITEMRC_EPOCH_LENGTH, 0);
	do {
		ret = litemrc_try_replace(mon, context, wanted, task, epoch);
	} while (ret == -EAGAIN && --tries);
	litemrc_write(mon, LITEMRC_EPOCH_LENGTH, length);
	return ret == -EAGAIN ? -EBUSY : ret;
}

static int litemrc_begin_following(struct litemrc *mon, unsigned int context,
				   const struct litemrc_follower *wanted,
				   struct task_struct *task)
{
	u32 epoch;
	int ret;

	ret = mon->ops->follow ? mon->ops->follow(mon->io) : 0;
	if (!ret && mon->enabled)
		ret = litemrc_probes_register(mon);
	if (ret)
		return ret;
	litemrc_owners_release(mon, context); /* of a process that has ended */
	ret = litemrc_replace_follower(mon, context, wanted, task, &epoch);
	if (ret)
		return ret;
	litemrc_hand_over(mon, context);
	ret = litemrc_wait_stored(mon, epoch);
	litemrc_call_clients(mon, changed);
	return ret;
}

/**
 * litemrc_follow_pid() - have a context follow a process
 * @mon: the monitor
 * @context: the context
 * @nr: number of the process, as the running task sees it
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, also if it follows it already; -ESRCH if there is no such process;
 * -EBUSY if the context, or the process, is in other use; or another error
 */
int litemrc_follow_pid(struct litemrc *mon, unsigned int context, pid_t nr)
{
	struct litemrc_follower wanted = { .state = LITEMRC_CONTEXT_FOLLOWING };
	struct task_struct *task = NULL;
	int ret = -ESRCH;

	lockdep_assert_held(&mon->settings);
	wanted.pid = find_get_pid(nr);
	if (wanted.pid)
		task = get_pid_task(wanted.pid, PIDTYPE_TGID);
	if (task && litemrc_is_alive(task)) {
		get_task_comm(wanted.comm, task);
		ret = litemrc_check_use(mon, context, wanted.pid, NULL);
		if (!ret)
			ret = litemrc_begin_following(mon, context, &wanted,
						      task);
	}
	if (task)
		put_task_struct(task);
	litemrc_follower_put(&wanted);
	return min(ret, 0);
}

/**
 * litemrc_follow_cgroup() - have a context follow a cgroup
 * @mon: the monitor
 * @context: the context
 * @path: of the cgroup
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, also if it follows it already; an error of litemrc_cgroup_get();
 * -EBUSY if the context, or the cgroup, is in other use; or another error
 */
int litemrc_follow_cgroup(struct litemrc *mon, unsigned int context,
			  const char *path)
{
	struct litemrc_follower wanted = { .state = LITEMRC_CONTEXT_FOLLOWING };
	int ret;

	lockdep_assert_held(&mon->settings);
	wanted.cgroup = litemrc_cgroup_get(path);
	if (IS_ERR(wanted.cgroup))
		return PTR_ERR(wanted.cgroup);
	strscpy(wanted.comm, kbasename(path), sizeof(wanted.comm));
	ret = litemrc_check_use(mon, context, NULL, wanted.cgroup);
	if (!ret)
		ret = litemrc_begin_following(mon, context, &wanted, NULL);
	litemrc_follower_put(&wanted);
	return min(ret, 0);
}

/**
 * litemrc_current_context() - the context of the running task
 * @device: the monitor's device, which stays until litemrc_ops.enable() has
 *   disabled it
 *
 * Return: the context, or 0
 */
unsigned int litemrc_current_context(struct device *device)
{
	const struct litemrc *mon = dev_get_drvdata(device);

	return mon && READ_ONCE(mon->probing) ?
		       litemrc_context_of(&mon->map, current) :
		       0;
}
EXPORT_SYMBOL_GPL(litemrc_current_context);
