// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's tracepoints that report what happens to pages: allocated, freed, moved to other
 * frames, or taken along into another cgroup. They are registered while the monitor is enabled, as
 * they cost time at each page. They are called with preemption disabled, in 7.2 in an SRCU section
 * instead, so the hooks neither sleep nor print. Every page passes mm_page_free, in
 * free_pages_prepare(), on its way to the free lists; mm_page_free_batched reports some of them a
 * second time.
 */
#include <linux/migrate_mode.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include <trace/events/cgroup.h>
#include <trace/events/kmem.h>
#include <trace/events/migrate.h>

#include "compat.h"
#include "litemrc.h"
#include "tracepoints.h"

/* What cannot be moved is the kernel's: page tables, stacks, slabs. Without a free page, NULL. */
static void litemrc_on_page_alloc(void *data, struct page *page, unsigned int order, gfp_t flags,
			  int migratetype)
{
	if (page && flags & __GFP_MOVABLE)
		litemrc_page_allocated(data, page, order);
}

static void litemrc_on_page_free(void *data, struct page *page, unsigned int order)
{
	struct litemrc *mon = data;
	unsigned long frame = page_to_pfn(page) - mon->first_pfn;
	unsigned long end = frame + (1UL << order);

	/* A frame below the watched memory wraps to a large number. */
	for (; frame != end; frame++)
		if (frame < mon->parameters.frames)
			litemrc_invalidate(mon, frame);
}

/* The process has moved. A thread that moves alone takes no page along. */
static void litemrc_on_attach(void *data, struct cgroup *cgroup, const char *path, struct task_struct *task,
		      bool threadgroup)
{
	if (threadgroup || thread_group_leader(task))
		litemrc_note_moved(data, cgroup, task);
}

LITEMRC_ON_MIGRATE(litemrc_on_migrate)
{
	if (succeeded)
		litemrc_note_migrated(data);
}

/* A monitor that knows who accesses a page needs to know only of pages that are free. */
static struct litemrc_hook hooks[] = {
	{ "mm_page_free", litemrc_on_page_free },
	{ "mm_page_alloc", litemrc_on_page_alloc },
	{ "mm_migrate_pages", litemrc_on_migrate, .optional = true },
#ifdef CONFIG_CGROUPS
	{ "cgroup_attach_task", litemrc_on_attach },
#endif
};

static unsigned int litemrc_count_hooks(const struct litemrc *mon)
{
	return mon->owner ? ARRAY_SIZE(hooks) : 1;
}

int litemrc_probes_find(struct litemrc *mon)
{
	check_trace_callback_type_mm_page_free(litemrc_on_page_free);
	check_trace_callback_type_mm_page_alloc(litemrc_on_page_alloc);
	check_trace_callback_type_mm_migrate_pages(litemrc_on_migrate);
	check_trace_callback_type_cgroup_attach_task(litemrc_on_attach);
	return litemrc_hooks_find(mon->dev, hooks, ARRAY_SIZE(hooks));
}

int litemrc_probes_register(struct litemrc *mon)
{
	int ret;

	if (mon->probing)
		return 0;
	ret = litemrc_hooks_add(mon->dev, hooks, litemrc_count_hooks(mon), mon);
	WRITE_ONCE(mon->probing, !ret);
	return ret;
}

void litemrc_probes_unregister(struct litemrc *mon)
{
	if (!mon->probing)
		return;
	WRITE_ONCE(mon->probing, false);
	litemrc_hooks_remove(hooks, litemrc_count_hooks(mon), mon);
}
