// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's tracepoints that report what happens to pages: allocated, freed,
 * moved to other frames, or taken along into another cgroup. They are
 * registered while the monitor is enabled, as they cost time at each page. They
 * are called with preemption disabled, in 7.2 in an SRCU section instead, so
 * the hooks neither sleep nor print. Every page passes mm_page_free, in
 * free_pages_prepare(), on its way to the free lists; mm_page_free_batched
 * reports some of them a second time.
 */
#include <linux/migrate_mode.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/cgroup.h>
#include <trace/events/kmem.h>
#include <trace/events/migrate.h>

#include "compat.h"
#include "litemrc.h"

/*
 * Each page frame belongs to the context of the process that allocated it, or
 * to the context that it was handed over to. A claim tells the monitor so. All
 * accesses to the frame then count in that context, on any processor and of any
 * process. Frames without an owner count in context 0.
 *
 * @lock guards the owners, so the monitor's are always these.
 */

/**
 * litemrc_owners_init() - allocate the owners of the frames
 * @mon: the monitor, its parameters read
 *
 * Not for a monitor that sees by itself who accesses a page.
 *
 * Return: 0 or -ENOMEM
 */
int litemrc_owners_init(struct litemrc *mon)
{
	if (!mon->parameters.claims)
		return 0;
	mon->owner = vzalloc(mon->parameters.frames);
	return mon->owner ? 0 : -ENOMEM;
}

/**
 * litemrc_owners_free() - free the owners of the frames
 * @mon: the monitor
 */
void litemrc_owners_free(struct litemrc *mon)
{
	vfree(mon->owner);
}

/**
 * litemrc_owners_reset_locked() - no frame has an owner: the monitor was just
 * cleared
 * @mon: the monitor
 *
 * Context: Caller holds @mon->lock.
 */
void litemrc_owners_reset_locked(struct litemrc *mon)
{
	if (mon->owner)
		memset(mon->owner, 0, mon->parameters.frames);
}

static void litemrc_set_owner_locked(struct litemrc *mon, u32 frame,
				     unsigned int context)
{
	mon->owner[frame] = context;
	if (context)
		litemrc_claim_locked(mon, frame, 0, context);
	else
		litemrc_invalidate_locked(mon, frame);
}

/*
 * A block may begin below the watched memory, or end beyond it; a frame below
 * is a large number.
 */
static void litemrc_claim_block_locked(struct litemrc *mon, unsigned long frame,
				       unsigned int order, unsigned int context)
{
	unsigned int step = min_t(unsigned int, order, LITEMRC_CLAIM_ORDER_MAX);
	unsigned long end = frame + BIT(order), frames = mon->parameters.frames;

	if (!order && frame < frames) {
		mon->owner[frame] = context;
		litemrc_claim_locked(mon, frame, 0, context);
		return;
	}
	if (frame >= frames || frames - frame < BIT(order))
		step = 0;
	for (; frame != end; frame += BIT(step)) {
		if (frame >= frames)
			continue;
		memset(mon->owner + frame, context, BIT(step));
		litemrc_claim_locked(mon, frame, step, context);
	}
}

/**
 * litemrc_invalidate() - a frame is free from now on, or has no owner any more
 * @mon: the monitor
 * @frame: its number
 *
 * The frame may be reused on return.
 */
void litemrc_invalidate(struct litemrc *mon, u32 frame)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	if (mon->owner)
		mon->owner[frame] = 0;
	litemrc_invalidate_locked(mon, frame);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/*
 * The page in a frame, which is in use and not freed meanwhile, belongs to a
 * context from now on. If it does already, it keeps its place in the stack.
 */
static void litemrc_hand_over_frame(struct litemrc *mon, u32 frame,
				    unsigned int context)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	if (mon->owner[frame] != context)
		litemrc_set_owner_locked(mon, frame, context);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/**
 * litemrc_owners_restore() - report the owner of each frame again, after a
 * clear
 * @mon: the monitor
 */
void litemrc_owners_restore(struct litemrc *mon)
{
	unsigned long flags;
	u32 frame;

	for (frame = 0; mon->owner && frame < mon->parameters.frames; frame++) {
		if (!READ_ONCE(mon->owner[frame]))
			continue;
		raw_spin_lock_irqsave(&mon->lock, flags);
		if (mon->owner[frame])
			litemrc_claim_locked(mon, frame, 0, mon->owner[frame]);
		raw_spin_unlock_irqrestore(&mon->lock, flags);
		cond_resched();
	}
}

