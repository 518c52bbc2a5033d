/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that the driver is built for: 6.1, 6.12 and
 * 7.2. Apart from Kbuild, which leaves files out, no other file asks for the
 * kernel's version.
 */
#ifndef LITEMRC_COMPAT_H
#define LITEMRC_COMPAT_H

#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/sysfs.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#include <linux/leafops.h>
#else
#include <linux/swapops.h>
#endif

/*
 * A binary attribute in its callbacks and in the list of a group. Since 6.16
 * the callbacks get a constant one; the lists of 7.2 are of constant ones, too.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
typedef const struct bin_attribute litemrc_bin_attribute;
#else
typedef struct bin_attribute litemrc_bin_attribute;
#endif

/**
 * LITEMRC_ON_EXIT - define a callback of the tracepoint sched_process_exit
 * @name: of the function, whose parameters are data and task
 *
 * Since 6.16 a third parameter says whether the task is the last one of its
 * process. Since then the callback comes before the task's memory is released,
 * in earlier kernels after that.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define LITEMRC_ON_EXIT(name) \
	static void name(void *data, struct task_struct *task, bool group_dead)
#else
#define LITEMRC_ON_EXIT(name) \
	static void name(void *data, struct task_struct *task)
#endif

/**
 * litemrc_system_wq() - the workqueue of schedule_work()
 *
 * Return: the workqueue: since 6.17 system_percpu_wq, as 7.2 warns of the use
 * of system_wq
 */
static inline struct workqueue_struct *litemrc_system_wq(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return system_percpu_wq;
#else
	return system_wq;
#endif
}

/**
 * litemrc_swap_entry() - read the swap entry of a page in swap from its page
 * table entry
 * @pte: the entry of the page table
 * @entry: set to the swap entry, if there is one
 *
 * Since 6.19 a leaf that is not present is a softleaf_t, and pte_to_swp_entry()
 * is gone.
 *
 * Return: whether the page is in swap
 */
static inline bool litemrc_swap_entry(pte_t pte, unsigned long *entry)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
	softleaf_t found = softleaf_from_pte(pte);

	*entry = found.val;
	return softleaf_is_swap(found);
#else
	swp_entry_t found;

	if (pte_none(pte) || pte_present(pte))
		return false;
	found = pte_to_swp_entry(pte);
	*entry = found.val;
	return !non_swap_entry(found);
#endif
}

/**
 * LITEMRC_ON_MIGRATE - define a callback of the tracepoint mm_migrate_pages
 * @name: of the function, whose parameters are data, succeeded and others
 *
 * Since 6.11 the parts of large folios that were split are counted, too.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define LITEMRC_ON_MIGRATE(name)                                            \
	static void name(void *data, unsigned long succeeded,               \
			 unsigned long failed, unsigned long thp_succeeded, \
			 unsigned long thp_failed, unsigned long thp_split, \
			 unsigned long large_folio_split,                   \
			 enum migrate_mode mode, int reason)
#else
#define LITEMRC_ON_MIGRATE(name)                                            \
	static void name(void *data, unsigned long succeeded,               \
			 unsigned long failed, unsigned long thp_succeeded, \
			 unsigned long thp_failed, unsigned long thp_split, \
			 enum migrate_mode mode, int reason)
#endif

/**
 * litemrc_lock_area() - exclude page faults in an area
 * @area: the area
 *
 * Since 6.4 a fault may hold the lock of its area alone.
 *
 * Context: Caller holds the mmap lock for writing.
 */
static inline void litemrc_lock_area(struct vm_area_struct *area)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	vma_start_write(area);
#endif
}

#ifdef CONFIG_CGROUPS
/**
 * litemrc_populated_csets() - count the sets of tasks in a cgroup itself
 * @cgroup: the cgroup
 *
 * In 7.2 the number has moved to the cgroup's own state.
 *
 * Return: their number
 */
static inline int litemrc_populated_csets(const struct cgroup *cgroup)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
	return cgroup->self.nr_populated_csets;
#else
	return cgroup->nr_populated_csets;
#endif
}
#endif

#endif
