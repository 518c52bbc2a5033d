// SPDX-License-Identifier: GPL-2.0
/*
 * The swap entry that a page fault is about to replace by its page. No tracepoint of this path has
 * the address, but the registers saved at the exception have it: of one in user mode at the top of
 * the kernel's stack; of one in the kernel, which accesses a user's buffer, further down. What is
 * found counts only if it is a page fault at a page in swap.
 */
#include <linux/mm.h>
#include <linux/sched/task_stack.h>

#include "compat.h"
#include "tail.h"
#include "walk.h"

#ifdef CONFIG_RISCV

static bool litemrc_tail_is_page_fault(const struct pt_regs *regs)
{
	return regs->cause == EXC_INST_PAGE_FAULT || regs->cause == EXC_LOAD_PAGE_FAULT ||
	       regs->cause == EXC_STORE_PAGE_FAULT;
}

/*
 * Returns the registers of the last page fault in the kernel since it was entered, or NULL. They
 * are looked for: an interrupt since then has its own below them. The entry code saves registers
 * below the stack pointer, which is one of them.
 */
static __no_sanitize_address const struct pt_regs *litemrc_tail_kernel_exception(void)
{
	const unsigned long size = ALIGN(sizeof(struct pt_regs), STACK_ALIGN);
	const unsigned long end = (unsigned long)task_pt_regs(current) - size;
	unsigned long first = ALIGN(current_stack_pointer, STACK_ALIGN);

	for (; first <= end; first += STACK_ALIGN) {
		const struct pt_regs *regs = (const struct pt_regs *)first;

		if (regs->sp == first + size && regs->status & SR_PP && litemrc_tail_is_page_fault(regs))
			return regs;
	}
	return NULL;
}

static bool litemrc_tail_swap_entry_at(struct mm_struct *mm, unsigned long address, unsigned long *entry)
{
	pmd_t *table;
	pte_t *pte;

	if (address >= TASK_SIZE)
		return false;
	pte = litemrc_find_pte(mm, address, &table);
	return pte && litemrc_swap_entry(*pte, entry);
}

/**
 * litemrc_fault_entry - find the page in swap at which the running task faulted
 * @mm: the task's memory; its tables cannot be freed meanwhile
 * @entry: set to the page's swap entry
 *
 * Return: whether there is one: false if the task discards memory instead, or if the address is not
 * known, as when the kernel follows a user's page tables without an access
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
