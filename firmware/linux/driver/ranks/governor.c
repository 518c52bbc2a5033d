// SPDX-License-Identifier: GPL-2.0
/*
 * Under the policy mrc, ranks that the working set does not need are emptied,
 * and opened before memory runs short: Zhou et al. 2004, section 5.
 *
 * At most one rank is closed per epoch, from the last one down. A rank is
 * opened if the open ones are nearly full; otherwise the next pages would go to
 * the kernel's rank. A timer looks whether there is something to do: a work
 * would wake a thread each time.
 */
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>

#include "ranks.h"

#define TICK_MS 20
#define MARGIN_PART 8 /* of a rank, at first */
/* epochs without a closing after an opening or a failed evacuation */
#define PAUSE_LEAST 4u
#define PAUSE_MOST 64u
#define SOON 4 /* pauses */
/* of an evacuation: a busy program keeps 90 % of the processor */
#define NICE 10

/* The ranks that can be emptied. */
struct open_ranks {
	unsigned int count;
	unsigned int first_closed; /* 0: none is closed */
	/* the last open one; not the one that did not become empty just now */
	unsigned int last;
	u32 free_of_last;
	u32 free; /* pages, of all open ones */
};

static struct litemrc_evacuation *
litemrc_governor_evacuation_of(struct litemrc_governor *governor)
{
	return container_of(governor, struct litemrc_evacuation, governor);
}

static enum litemrc_rank_memory
litemrc_governor_memory(struct litemrc_evacuation *all, unsigned int rank)
{
	return READ_ONCE(all->rank[rank].memory);
}

static void litemrc_governor_scan_ranks(struct litemrc_evacuation *all,
					struct open_ranks *open)
{
	unsigned int rank;
	u32 free;

	memset(open, 0, sizeof(*open));
	for (rank = 0; rank < all->mon->parameters.ranks; rank++) {
		enum litemrc_rank_memory memory =
			litemrc_governor_memory(all, rank);

		if (memory == LITEMRC_RANK_CLOSED && !open->first_closed)
			open->first_closed = rank;
		if (memory != LITEMRC_RANK_OPEN)
			continue;
		free = litemrc_rank_zone_free(all->mon, rank);
		open->count++;
		open->free += free;
		if (rank == all->governor.failed)
			continue;
		open->last = rank;
		open->free_of_last = free;
	}
}

/*
 * Ranks that the working set and the margin fill: at least one, as the margin
 * is not 0.
 */
static u32 litemrc_governor_needed_ranks(const struct litemrc_evacuation *all)
{
	return DIV_ROUND_UP(all->governor.working_set + all->governor.margin,
			    litemrc_pages_of_rank(all->mon));
}

/*
 * No rank is closed for some epochs, for twice as many if the last pause was
 * not long ago.
 */
static void litemrc_governor_pause_closing(struct litemrc_governor *governor)
{
	bool again = governor->epoch - governor->paused_at <
		     SOON * governor->pause;

	if (!governor->hold)
		governor->pause = again ? min(2 * governor->pause, PAUSE_MOST) :
					  PAUSE_LEAST;
	governor->hold = governor->pause;
	governor->paused_at = governor->epoch;
}

static void litemrc_governor_note_opening(struct litemrc_governor *governor,
					  unsigned int rank)
{
	governor->closed_by_governor &= ~BIT(rank);
	governor->openings++;
	litemrc_governor_pause_closing(governor);
}

/* Reclaim and other users of the file `evacuate` open ranks, too. */
static void
litemrc_governor_note_others_openings(struct litemrc_evacuation *all)
{
	unsigned int rank;

	for (rank = 0; rank < all->mon->parameters.ranks; rank++)
		if (all->governor.closed_by_governor & BIT(rank) &&
		    litemrc_governor_memory(all, rank) == LITEMRC_RANK_OPEN)
			litemrc_governor_note_opening(&all->governor, rank);
}

static void litemrc_governor_open_rank(struct litemrc_evacuation *all,
				       unsigned int rank)
{
	if (!litemrc_open_rank(all->mon, rank))
		litemrc_governor_note_opening(&all->governor, rank);
}

static int litemrc_governor_evacuate_low_prio(struct litemrc_evacuation *all,
					      unsigned int rank)
{
	int ret;

	spin_lock(&all->lock);
	all->nice = current;
	set_user_nice(current, NICE);
	spin_unlock(&all->lock);
	ret = litemrc_evacuate(all->mon, rank);
	spin_lock(&all->lock);
	all->nice = NULL;
	set_user_nice(current, 0);
	spin_unlock(&all->lock);
	return ret;
}

