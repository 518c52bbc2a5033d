// SPDX-License-Identifier: GPL-2.0
/*
 * The tails: which contexts have one, and its counts in each record. A context
 * has a tail if its pages are all those of one memory cgroup: it follows the
 * cgroup, or the only process in it.
 */
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "tail.h"

static bool litemrc_tail_is_alone(struct task_struct *task)
{
	const struct css_set *set = rcu_dereference(task->cgroups);
	const struct cgroup *cgroup = set->dfl_cgrp;

	return litemrc_populated_csets(cgroup) == 1 &&
	       !cgroup->nr_populated_domain_children &&
	       !cgroup->nr_populated_threaded_children &&
	       READ_ONCE(set->nr_tasks) <= get_nr_threads(task);
}

/*
 * Returns the memory cgroup that is all of a context's memory, or NULL. Caller
 * is in RCU.
 */
static struct mem_cgroup *litemrc_tail_find_memcg(const struct litemrc *mon,
						  unsigned int context)
{
	const struct litemrc_follower *follower = &mon->follower[context];
	struct cgroup_subsys_state *css = NULL;
	struct task_struct *task;

	if (!mon->probing || follower->state != LITEMRC_CONTEXT_FOLLOWING)
		return NULL;
	task = pid_task(follower->pid, PIDTYPE_TGID);
	if (follower->cgroup)
		css = rcu_dereference(follower->cgroup->subsys[memory_cgrp_id]);
	else if (task && litemrc_tail_is_alone(task))
		css = task_css(task, memory_cgrp_id);
	/* The root's memory has no count. */
	if (!css || !css->parent)
		return NULL;
	/*
	 * Without a controller of its own, the process is charged to a cgroup
	 * above.
	 */
	if (task && css->cgroup != task_dfl_cgroup(task))
		return NULL;
	return mem_cgroup_from_css(css);
}

/* Is the tail what it should be? */
static bool litemrc_tail_is_current(struct litemrc *mon, unsigned int context)
{
	const struct litemrc_tail *tail = &mon->tails->of[context];
	unsigned long flags;
	bool same;

	if (!tail->memcg && READ_ONCE(mon->follower[context].state) ==
				    LITEMRC_CONTEXT_FREE)
		return true;
	raw_spin_lock_irqsave(&mon->lock, flags);
	rcu_read_lock();
	same = litemrc_tail_find_memcg(mon, context) ==
	       (tail->active ? tail->memcg : NULL);
	rcu_read_unlock();
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	return same && !tail->recorded;
}

static void litemrc_tail_set_active(struct litemrc_tails *tails,
				    struct litemrc_tail *tail, bool active)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tails->lock, flags);
	tail->active = active;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}

/*
 * Forgets the evicted pages, a few at a time, as interrupts are off meanwhile.
 */
static void litemrc_tail_forget_all(struct litemrc_tails *tails,
				    struct litemrc_tail *tail)
{
	struct rb_node *node;
	unsigned long flags;

	do {
		raw_spin_lock_irqsave(&tails->lock, flags);
		node = rb_first(&tail->evicted);
		if (node)
			litemrc_evicted_remove(tails,
					       rb_entry(node,
							struct litemrc_evicted,
							node));
		raw_spin_unlock_irqrestore(&tails->lock, flags);
		cond_resched();
	} while (node);
}

static void litemrc_tail_stop(struct litemrc_tails *tails, unsigned int context)
{
	struct litemrc_tail *tail = &tails->of[context];
	u32 *counts = tail->counts;

	if (!tail->memcg)
		return;
	litemrc_tail_set_active(tails, tail, false);
	litemrc_tail_forget_all(tails, tail);
	css_put(&tail->memcg->css);
	*tail = (struct litemrc_tail){ .counts = counts };
	memset(counts, 0, tails->groups * sizeof(*counts));
}

/*
 * The first tail allocates for all of them: places for a quarter of the
 * memory's pages.
 */
static int litemrc_tail_prepare(struct litemrc_tails *tails)
{
	int ret;

	if (!tails->places) {
		ret = litemrc_order_init(tails,
					 max_t(u32,
					       tails->mon->parameters.frames /
						       4,
					       LITEMRC_EVICTED_MIN));
		if (ret)
			return ret;
	}
	return tails->probing ? 0 : litemrc_tail_probes_register(tails);
}

static void litemrc_tail_start(struct litemrc_tails *tails,
			       unsigned int context)
{
	struct litemrc_tail *tail = &tails->of[context];
	struct litemrc *mon = tails->mon;
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = litemrc_tail_find_memcg(mon, context);
	if (memcg && !css_tryget(&memcg->css))
		memcg = NULL;
	rcu_read_unlock();
	if (!memcg)
		return;
	if (litemrc_tail_prepare(tails)) {
		css_put(&memcg->css);
		return;
	}
	tail->memcg = memcg;
	tail->exclusive = mon->follower[context].pid;
	litemrc_tail_set_active(tails, tail, true);
}

/*
 * Tails start and stop when a record has been stored, so that it belongs to one
 * follower.
 */
static void litemrc_tail_update(struct litemrc *mon, bool reset)
{
	struct litemrc_tails *tails = mon->tails;
	unsigned int context;
	bool any = false;

	lockdep_assert_held(&mon->settings);
	for (context = 1; context < mon->parameters.contexts; context++) {
		if (reset || !litemrc_tail_is_current(mon, context)) {
			litemrc_tail_stop(tails, context);
			litemrc_tail_start(tails, context);
		} else if (tails->of[context].gone_since) {
			litemrc_tail_sweep(tails, context);
		}
		any |= tails->of[context].active;
	}
	if (tails->probing && !any)
		litemrc_tail_probes_unregister(tails);
}