/**
 * litemrc_owners_release() - give the frames of a context to the kernel
 * @mon: the monitor
 * @context: it follows nothing any more
 */
void litemrc_owners_release(struct litemrc *mon, unsigned int context)
{
	unsigned long flags;
	u32 frame;

	for (frame = 0; mon->owner && frame < mon->parameters.frames; frame++) {
		if (READ_ONCE(mon->owner[frame]) != context)
			continue;
		raw_spin_lock_irqsave(&mon->lock, flags);
		if (mon->owner[frame] == context)
			litemrc_set_owner_locked(mon, frame, 0);
		raw_spin_unlock_irqrestore(&mon->lock, flags);
		cond_resched();
	}
}

/*
 * Pages that were allocated before their process was followed: those that only
 * it maps become its context's. So do those of a process that moves into a
 * followed cgroup, and pages that the kernel has moved to other frames. A work
 * item walks the memories, as tracepoints must not sleep.
 */

struct hand_over {
	struct litemrc *mon;
	unsigned int context;
};

/*
 * Does one process alone map the frame? Of a page with several frames
 * (compound) the count is elsewhere: a huge page belongs to the context of its
 * allocation.
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
	if (frame < to->mon->parameters.frames &&
	    litemrc_is_private(pfn_to_page(pte_pfn(pte))))
		litemrc_hand_over_frame(to->mon, frame, to->context);
}

static void litemrc_hand_over_pages(void *data, pte_t *entry,
				    unsigned int count)
{
	for (; count; count--)
		litemrc_hand_over_page(data, *entry++);
}

/**
 * litemrc_hand_over() - give a context the pages that its processes had before
 * @mon: the monitor
 * @context: the context
 *
 * Does nothing while the monitor is disabled: enabling clears it and hands
 * over.
 *
 * Context: Caller holds @mon->settings.
 */
void litemrc_hand_over(struct litemrc *mon, unsigned int context)
{
	struct hand_over to = { mon, context };
	int ret;

	lockdep_assert_held(&mon->settings);
	if (!mon->owner || !mon->probing ||
	    mon->follower[context].state != LITEMRC_CONTEXT_FOLLOWING)
		return;
	ret = litemrc_walk_context(mon, context, LITEMRC_WALK_ALONE,
				   litemrc_hand_over_pages, &to);
	if (ret)
		dev_warn(mon->dev, "context %u was not handed its pages: %d\n",
			 context, ret);
}

/**
 * litemrc_hand_over_all() - litemrc_hand_over() for all contexts
 * @mon: the monitor
 *
 * Context: Caller holds @mon->settings.
 */
void litemrc_hand_over_all(struct litemrc *mon)
{
	unsigned int context;

	for (context = 1; context < mon->parameters.contexts; context++)
		litemrc_hand_over(mon, context);
}

/*
 * The pages of a process that moved between cgroups. One with a context of its
 * own, or in no followed cgroup by now, keeps its pages where they are.
 */
