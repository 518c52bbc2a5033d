// SPDX-License-Identifier: GPL-2.0
/*
 * Visits the page table entries of a context's processes, or of all.
 * walk_page_range() is not exported to modules, nor is pte_offset_map_lock()
 * from 6.5 on, hence the loops.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "compat.h"
#include "litemrc.h"

/**
 * litemrc_find_pte() - find the entry of an address
 * @mm: the memory; the caller keeps its tables from being freed
 * @address: the address
 * @table: set to the entry of the table that holds the result
 *
 * Return: the entry, or NULL if there is no table for the address
 */
pte_t *litemrc_find_pte(struct mm_struct *mm, unsigned long address,
			pmd_t **table)
{
	pgd_t *pgd = pgd_offset(mm, address);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, address);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return NULL;
	pud = pud_offset(p4d, address);
	if (pud_none(*pud) || pud_bad(*pud))
		return NULL;
	*table = pmd_offset(pud, address);
	if (pmd_none(**table) || pmd_bad(**table))
		return NULL;
	return pte_offset_kernel(*table, address);
}
EXPORT_SYMBOL_GPL(litemrc_find_pte);

/**
 * litemrc_end_of_table() - end a range where its first table of entries ends
 * @address: begin of the range
 * @end: end of the range
 *
 * Not pmd_addr_end(): where this level is folded, it returns @end, beyond the
 * table.
 *
 * Return: the end of the table, or @end if that comes before
 */
unsigned long litemrc_end_of_table(unsigned long address, unsigned long end)
{
	unsigned long next = (address + PMD_SIZE) & PMD_MASK;

	return next - 1 < end - 1 ? next : end;
}
EXPORT_SYMBOL_GPL(litemrc_end_of_table);

/*
 * Visits some entries of one table. Huge pages, which 32-bit kernels lack,
 * would replace the table meanwhile, and in 7.2 another hart may free one that
 * has become empty: only after a grace period of RCU, so its lock remains, but
 * it is not in its place any more.
 */
static void litemrc_walk_visit_table(struct mm_struct *mm,
				     unsigned long address, unsigned int count,
				     litemrc_visit *visit, void *data)
{
	spinlock_t *lock; /* of the table */
	pmd_t *place, table;
	pte_t *pte;

	if (!litemrc_find_pte(mm, address, &place))
		return;
	table = READ_ONCE(*place);
	if (pmd_none(table))
		return;
	lock = pte_lockptr(mm, &table);
	spin_lock(lock);
	pte = litemrc_find_pte(mm, address, &place);
	if (pte && pmd_val(*place) == pmd_val(table))
		visit(data, pte, count);
	spin_unlock(lock);
}

/* Visits the entries of one table; returns the address after them. */
static unsigned long litemrc_walk_walk_table(struct mm_struct *mm,
					     unsigned long address,
					     unsigned long end,
					     litemrc_visit *visit, void *data)
{
	unsigned long next = litemrc_end_of_table(address, end);

	rcu_read_lock();
	litemrc_walk_visit_table(mm, address, (next - address) / PAGE_SIZE,
				 visit, data);
	rcu_read_unlock();
	cond_resched();
	return next;
}

/* Caller holds the mmap lock. */
static void litemrc_walk_walk_memory(struct mm_struct *mm,
				     enum litemrc_walk_lock how,
				     litemrc_visit *visit, void *data)
{
	struct vm_area_struct *area;
	struct vma_iterator iterator;
	unsigned long address;

	vma_iter_init(&iterator, mm, 0);
	for_each_vma(iterator, area) {
		if (area->vm_flags & (VM_IO | VM_PFNMAP))
			continue;
		if (how == LITEMRC_WALK_ALONE)
			litemrc_lock_area(area);
		for (address = area->vm_start; address != area->vm_end;)
			address = litemrc_walk_walk_table(mm, address,
							  area->vm_end, visit,
							  data);
	}
}

static bool litemrc_walk_lock_memory(struct mm_struct *mm,
				     enum litemrc_walk_lock how)
{
	if (how == LITEMRC_WALK_TRY)
		return mmap_read_trylock(mm);
	if (how == LITEMRC_WALK_SHARED)
		mmap_read_lock(mm);
	else
		mmap_write_lock(mm);
	return true;
}