static void litemrc_governor_close_rank(struct litemrc_evacuation *all,
					unsigned int rank)
{
	struct litemrc_governor *governor = &all->governor;
	struct litemrc_evacuated *last = &all->rank[rank];
	int ret = litemrc_governor_evacuate_low_prio(all, rank);

	if (ret == -EAGAIN)
		return;
	if (ret) {
		governor->busy += ret == -EBUSY;
		governor->no_room += ret == -ENOSPC;
		governor->failed = rank;
		litemrc_governor_pause_closing(governor);
		dev_info_ratelimited(all->mon->dev,
				     "rank %u was not emptied (%d; pinned %u, kernel %u, busy %u); next attempt after %u epochs\n",
				     rank, ret, last->unmoved[LITEMRC_PINNED],
				     last->unmoved[LITEMRC_KERNEL],
				     last->unmoved[LITEMRC_BUSY],
				     governor->hold);
		return;
	}
	governor->failed = 0;
	governor->closed_by_governor |= BIT(rank);
	governor->evacuations++;
	governor->moved += last->moved;
	governor->us += last->us;
}

/* Returns whether another epoch has finished, and updates the working set. */
static bool litemrc_governor_take_epoch(struct litemrc_evacuation *all)
{
	struct litemrc *mon = all->mon;
	const struct litemrc_epoch *record;
	const struct litemrc_rank *counted;
	u32 pages = 0, finished = READ_ONCE(mon->ring.stored);
	unsigned int rank;

	if (finished == all->governor.epoch)
		return false;
	all->governor.epoch = finished;
	mutex_lock(&mon->ring.lock);
	record = litemrc_ring_last(mon);
	for (rank = 0; record && rank < mon->ranks->domains; rank++) {
		counted = litemrc_record_rank(record, rank);
		if (litemrc_governor_memory(all, rank) != LITEMRC_RANK_FIXED)
			pages += counted->counters[LITEMRC_METER_TOP_PAGES];
	}
	if (record)
		pages <<= record->scale_log2;
	mutex_unlock(&mon->ring.lock);
	all->governor.working_set = pages;
	return true;
}

static bool litemrc_governor_may_close(const struct litemrc_evacuation *all,
				       const struct open_ranks *open)
{
	u32 used = litemrc_pages_of_rank(all->mon) - open->free_of_last;
	u32 elsewhere = open->free - open->free_of_last;

	return litemrc_governor_needed_ranks(all) < open->count &&
	       elsewhere >= used + 2 * all->governor.margin;
}

static bool litemrc_governor_must_open(const struct litemrc_evacuation *all,
				       const struct open_ranks *open)
{
	return open->first_closed &&
	       (open->free < all->governor.margin ||
		open->count < litemrc_governor_needed_ranks(all));
}

static void litemrc_governor_act(struct litemrc_evacuation *all)
{
	struct litemrc_governor *governor = &all->governor;
	struct open_ranks open;
	bool epoch = litemrc_governor_take_epoch(all);

	litemrc_governor_note_others_openings(all);
	litemrc_governor_scan_ranks(all, &open);
	if (litemrc_governor_must_open(all, &open))
		litemrc_governor_open_rank(all, open.first_closed);
	else if (epoch && governor->hold)
		governor->hold--;
	else if (epoch && litemrc_governor_may_close(all, &open))
		litemrc_governor_close_rank(all, open.last);
}

/* Ranks that the governor has closed. */
static void litemrc_governor_open_mine(struct litemrc_evacuation *all)
{
	unsigned int rank;

	litemrc_governor_note_others_openings(all);
	for (rank = 0; rank < all->mon->parameters.ranks; rank++)
		if (all->governor.closed_by_governor & BIT(rank))
			litemrc_governor_open_rank(all, rank);
	all->governor.hold = 0;
	all->governor.pause = 0;
	all->governor.failed = 0;
}

static void litemrc_governor_set_timer(struct litemrc_governor *governor)
{
	if (!READ_ONCE(governor->stopped))
		mod_timer(&governor->timer,
			  jiffies + msecs_to_jiffies(TICK_MS));
}

static void litemrc_governor_work(struct work_struct *work)
{
	struct litemrc_governor *governor =
		container_of(work, struct litemrc_governor, work);
	struct litemrc_evacuation *all =
		litemrc_governor_evacuation_of(governor);
	struct litemrc_rank_policy policy;

	litemrc_rank_get_policy(all->mon, &policy);
	governor->governs = governor->margin &&
			    policy.kind == LITEMRC_POLICY_MRC;
	if (governor->governs)
		litemrc_governor_act(all);
	else
		litemrc_governor_open_mine(all);
	if (governor->governs || governor->closed_by_governor)
		litemrc_governor_set_timer(governor);
}

