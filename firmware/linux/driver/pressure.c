// SPDX-License-Identifier: GPL-2.0
/*
 * No allocation fails because of a closed rank: reclaim opens the ranks of a node before it runs
 * out of memory, and the OOM killer opens all of them before it looks for a victim.
 */
#include <linux/gfp.h>
#include <linux/oom.h>
#include <linux/sched.h>

#include "evacuate.h"
#include "litemrc.h"

#define MAX_OOM_REQUESTS 40 /* allocations in need that wait for a running evacuation, at most */
#define PLEA_MS 50

/*
 * Reclaim looks at each node in need. A movable allocation can use a closed rank of that node. Of
 * kswapd's work it is not known for whom it is, and the kernel's own memory is in no such rank, so
 * then the whole memory must be short.
 */
static unsigned long litemrc_held_pages(struct shrinker *shrinker, struct shrink_control *control)
{
	struct litemrc_evacuation *all =
		container_of(shrinker, struct litemrc_evacuation, shrinker);
	unsigned long held = 0;
	unsigned int rank;

	if (!(control->gfp_mask & __GFP_MOVABLE) && litemrc_spare_pages(all) > 0)
		return 0;
	for (rank = 0; rank < all->mon->parameters.ranks; rank++)
		if (READ_ONCE(all->rank[rank].memory) == LITEMRC_RANK_CLOSED &&
		    litemrc_node_of_rank(all->mon, rank) == control->nid)
			held += litemrc_pages_of_rank(all->mon);
	return held;
}

static unsigned long litemrc_open_for_reclaim(struct shrinker *shrinker, struct shrink_control *control)
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

/* Before the OOM killer chooses: all closed ranks; else the end of a running evacuation. */
static int litemrc_open_for_oom(struct notifier_block *block, unsigned long unused, void *data)
{
	struct litemrc_evacuation *all = container_of(block, struct litemrc_evacuation, oom);
	unsigned long *freed = data;
	bool moving = false;
	unsigned int rank;

	for (rank = 0; rank < all->mon->parameters.ranks; rank++) {
		*freed += litemrc_give_back(all, rank);
		moving |= READ_ONCE(all->rank[rank].memory) == LITEMRC_RANK_MOVING;
	}
	/* It may wait for a lock that this task holds, so not for ever. */
	if (!*freed && moving && READ_ONCE(all->oom_requests) < MAX_OOM_REQUESTS) {
		WRITE_ONCE(all->oom_requests, all->oom_requests + 1);
		litemrc_boost_evacuation(all);
		schedule_timeout_killable(msecs_to_jiffies(PLEA_MS));
		*freed = 1;
	}
	return NOTIFY_OK;
}

int litemrc_pressure_register(struct litemrc_evacuation *all)
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

void litemrc_pressure_unregister(struct litemrc_evacuation *all)
{
	unregister_oom_notifier(&all->oom);
	unregister_shrinker(&all->shrinker);
}