static void litemrc_tails_changed(struct litemrc *mon)
{
	litemrc_tail_update(mon, false);
}

static u32 litemrc_tail_group_pages(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 scale = LITEMRC_FIELD(litemrc_read(mon, LITEMRC_SCALE),
				  SCALE_SCALE_LOG2);

	return max(parameters->pages / parameters->groups, 1U) << scale;
}

/*
 * The stacks were cleared, and the sampling may have changed, or the monitor
 * was disabled.
 */
static void litemrc_tails_cleared(struct litemrc *mon)
{
	struct litemrc_tails *tails = mon->tails;
	unsigned int context;

	for (context = 1; context < mon->parameters.contexts; context++)
		litemrc_tail_stop(tails, context);
	tails->group_pages = litemrc_tail_group_pages(mon);
	litemrc_tail_update(mon, true);
}

static void litemrc_tail_work(struct work_struct *work)
{
	struct litemrc *mon =
		container_of(work, struct litemrc_tails, work)->mon;

	mutex_lock(&mon->settings);
	if (mon->client[LITEMRC_TAIL])
		litemrc_tail_update(mon, false);
	mutex_unlock(&mon->settings);
}

/*
 * The process or cgroup is gone; what is counted belongs to the epoch that ends
 * now.
 */
static void litemrc_tails_ended(struct litemrc *mon, unsigned int context)
{
	struct litemrc_tails *tails = mon->tails;

	raw_spin_lock(&tails->lock);
	tails->of[context].active = false;
	raw_spin_unlock(&tails->lock);
}

static void litemrc_tail_fill(struct litemrc_tails *tails, unsigned int context,
			      struct litemrc_epoch *record)
{
	u32 *counts = litemrc_record_counts(record, context) +
		      LITEMRC_ROW_TAIL(record->groups);
	struct litemrc_row *row = litemrc_record_row(record, context);
	struct litemrc_tail *tail = &tails->of[context];
	unsigned long flags;

	raw_spin_lock_irqsave(&tails->lock, flags);
	/*
	 * Counts are 0 without refaults, also those of the old record in this
	 * place.
	 */
	if (tail->refaults) {
		memcpy(counts, tail->counts, tails->groups * sizeof(*counts));
		memset(tail->counts, 0, tails->groups * sizeof(*counts));
	} else if (row->refaults) {
		memset(counts, 0, tails->groups * sizeof(*counts));
	}
	row->resident = tail->active ? page_counter_read(&tail->memcg->memory) :
				       0;
	row->evicted = tail->active ? litemrc_evicted_count(tail) : 0;
	row->refaults = tail->refaults;
	row->unidentified = tail->unidentified;
	tail->refaults = 0;
	tail->unidentified = 0;
	tail->recorded = tail->memcg && !tail->active;
	raw_spin_unlock_irqrestore(&tails->lock, flags);
}

/*
 * Fills in the tails of a record. The interrupt's thread must not wait for a
 * lock of settings.
 */
static void litemrc_tails_fill(struct litemrc *mon,
			       struct litemrc_epoch *record)
{
	unsigned int context;
	bool late = false;

	for (context = 0; context < mon->parameters.contexts; context++) {
		litemrc_tail_fill(mon->tails, context, record);
		late |= context && !litemrc_tail_is_current(mon, context);
	}
	if (late)
		schedule_work(&mon->tails->work);
}

static void litemrc_tails_remove(struct litemrc *mon)
{
	struct litemrc_tails *tails = mon->tails;
	unsigned int context;

	cancel_work_sync(&tails->work);
	for (context = 1; context < mon->parameters.contexts; context++)
		litemrc_tail_stop(tails, context);
	if (tails->probing)
		litemrc_tail_probes_unregister(tails);
	cancel_work_sync(&tails->work); /* a probe may have scheduled it */
	mon->tails = NULL;
	vfree(tails->counts);
	vfree(tails->places);
	vfree(tails->hash);
	kfree(tails);
}

static int litemrc_tails_add(struct litemrc *mon)
{
	struct litemrc_tails *tails = kzalloc(sizeof(*tails), GFP_KERNEL);
	u32 groups = litemrc_tail_groups(mon);
	unsigned int context;
	size_t bytes;

	if (!tails)
		return -ENOMEM;
	tails->mon = mon;
	tails->groups = groups;
	tails->group_pages = litemrc_tail_group_pages(mon);
	raw_spin_lock_init(&tails->lock);
	INIT_WORK(&tails->work, litemrc_tail_work);
	bytes = array3_size(mon->parameters.contexts, groups, sizeof(u32));
	tails->counts = vzalloc(bytes);
	if (!tails->counts) {
		kfree(tails);
		return -ENOMEM;
	}
	for (context = 0; context < mon->parameters.contexts; context++)
		tails->of[context].counts = tails->counts + context * groups;
	mon->tails = tails;
	return 0;
}

static const struct litemrc_client litemrc_tail_client = {
	.add = litemrc_tails_add,
	.remove = litemrc_tails_remove,
	.fill = litemrc_tails_fill,
	.ended = litemrc_tails_ended,
	.changed = litemrc_tails_changed,
	.cleared = litemrc_tails_cleared,
};

static int __init litemrc_tail_init(void)
{
	return litemrc_client_register(LITEMRC_TAIL, &litemrc_tail_client);
}
module_init(litemrc_tail_init);

static void __exit litemrc_tail_exit(void)
{
	litemrc_client_unregister(LITEMRC_TAIL);
}
module_exit(litemrc_tail_exit);

MODULE_DESCRIPTION("LiteMRC refault distances of evicted pages");
MODULE_VERSION("1.0.0");
MODULE_LICENSE("GPL");