static void litemrc_governor_tick(struct timer_list *timer)
{
	struct litemrc_governor *governor = from_timer(governor, timer, timer);
	struct litemrc_evacuation *all =
		litemrc_governor_evacuation_of(governor);
	struct open_ranks open;

	litemrc_governor_scan_ranks(all, &open);
	if (!governor->governs || litemrc_governor_must_open(all, &open) ||
	    READ_ONCE(all->mon->ring.stored) != governor->epoch)
		queue_work(system_unbound_wq, &governor->work);
	else
		litemrc_governor_set_timer(governor);
}

/**
 * litemrc_govern() - have the governor look at the policy now: it may have
 * changed
 * @mon: the monitor
 */
void litemrc_govern(struct litemrc *mon)
{
	if (mon->ranks->evacuation && mon->ranks->ops)
		queue_work(system_unbound_wq,
			   &mon->ranks->evacuation->governor.work);
}

/* Without a node for each rank, it is not known which rank is full. */
static bool litemrc_governor_can_govern(const struct litemrc *mon)
{
	return mon->parameters.ranks > 1 &&
	       litemrc_node_of_rank(mon, 0) != litemrc_node_of_rank(mon, 1);
}

/**
 * litemrc_set_margin() - set the pages that stay free in the open ranks
 * @mon: the monitor
 * @margin: at most half a rank; 0: no rank is emptied
 *
 * Return: 0; -EINVAL, or -ENODEV if the ranks are no nodes
 */
static int litemrc_set_margin(struct litemrc *mon, u32 margin)
{
	if (margin > litemrc_pages_of_rank(mon) / 2)
		return -EINVAL;
	if (margin && !litemrc_governor_can_govern(mon))
		return -ENODEV;
	WRITE_ONCE(mon->ranks->evacuation->governor.margin, margin);
	litemrc_govern(mon);
	return 0;
}

static void litemrc_governor_init(struct litemrc_evacuation *all)
{
	INIT_WORK(&all->governor.work, litemrc_governor_work);
	timer_setup(&all->governor.timer, litemrc_governor_tick, 0);
	if (litemrc_governor_can_govern(all->mon))
		all->governor.margin =
			litemrc_pages_of_rank(all->mon) / MARGIN_PART;
}

/*
 * The policy is no longer changed. Timer and work start each other, but not any
 * more.
 */
static void litemrc_governor_stop(struct litemrc_evacuation *all)
{
	WRITE_ONCE(all->governor.stopped, true);
	cancel_work_sync(&all->governor.work);
	timer_delete_sync(&all->governor.timer);
	cancel_work_sync(&all->governor.work);
}

/*
 * No allocation fails because of a closed rank: reclaim opens the ranks of a
 * node before it runs out of memory, and the OOM killer opens all of them
 * before it looks for a victim.
 */

/* allocations in need that wait for a running evacuation, at most */
#define MAX_OOM_REQUESTS 40
#define PLEA_MS 50

/*
 * Reclaim looks at each node in need. A movable allocation can use a closed
 * rank of that node. Of kswapd's work it is not known for whom it is, and the
 * kernel's own memory is in no such rank, so then the whole memory must be
 * short.
 */
static unsigned long litemrc_held_pages(struct shrinker *shrinker,
					struct shrink_control *control)
{
	struct litemrc_evacuation *all =
		container_of(shrinker, struct litemrc_evacuation, shrinker);
	unsigned long held = 0;
	unsigned int rank;

	if (!(control->gfp_mask & __GFP_MOVABLE) &&
	    litemrc_spare_pages(all) > 0)
		return 0;
	for (rank = 0; rank < all->mon->parameters.ranks; rank++)
		if (READ_ONCE(all->rank[rank].memory) == LITEMRC_RANK_CLOSED &&
		    litemrc_node_of_rank(all->mon, rank) == control->nid)
			held += litemrc_pages_of_rank(all->mon);
	return held;
}

static unsigned long litemrc_open_for_reclaim(struct shrinker *shrinker,
					      struct shrink_control *control)
{
	struct litemrc_evacuation *all =
		container_of(shrinker, struct litemrc_evacuation, shrinker);
	unsigned long freed = 0;
	unsigned int rank;

	for (rank = 0; !freed && rank < all->mon->parameters.ranks; rank++)
		if (litemrc_node_of_rank(all->mon, rank) == control->nid)
			freed = litemrc_give_back(all, rank);
	return freed ?: SHRINK_STOP;
}

static void litemrc_boost_evacuation(struct litemrc_evacuation *all)
{
	spin_lock(&all->lock);
	if (all->nice)
		set_user_nice(all->nice, 0);
	spin_unlock(&all->lock);
}

/*
 * Before the OOM killer chooses: all closed ranks; else the end of a running
 * evacuation.
 */
