// SPDX-License-Identifier: GPL-2.0
/*
 * Assigns private frames of a running process to its context: invalidating a frame makes the next
 * access its owner. walk_page_range() is not exported to modules, nor is pte_offset_map_lock() from
 * 6.5 on, hence the loops.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "litemrc.h"

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

/* Hands over the pages of one table; returns the address after them. */
static unsigned long hand_over_table(struct litemrc *mon, struct mm_struct *mm,
				     unsigned long address, unsigned long end)
{
	unsigned long next = pmd_addr_end(address, end);
	pgd_t *pgd = pgd_offset(mm, address);
	spinlock_t *lock; /* of the table */
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;
	pte_t *pte;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return next;
	p4d = p4d_offset(pgd, address);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return next;
	pud = pud_offset(p4d, address);
	if (pud_none(*pud) || pud_bad(*pud))
		return next;
	pmd = pmd_offset(pud, address);
	if (pmd_none(*pmd) || pmd_bad(*pmd))
		return next;
	lock = pte_lockptr(mm, pmd);
	spin_lock(lock);
	/* Only huge pages, which 32-bit kernels lack, would replace the table meanwhile. */
	if (!pmd_none(*pmd) && !pmd_bad(*pmd))
		for (pte = pte_offset_kernel(pmd, address); address != next; address += PAGE_SIZE)
			hand_over_page(mon, *pte++);
	spin_unlock(lock);
	cond_resched();
	return next;
}

static void hand_over_memory(struct litemrc *mon, struct mm_struct *mm)
{
	struct vm_area_struct *area;
	struct vma_iterator iterator;
	unsigned long address;

	mmap_read_lock(mm);
	vma_iter_init(&iterator, mm, 0);
	for_each_vma(iterator, area) {
		if (area->vm_flags & (VM_IO | VM_PFNMAP))
			continue;
		for (address = area->vm_start; address != area->vm_end;)
			address = hand_over_table(mon, mm, address, area->vm_end);
	}
	mmap_read_unlock(mm);
}

static void hand_over_task(struct litemrc *mon, struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);

	if (!mm)
		return;
	hand_over_memory(mon, mm);
	mmput(mm);
}

/*
 * Lists the cgroup's present processes, with references. Later ones are children of these, or move
 * in, which moved.c notes.
 */
static unsigned int list_processes(struct cgroup *cgroup, struct task_struct **tasks,
				   unsigned int limit)
{
	struct task_struct *task;
	unsigned int count = 0;

	rcu_read_lock();
	for_each_process(task) {
		if (!litemrc_cgroup_holds(cgroup, task))
			continue;
		if (tasks && count == limit)
			break;
		if (tasks)
			tasks[count] = get_task_struct(task);
		count++;
	}
	rcu_read_unlock();
	return count;
}

static void hand_over_cgroup(struct litemrc *mon, struct cgroup *cgroup)
{
	unsigned int count = list_processes(cgroup, NULL, 0);
	struct task_struct **tasks;

	if (!count)
		return;
	tasks = kvcalloc(count, sizeof(*tasks), GFP_KERNEL);
	if (!tasks) {
		dev_warn(mon->dev, "no memory to hand %u processes their pages\n", count);
		return;
	}
	count = list_processes(cgroup, tasks, count);
	while (count--) {
		hand_over_task(mon, tasks[count]);
		put_task_struct(tasks[count]);
	}
	kvfree(tasks);
}

static void hand_over_pid(struct litemrc *mon, struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);

	if (!task)
		return;
	hand_over_task(mon, task);
	put_task_struct(task);
}

/* Does nothing while the monitor is disabled: enabling clears it and hands over. */
void litemrc_hand_over(struct litemrc *mon, unsigned int context)
{
	struct litemrc_follower *follower = &mon->follower[context];

	lockdep_assert_held(&mon->settings);
	if (!mon->probing || follower->state != LITEMRC_CONTEXT_FOLLOWING)
		return;
	if (follower->cgroup)
		hand_over_cgroup(mon, follower->cgroup);
	else
		hand_over_pid(mon, follower->pid);
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
		hand_over_task(mon, task);
	put_task_struct(task);
}
