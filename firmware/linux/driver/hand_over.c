// SPDX-License-Identifier: GPL-2.0
/*
 * Assigns private frames of a running process to its context: invalidating a frame makes the next
 * access its owner.
 */
#include <linux/mm.h>
#include <linux/sched/task.h>

#include "walk.h"

/*
 * Does one process alone map the frame? Of a page with several frames (compound), which no process
 * of a 32-bit kernel has in its tables as private memory, the count would be elsewhere.
 */
static bool is_private(struct page *page)
{
	return !PageCompound(page) && !atomic_read(&page->_mapcount);
}

static void hand_over_page(struct litemrc *mon, pte_t pte)
{
	unsigned long frame;

	if (!pte_present(pte) || pte_special(pte) || !pfn_valid(pte_pfn(pte)))
		return;
	frame = pte_pfn(pte) - mon->first_pfn;
	if (frame < mon->parameters.frames && is_private(pfn_to_page(pte_pfn(pte))))
		litemrc_invalidate(mon, frame);
}

static void hand_over_pages(void *data, pte_t *entry, unsigned int count)
{
	for (; count; count--)
		hand_over_page(data, *entry++);
}

/* Does nothing while the monitor is disabled: enabling clears it and hands over. */
void litemrc_hand_over(struct litemrc *mon, unsigned int context)
{
	int ret;

	lockdep_assert_held(&mon->settings);
	if (!mon->probing || mon->follower[context].state != LITEMRC_CONTEXT_FOLLOWING)
		return;
	ret = litemrc_walk_context(mon, context, hand_over_pages, mon);
	if (ret)
		dev_warn(mon->dev, "context %u was not handed its pages: %d\n", context, ret);
}

/**
 * litemrc_hand_over_process - hand over the pages of a process that moved between cgroups
 * @mon: the monitor; caller holds @settings
 * @pid: its thread group
 *
 * A process with a context of its own, or in no followed cgroup by now, keeps its pages where they
 * are.
 */
void litemrc_hand_over_process(struct litemrc *mon, struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	unsigned long flags;
	bool by_cgroup;

	lockdep_assert_held(&mon->settings);
	if (!task)
		return;
	raw_spin_lock_irqsave(&mon->lock, flags);
	by_cgroup = mon->map.cgroup[litemrc_context_of(&mon->map, task)];
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (mon->probing && by_cgroup)
		litemrc_walk_task(task, hand_over_pages, mon);
	put_task_struct(task);
}
