// SPDX-License-Identifier: GPL-2.0
/* Power states, policy and working set. Callers of those that set hold @settings. */
#include <linux/pfn.h>
#include <asm/page.h>

#include "litemrc.h"

#define PUT(name, value) ((u32)(value) << LITEMRC_RANKS_##name##_SHIFT)
#define GET(word, name) LITEMRC_FIELD(word, RANKS_##name)

static const unsigned int thresholds[] = {
	LITEMRC_RANKS_THRESHOLD_POWER_DOWN,
	LITEMRC_RANKS_THRESHOLD_SELF_REFRESH,
};

static bool litemrc_rank_can_reach(const struct litemrc *mon, u32 state)
{
	return mon->ranks.states >> state & 1;
}

/* The kernel's image would wake the rank at once. */
static bool litemrc_rank_holds_kernel(const struct litemrc *mon, unsigned int rank)
{
	unsigned long first = mon->first_pfn + rank * litemrc_rank_frames(mon);
	unsigned long kernel = PHYS_PFN(kernel_map.phys_addr);

	return kernel >= first && kernel < first + litemrc_rank_frames(mon);
}

/**
 * litemrc_rank_set_state - send a rank to a state as soon as it is idle; an access wakes it
 * @mon: the monitor
 * @rank: number of the rank; of virtual ranks all change their state
 * @state: LITEMRC_POWER_*
 *
 * Return: 0; -ENODEV for a state that cannot be reached; -EBUSY if the rank holds the kernel, or
 * if pages that the kernel may use would be lost
 */
int litemrc_rank_set_state(struct litemrc *mon, unsigned int rank, u32 state)
{
	if (!litemrc_rank_can_reach(mon, state))
		return -ENODEV;
	if (state == LITEMRC_POWER_SELF_REFRESH_PARTIAL)
		return -EBUSY;
	if (state != LITEMRC_POWER_ACTIVE_STANDBY && litemrc_rank_holds_kernel(mon, rank))
		return -EBUSY;
	litemrc_ranks_write(&mon->ranks, LITEMRC_RANKS_COMMAND,
			    PUT(COMMAND_DOMAIN, rank) | PUT(COMMAND_STATE, state));
	return 0;
}

void litemrc_rank_get_policy(const struct litemrc *mon, struct litemrc_rank_policy *policy)
{
	u32 word = litemrc_ranks_read(&mon->ranks, LITEMRC_RANKS_POLICY);
	unsigned int i;

	policy->kind = GET(word, POLICY_KIND);
	policy->static_state = GET(word, POLICY_STATIC_STATE);
	policy->mrc_state = GET(word, POLICY_MRC_STATE);
	policy->mrc_base = GET(word, POLICY_MRC_BASE);
	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		policy->threshold[i] = litemrc_ranks_read(&mon->ranks, thresholds[i]);
}

/* Returns 0, -EINVAL if mrc is its own base, or -ENODEV for a state that cannot be reached. */
int litemrc_rank_set_policy(struct litemrc *mon, const struct litemrc_rank_policy *policy)
{
	unsigned int i;

	if (policy->mrc_base == LITEMRC_POLICY_MRC)
		return -EINVAL;
	if (!litemrc_rank_can_reach(mon, policy->static_state) || !litemrc_rank_can_reach(mon, policy->mrc_state))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		litemrc_ranks_write(&mon->ranks, thresholds[i], policy->threshold[i]);
	litemrc_ranks_write(&mon->ranks, LITEMRC_RANKS_POLICY,
			    PUT(POLICY_KIND, policy->kind) |
				    PUT(POLICY_STATIC_STATE, policy->static_state) |
				    PUT(POLICY_MRC_STATE, policy->mrc_state) |
				    PUT(POLICY_MRC_BASE, policy->mrc_base));
	return 0;
}

void litemrc_get_working_set(const struct litemrc *mon, struct litemrc_working_set *set)
{
	u32 word = litemrc_ranks_read(&mon->ranks, LITEMRC_RANKS_N_MRC_AUTO);

	set->automatic = GET(word, N_MRC_AUTO_ENABLE);
	set->epsilon = GET(word, N_MRC_AUTO_EPSILON);
	set->groups = litemrc_ranks_read(&mon->ranks, LITEMRC_RANKS_N_MRC);
}

int litemrc_set_working_set(struct litemrc *mon, const struct litemrc_working_set *set)
{
	if (set->automatic > 1 || set->groups > mon->parameters.groups || set->epsilon > U16_MAX)
		return -EINVAL;
	litemrc_ranks_write(&mon->ranks, LITEMRC_RANKS_N_MRC, set->groups);
	litemrc_ranks_write(&mon->ranks, LITEMRC_RANKS_N_MRC_AUTO,
			    PUT(N_MRC_AUTO_ENABLE, set->automatic) |
				    PUT(N_MRC_AUTO_EPSILON, set->epsilon));
	return 0;
}
