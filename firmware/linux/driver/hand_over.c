// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that were allocated before their process was followed: those that only it maps become its
 * context's. So do those of a process that moves into a followed cgroup, and pages that the kernel
 * has moved to other frames. A work item walks the memories, as tracepoints must not sleep.
 */
#include <linux/mm.h>
#include <linux/sched/task.h>

#include "walk.h"

struct hand_over {
	struct litemrc *mon;
	unsigned int context;
};

/*
 * Does one process alone map the frame? Of a page with several frames (compound) the count is
 * elsewhere: a huge page belongs to the context of its allocation.
 */
static bool litemrc_is_private(struct page *page)
{
	return !PageCompound(page) && !atomic_read(&page->_mapcount);
}

static void litemrc_hand_over_page(const struct hand_over *to, pte_t pte)
{
	unsigned long frame;

	if (!pte_present(pte) || pte_special(pte) || !pfn_valid(pte_pfn(pte)))
		return;
	frame = pte_pfn(pte) - to->mon->first_pfn;
	if (frame < to->mon->parameters.frames && litemrc_is_private(pfn_to_page(pte_pfn(pte))))
		litemrc_hand_over_frame(to->mon, frame, to->context);
}

static void litemrc_hand_over_pages(void *data, pte_t *entry, unsigned int count)
{
	for (; count; count--)
		litemrc_hand_over_page(data, *entry++);
}

/* Does nothing while the monitor is disabled: enabling clears it and hands over. */
void litemrc_hand_over(struct litemrc *mon, unsigned int context)
{
	struct hand_over to = { mon, context };
	int ret;

	lockdep_assert_held(&mon->settings);
	if (!mon->owner || !mon->probing ||
	    mon->follower[context].state != LITEMRC_CONTEXT_FOLLOWING)
		return;
	ret = litemrc_walk_context(mon, context, LITEMRC_WALK_ALONE, litemrc_hand_over_pages, &to);
	if (ret)
		dev_warn(mon->dev, "context %u was not handed its pages: %d\n", context, ret);
}

/* Does the same for all contexts. Caller holds @settings. */
void litemrc_hand_over_all(struct litemrc *mon)
{
	unsigned int context;

	for (context = 1; context < mon->parameters.contexts; context++)
		litemrc_hand_over(mon, context);
}

/*
 * The pages of a process that moved between cgroups. One with a context of its own, or in no
 * followed cgroup by now, keeps its pages where they are.
 */
static void litemrc_hand_over_process(struct litemrc *mon, struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct hand_over to = { mon };

	if (!task)
		return;
	to.context = litemrc_context_of(&mon->map, task);
	if (mon->owner && mon->probing && mon->map.cgroup[to.context])
		litemrc_walk_task(task, LITEMRC_WALK_ALONE, litemrc_hand_over_pages, &to);
	put_task_struct(task);
}

/* A process has moved to a cgroup. Called in a tracepoint, possibly with interrupts off. */
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
		WRITE_ONCE(moved->all, 1);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (followed)
		schedule_work(&moved->work);
}

/* Pages have moved to other frames, of any process. Called in a tracepoint. */
void litemrc_note_migrated(struct litemrc *mon)
{
	if (!READ_ONCE(mon->map.last))
		return;
	WRITE_ONCE(mon->moved.all, 1);
	schedule_work(&mon->moved.work);
}

static void litemrc_hand_over_moved(struct work_struct *work)
{
	struct litemrc *mon = container_of(work, struct litemrc, moved.work);
	struct litemrc_moved *moved = &mon->moved;
	struct pid *pid[LITEMRC_MOVED_MAX];
	unsigned int count, i;
	unsigned long flags;
	int all;

	mutex_lock(&mon->settings);
	raw_spin_lock_irqsave(&mon->lock, flags);
	count = moved->count;
	memcpy(pid, moved->pid, count * sizeof(*pid));
	moved->count = 0;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	all = xchg(&moved->all, 0);
	if (all)
		litemrc_hand_over_all(mon);
	for (i = 0; i < count; i++) {
		if (!all)
			litemrc_hand_over_process(mon, pid[i]);
		put_pid(pid[i]);
	}
	mutex_unlock(&mon->settings);
}

void litemrc_moved_init(struct litemrc *mon)
{
	INIT_WORK(&mon->moved.work, litemrc_hand_over_moved);
}

/* The probes are unregistered, so no further move is noted. Caller does not hold @settings. */
void litemrc_moved_stop(struct litemrc *mon)
{
	flush_work(&mon->moved.work);
}
