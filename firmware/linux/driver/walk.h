/* SPDX-License-Identifier: GPL-2.0 */
/* Page tables of the processes of a context. */
#ifndef LITEMRC_WALK_H
#define LITEMRC_WALK_H

#include <linux/pgtable.h>

#include "litemrc.h"

struct mm_struct;

/* Visits consecutive entries of a table, with the table's lock held. */
typedef void litemrc_visit(void *data, pte_t *entry, unsigned int count);

/* How a walk takes the mmap lock. */
enum litemrc_walk_lock {
	LITEMRC_WALK_TRY, /* not if it is taken */
	LITEMRC_WALK_SHARED,
	LITEMRC_WALK_ALONE, /* no page fault is under way: all pages are in the tables */
};

pte_t *litemrc_find_pte(struct mm_struct *mm, unsigned long address, pmd_t **table);
unsigned long litemrc_end_of_table(unsigned long address, unsigned long end);
void litemrc_walk_task(struct task_struct *task, enum litemrc_walk_lock how, litemrc_visit *visit,
		       void *data);
int litemrc_walk_context(struct litemrc *mon, unsigned int context, enum litemrc_walk_lock how,
			 litemrc_visit *visit, void *data);
int litemrc_walk_since(u64 since, litemrc_visit *visit, void *data);

#endif