static int litemrc_open_for_oom(struct notifier_block *block,
				unsigned long unused, void *data)
{
	struct litemrc_evacuation *all =
		container_of(block, struct litemrc_evacuation, oom);
	unsigned long *freed = data;
	bool moving = false;
	unsigned int rank;

	for (rank = 0; rank < all->mon->parameters.ranks; rank++) {
		*freed += litemrc_give_back(all, rank);
		moving |= READ_ONCE(all->rank[rank].memory) ==
			  LITEMRC_RANK_MOVING;
	}
	/* It may wait for a lock that this task holds, so not for ever. */
	if (!*freed && moving &&
	    READ_ONCE(all->oom_requests) < MAX_OOM_REQUESTS) {
		WRITE_ONCE(all->oom_requests, all->oom_requests + 1);
		litemrc_boost_evacuation(all);
		schedule_timeout_killable(msecs_to_jiffies(PLEA_MS));
		*freed = 1;
	}
	return NOTIFY_OK;
}

static int litemrc_pressure_register(struct litemrc_evacuation *all)
{
	int ret;

	all->shrinker.count_objects = litemrc_held_pages;
	all->shrinker.scan_objects = litemrc_open_for_reclaim;
	all->shrinker.flags = SHRINKER_NUMA_AWARE;
	all->shrinker.seeks = 0; /* costs no I/O: is asked first */
	all->oom.notifier_call = litemrc_open_for_oom;
	ret = register_shrinker(&all->shrinker, "litemrc-ranks");
	if (!ret)
		register_oom_notifier(&all->oom);
	return ret;
}

static void litemrc_pressure_unregister(struct litemrc_evacuation *all)
{
	unregister_oom_notifier(&all->oom);
	unregister_shrinker(&all->shrinker);
}

static void *litemrc_governor_base(struct litemrc *mon)
{
	return &mon->ranks->evacuation->governor;
}

static u64 litemrc_get_governor_closed(struct litemrc *mon)
{
	const struct litemrc_governor *governor = litemrc_governor_base(mon);

	return hweight_long(governor->closed_by_governor);
}

#define LITEMRC_GOVERNOR(_name, _mode, _member, ...)                    \
	LITEMRC_MEMBER(governor, _name, _mode, struct litemrc_governor, \
		       _member, .base = litemrc_governor_base, ##__VA_ARGS__)

LITEMRC_GOVERNOR(margin, 0600, margin, .set = litemrc_set_margin,
		 .most = U32_MAX);
LITEMRC_GOVERNOR(governs, 0400, governs);
LITEMRC_GOVERNOR(working_set, 0400, working_set);
LITEMRC_GOVERNOR(hold, 0400, hold);
LITEMRC_GOVERNOR(evacuations, 0400, evacuations);
LITEMRC_GOVERNOR(openings, 0400, openings);
LITEMRC_GOVERNOR(busy, 0400, busy);
LITEMRC_GOVERNOR(no_room, 0400, no_room);
LITEMRC_GOVERNOR(moved, 0400, moved);
LITEMRC_GOVERNOR(microseconds, 0400, us);
LITEMRC_NUMBER(governor, closed, 0400, .get = litemrc_get_governor_closed);

static struct attribute *litemrc_governor_files[] = {
	LITEMRC_FILE(governor, margin), LITEMRC_FILE(governor, governs),
	LITEMRC_FILE(governor, working_set), LITEMRC_FILE(governor, closed),
	LITEMRC_FILE(governor, hold), LITEMRC_FILE(governor, evacuations),
	LITEMRC_FILE(governor, openings), LITEMRC_FILE(governor, busy),
	LITEMRC_FILE(governor, no_room), LITEMRC_FILE(governor, moved),
	LITEMRC_FILE(governor, microseconds), NULL
};

static const struct attribute_group litemrc_governor_group = {
	.name = "rank_governor",
	.attrs = litemrc_governor_files,
};

/**
 * litemrc_governor_add() - begin to govern the ranks of a monitor
 * @mon: the monitor; its evacuation is set up
 *
 * Return: 0 or a negative error
 */
int litemrc_governor_add(struct litemrc *mon)
{
	struct kobject *kobj = &mon->misc.this_device->kobj;
	int ret;

	litemrc_governor_init(mon->ranks->evacuation);
	ret = litemrc_pressure_register(mon->ranks->evacuation);
	if (ret || !mon->ranks->ops)
		return ret;
	ret = sysfs_create_group(kobj, &litemrc_governor_group);
	if (ret)
		litemrc_pressure_unregister(mon->ranks->evacuation);
	return ret;
}

/**
 * litemrc_governor_remove() - end it; closed ranks stay so
 * @mon: the monitor; its files in ranks/ are gone
 */
void litemrc_governor_remove(struct litemrc *mon)
{
	if (mon->ranks->ops)
		sysfs_remove_group(&mon->misc.this_device->kobj,
				   &litemrc_governor_group);
	litemrc_governor_stop(mon->ranks->evacuation);
	litemrc_pressure_unregister(mon->ranks->evacuation);
}