static void litemrc_walk_unlock_memory(struct mm_struct *mm,
				       enum litemrc_walk_lock how)
{
	if (how == LITEMRC_WALK_ALONE)
		mmap_write_unlock(mm);
	else
		mmap_read_unlock(mm);
}

/**
 * litemrc_walk_task() - visit all page table entries of a task's memory
 * @task: the task
 * @how: how the mmap lock is taken
 * @visit: called with consecutive entries of a table, and its lock held
 * @data: its first argument
 */
void litemrc_walk_task(struct task_struct *task, enum litemrc_walk_lock how,
		       litemrc_visit *visit, void *data)
{
	struct mm_struct *mm = get_task_mm(task);

	if (!mm)
		return;
	if (litemrc_walk_lock_memory(mm, how)) {
		litemrc_walk_walk_memory(mm, how, visit, data);
		litemrc_walk_unlock_memory(mm, how);
	}
	mmput(mm);
}

/*
 * The first thread of a process may have ended before the others. Caller is in
 * an RCU section.
 */
static struct task_struct *
litemrc_walk_thread_with_memory(struct task_struct *process)
{
	struct task_struct *thread;

	for_each_thread(process, thread)
		if (READ_ONCE(thread->mm))
			return thread;
	return NULL;
}

/* @since is of the scheduler's clock, as is @se.exec_start. */
static bool litemrc_walk_has_run(struct task_struct *process, u64 since)
{
	struct task_struct *thread;

	for_each_thread(process, thread)
		if (thread->se.exec_start >= since)
			return true;
	return false;
}

/*
 * Lists the present processes of a cgroup, or all (NULL), that have run since:
 * as many as there is room for, with references. Later ones are children of
 * these, or move in, which pages.c notes. Returns how many there are.
 */
static unsigned int litemrc_walk_list_processes(struct cgroup *cgroup,
						u64 since,
						struct task_struct **tasks,
						unsigned int room)
{
	struct task_struct *process, *thread;
	unsigned int count = 0;

	rcu_read_lock();
	for_each_process(process) {
		if (process->flags & PF_KTHREAD ||
		    !litemrc_walk_has_run(process, since) ||
		    (cgroup && !litemrc_cgroup_holds(cgroup, process)))
			continue;
		thread = litemrc_walk_thread_with_memory(process);
		if (!thread)
			continue;
		if (count < room)
			tasks[count] = get_task_struct(thread);
		count++;
	}
	rcu_read_unlock();
	return count;
}

#define LITEMRC_FEW_PROCESSES 32
/* tries; (3/2)^32 is beyond any number of processes */
#define LITEMRC_LISTINGS 32

static int litemrc_walk_walk_processes(struct cgroup *cgroup, u64 since,
				       enum litemrc_walk_lock how,
				       litemrc_visit *visit, void *data)
{
	unsigned int count = LITEMRC_FEW_PROCESSES, tries = LITEMRC_LISTINGS,
		     room, i;
	struct task_struct **tasks;

	do {
		room = count + count / 2; /* others may be forked meanwhile */
		tasks = kvcalloc(room, sizeof(*tasks), GFP_KERNEL);
		if (!tasks)
			return -ENOMEM;
		count = litemrc_walk_list_processes(cgroup, since, tasks, room);
		for (i = 0; i < min(count, room); i++) {
			if (count <= room)
				litemrc_walk_task(tasks[i], how, visit, data);
			put_task_struct(tasks[i]);
		}
		kvfree(tasks);
	} while (count > room && --tries);
	return count > room ? -EAGAIN : 0;
}

/**
 * litemrc_walk_since() - visit all entries of the processes that have run since
 * a time
 * @since: the time, of the scheduler's clock
 * @visit: called with consecutive entries of a table, and its lock held
 * @data: its first argument
 *
 * Processes whose mmap lock is taken are left out.
 *
 * Return: 0, -ENOMEM, or -EAGAIN if processes were forked too fast
 */
