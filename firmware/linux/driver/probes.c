// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's tracepoints for context switches, freed page frames, processes that move between
 * cgroups, and ended processes. They are called with preemption disabled, in 7.2 in an SRCU section
 * instead; sched_switch also with interrupts off and a run queue locked, so its hook must neither
 * wake nor print. Every page passes mm_page_free, in free_pages_prepare(), on its way to the free
 * lists; mm_page_free_batched reports some of them a second time.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include <trace/events/cgroup.h>
#include <trace/events/kmem.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "litemrc.h"

static noinline void switch_by_cgroup(struct litemrc *mon, struct task_struct *next)
	__releases(&mon->lock)
{
	litemrc_set_context(mon, litemrc_cgroup_context(&mon->map, next));
	raw_spin_unlock(&mon->lock);
}

static noinline void switch_by_ops(struct litemrc *mon, unsigned int context)
	__releases(&mon->lock)
{
	litemrc_write(mon, LITEMRC_CONTEXT, context);
	raw_spin_unlock(&mon->lock);
}

/*
 * Its cost are cache misses. So on one processor it is three lines of code without a stack frame,
 * and reads one line of the task and one of the map; the rare cases are calls at its end.
 */
static void __aligned(L1_CACHE_BYTES) on_switch(void *data, bool preempt, struct task_struct *prev,
						struct task_struct *next, unsigned int prev_state)
{
	struct litemrc *mon = data;
	unsigned int context;

	raw_spin_lock(&mon->lock);
	context = litemrc_process_context(&mon->map, next);
	if (unlikely(!context && mon->map.cgroups))
		return switch_by_cgroup(mon, next);
	if (mon->map.context != context) {
		mon->map.context = context;
		if (unlikely(!mon->map.context_register))
			return switch_by_ops(mon, context);
		writel_relaxed(context, mon->map.context_register);
	}
	raw_spin_unlock(&mon->lock);
}

static void on_page_free(void *data, struct page *page, unsigned int order)
{
	struct litemrc *mon = data;
	unsigned long frame = page_to_pfn(page) - mon->first_pfn;
	unsigned long end = frame + (1UL << order);

	/* Before it can be used again, so that a claim under way takes it back. */
	if (READ_ONCE(mon->map.claiming))
		litemrc_note_free(mon, page, order);
	/* A frame below the watched memory wraps to a large number. */
	for (; frame != end; frame++)
		if (frame < mon->parameters.frames)
			litemrc_invalidate(mon, frame);
}

/* The process has moved. A thread that moves alone takes no page along. */
static void on_attach(void *data, struct cgroup *cgroup, const char *path, struct task_struct *task,
		      bool threadgroup)
{
	if (threadgroup || thread_group_leader(task))
		litemrc_note_moved(data, cgroup, task);
}

LITEMRC_ON_EXIT(on_exit)
{
	struct litemrc *mon = data;
	unsigned int context;
	unsigned long flags;

	if (atomic_read(&task->signal->live))
		return;
	raw_spin_lock_irqsave(&mon->lock, flags);
	for (context = 1; context < mon->parameters.contexts; context++)
		if (mon->map.tgid[context] == task->tgid)
			litemrc_end_locked(mon, context, task);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

struct litemrc_probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
};

/*
 * All except sched_process_exit are registered only while the monitor is enabled: they cost time at
 * each switch and each freed page.
 */
static struct litemrc_probe probes[] = {
	{ "sched_switch", on_switch },
	{ "mm_page_free", on_page_free },
#ifdef CONFIG_CGROUPS
	{ "cgroup_attach_task", on_attach },
#endif
	{ "sched_process_exit", on_exit },
};

#define LITEMRC_EXIT (ARRAY_SIZE(probes) - 1)

/* The tracepoints are not exported to modules by name. */
static void find(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	check_trace_callback_type_sched_switch(on_switch);
	check_trace_callback_type_mm_page_free(on_page_free);
	check_trace_callback_type_cgroup_attach_task(on_attach);
	check_trace_callback_type_sched_process_exit(on_exit);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

static int add(struct litemrc *mon, const struct litemrc_probe *probe)
{
	int ret = tracepoint_probe_register(probe->tracepoint, probe->function, mon);

	if (ret)
		dev_err(mon->dev, "tracepoint %s: %d\n", probe->name, ret);
	return ret;
}

static void remove(struct litemrc *mon, const struct litemrc_probe *probe)
{
	tracepoint_probe_unregister(probe->tracepoint, probe->function, mon);
}

int litemrc_probes_register(struct litemrc *mon)
{
	unsigned int i;
	int ret;

	if (mon->probing)
		return 0;
	for (i = 0; i < LITEMRC_EXIT; i++) {
		ret = add(mon, &probes[i]);
		if (ret) {
			while (i--)
				remove(mon, &probes[i]);
			tracepoint_synchronize_unregister();
			return ret;
		}
	}
	mon->probing = true;
	return 0;
}

void litemrc_probes_unregister(struct litemrc *mon)
{
	unsigned int i;

	if (!mon->probing)
		return;
	mon->probing = false;
	for (i = 0; i < LITEMRC_EXIT; i++)
		remove(mon, &probes[i]);
	tracepoint_synchronize_unregister();
}

int litemrc_exits_register(struct litemrc *mon)
{
	unsigned int i;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].tracepoint)
			return dev_err_probe(mon->dev, -ENODEV,
					     "no tracepoint %s: set CONFIG_TRACEPOINTS or CONFIG_FTRACE\n",
					     probes[i].name);
	return add(mon, &probes[LITEMRC_EXIT]);
}

void litemrc_exits_unregister(struct litemrc *mon)
{
	remove(mon, &probes[LITEMRC_EXIT]);
	tracepoint_synchronize_unregister();
}