static void litemrc_hand_over_process(struct litemrc *mon, struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct hand_over to = { mon };

	if (!task)
		return;
	to.context = litemrc_context_of(&mon->map, task);
	if (mon->owner && mon->probing && mon->map.cgroup[to.context])
		litemrc_walk_task(task, LITEMRC_WALK_ALONE,
				  litemrc_hand_over_pages, &to);
	put_task_struct(task);
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

/**
 * litemrc_moved_init() - prepare the hand-over of pages that have moved
 * @mon: the monitor
 */
void litemrc_moved_init(struct litemrc *mon)
{
	INIT_WORK(&mon->moved.work, litemrc_hand_over_moved);
}

/**
 * litemrc_moved_stop() - wait for the end of the hand-over of pages that have
 * moved
 * @mon: the monitor; the probes are unregistered, so no further move is noted
 *
 * Context: Caller does not hold @mon->settings.
 */
void litemrc_moved_stop(struct litemrc *mon)
{
	flush_work(&mon->moved.work);
}

/*
 * Returns the context of the running task; caller holds @lock. It is looked up
 * again when a context follows another process, or a task has moved to another
 * cgroup. A task that is ending may be replaced at its address by another one.
 */
static unsigned int litemrc_allocating_context(struct litemrc *mon)
{
	if (mon->allocating == current)
		return mon->allocating_context;
	mon->allocating_context = litemrc_context_of(&mon->map, current);
	mon->allocating = current->flags & PF_EXITING ? NULL : current;
	return mon->allocating_context;
}

/*
 * A page was allocated, and has not been accessed yet: the allocating process
 * owns it. A kernel thread owns nothing, nor does a task while it moves pages
 * that belong to others. What cannot be moved is the kernel's: page tables,
 * stacks, slabs. Without a free page, NULL.
 */
static void litemrc_on_page_alloc(void *data, struct page *page,
				  unsigned int order, gfp_t flags,
				  int migratetype)
{
	struct litemrc *mon = data;
	unsigned int context;
	unsigned long irq_flags;

	if (!page || !(flags & __GFP_MOVABLE) || !in_task() ||
	    current->flags & PF_KTHREAD ||
	    current == READ_ONCE(mon->migrating))
		return;
	raw_spin_lock_irqsave(&mon->lock, irq_flags);
	context = litemrc_allocating_context(mon);
	if (context)
		litemrc_claim_block_locked(mon,
					   page_to_pfn(page) - mon->first_pfn,
					   order, context);
	raw_spin_unlock_irqrestore(&mon->lock, irq_flags);
	mb(); /* the page's first access comes behind the claim */
}

static void litemrc_on_page_free(void *data, struct page *page,
				 unsigned int order)
{
	struct litemrc *mon = data;
	unsigned long frame = page_to_pfn(page) - mon->first_pfn;
	unsigned long end = frame + (1UL << order);

	/* A frame below the watched memory wraps to a large number. */
	for (; frame != end; frame++)
		if (frame < mon->parameters.frames)
			litemrc_invalidate(mon, frame);
}

/*
 * The process has moved to a cgroup, possibly with interrupts off. A thread
 * that moves alone takes no page along.
 */
static void litemrc_on_attach(void *data, struct cgroup *cgroup,
			      const char *path, struct task_struct *task,
			      bool threadgroup)
{
	struct litemrc *mon = data;
	struct litemrc_moved *moved = &mon->moved;
	unsigned long flags;
	bool followed;

	raw_spin_lock_irqsave(&mon->lock, flags);
	mon->allocating = NULL;
	followed = (threadgroup || thread_group_leader(task)) &&
		   litemrc_cgroup_followed(&mon->map, cgroup);
	if (followed && moved->count < LITEMRC_MOVED_MAX)
		moved->pid[moved->count++] = get_pid(task_tgid(task));
	else if (followed)
		WRITE_ONCE(moved->all, 1);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	if (followed)
		schedule_work(&moved->work);
}

/* Pages have moved to other frames, of any process. */
LITEMRC_ON_MIGRATE(litemrc_on_migrate)
{
	struct litemrc *mon = data;

	if (!succeeded || !READ_ONCE(mon->map.last))
		return;
	WRITE_ONCE(mon->moved.all, 1);
	schedule_work(&mon->moved.work);
}

/*
 * A monitor that knows who accesses a page needs to know only of pages that are
 * free.
 */
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

/**
 * litemrc_probes_find() - find the tracepoints of pages
 * @mon: the monitor
 *
 * Return: 0, or -ENODEV if the kernel lacks one
 */
int litemrc_probes_find(struct litemrc *mon)
{
	check_trace_callback_type_mm_page_free(litemrc_on_page_free);
	check_trace_callback_type_mm_page_alloc(litemrc_on_page_alloc);
	check_trace_callback_type_mm_migrate_pages(litemrc_on_migrate);
	check_trace_callback_type_cgroup_attach_task(litemrc_on_attach);
	return litemrc_hooks_find(mon->dev, hooks, ARRAY_SIZE(hooks));
}

/**
 * litemrc_probes_register() - register the hooks of pages, unless they are
 * @mon: the monitor
 *
 * Context: Caller holds @mon->settings.
 * Return: 0 or a negative error
 */
int litemrc_probes_register(struct litemrc *mon)
{
	int ret;

	if (mon->probing)
		return 0;
	mon->allocating = NULL;
	ret = litemrc_hooks_add(mon->dev, hooks, litemrc_count_hooks(mon), mon);
	WRITE_ONCE(mon->probing, !ret);
	return ret;
}

/**
 * litemrc_probes_unregister() - unregister the hooks of pages, if they are
 * registered
 * @mon: the monitor
 *
 * Context: Caller holds @mon->settings.
 */
void litemrc_probes_unregister(struct litemrc *mon)
{
	if (!mon->probing)
		return;
	WRITE_ONCE(mon->probing, false);
	litemrc_hooks_remove(hooks, litemrc_count_hooks(mon), mon);
}