int litemrc_walk_since(u64 since, litemrc_visit *visit, void *data)
{
	return litemrc_walk_walk_processes(NULL, since, LITEMRC_WALK_TRY, visit,
					   data);
}

/**
 * litemrc_walk_context() - visit all entries of the processes that a context
 * follows
 * @mon: the monitor
 * @context: the context
 * @how: how the mmap locks are taken
 * @visit: called with consecutive entries of a table, and its lock held
 * @data: its first argument
 *
 * Context: Caller holds @mon->settings.
 * Return: 0, -ENOMEM, or -EAGAIN if processes were forked too fast
 */
int litemrc_walk_context(struct litemrc *mon, unsigned int context,
			 enum litemrc_walk_lock how, litemrc_visit *visit,
			 void *data)
{
	struct litemrc_follower *follower = &mon->follower[context];
	struct task_struct *task;

	lockdep_assert_held(&mon->settings);
	if (follower->cgroup)
		return litemrc_walk_walk_processes(follower->cgroup, 0, how,
						   visit, data);
	task = get_pid_task(follower->pid, PIDTYPE_TGID);
	if (!task)
		return 0;
	litemrc_walk_task(task, how, visit, data);
	put_task_struct(task);
	return 0;
}
EXPORT_SYMBOL_GPL(litemrc_walk_context);

/*
 * The swap entry that a page fault is about to replace by its page. No
 * tracepoint of this path has the address, but the registers saved at the
 * exception have it: of one in user mode at the top of the kernel's stack; of
 * one in the kernel, which accesses a user's buffer, further down. What is
 * found counts only if it is a page fault at a page in swap.
 */

#ifdef CONFIG_RISCV

static bool litemrc_tail_is_page_fault(const struct pt_regs *regs)
{
	return regs->cause == EXC_INST_PAGE_FAULT ||
	       regs->cause == EXC_LOAD_PAGE_FAULT ||
	       regs->cause == EXC_STORE_PAGE_FAULT;
}

/*
 * Returns the registers of the last page fault in the kernel since it was
 * entered, or NULL. They are looked for: an interrupt since then has its own
 * below them. The entry code saves registers below the stack pointer, which is
 * one of them.
 */
static __no_sanitize_address const struct pt_regs *
litemrc_tail_kernel_exception(void)
{
	const unsigned long size = ALIGN(sizeof(struct pt_regs), STACK_ALIGN);
	const unsigned long end = (unsigned long)task_pt_regs(current) - size;
	unsigned long first = ALIGN(current_stack_pointer, STACK_ALIGN);

	for (; first <= end; first += STACK_ALIGN) {
		const struct pt_regs *regs = (const struct pt_regs *)first;

		if (regs->sp == first + size && regs->status & SR_PP &&
		    litemrc_tail_is_page_fault(regs))
			return regs;
	}
	return NULL;
}

static bool litemrc_tail_swap_entry_at(struct mm_struct *mm,
				       unsigned long address,
				       unsigned long *entry)
{
	pmd_t *table;
	pte_t *pte;

	if (address >= TASK_SIZE)
		return false;
	pte = litemrc_find_pte(mm, address, &table);
	return pte && litemrc_swap_entry(*pte, entry);
}

/**
 * litemrc_fault_entry() - find the page in swap at which the running task
 *   faulted
 * @mm: the task's memory; its tables cannot be freed meanwhile
 * @entry: set to the page's swap entry
 *
 * Return: whether there is one: false if the task discards memory instead, or
 * if the address is not known, as when the kernel follows a user's page tables
 * without an access
 */
bool litemrc_fault_entry(struct mm_struct *mm, unsigned long *entry)
{
	const struct pt_regs *regs = task_pt_regs(current);

	if (!litemrc_tail_is_page_fault(regs))
		regs = litemrc_tail_kernel_exception();
	return regs && litemrc_tail_swap_entry_at(mm, regs->badaddr, entry);
}

#else

bool litemrc_fault_entry(struct mm_struct *mm, unsigned long *entry)
{
	return false;
}

#endif
EXPORT_SYMBOL_GPL(litemrc_fault_entry);
