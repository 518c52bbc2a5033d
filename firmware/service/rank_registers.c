// SPDX-License-Identifier: BSD-2-Clause
/* The registers of rank power. */
#include "register_access.h"

static uint32_t ranks(struct register_device *r, uint32_t offset)
{
	return register_read(r, BLOCK_RANKS, offset);
}

static void set_ranks(struct register_device *r, uint32_t offset, uint32_t value)
{
	register_write(r, BLOCK_RANKS, offset, value);
}

static void get_policy(struct register_device *r, struct answer *answer)
{
	uint32_t word = ranks(r, LITEMRC_RANKS_POLICY);

	ANSWER(answer, FIELD(word, RANKS_POLICY_KIND), FIELD(word, RANKS_POLICY_STATIC_STATE),
	       FIELD(word, RANKS_POLICY_MRC_STATE), FIELD(word, RANKS_POLICY_MRC_BASE),
	       ranks(r, LITEMRC_RANKS_THRESHOLD_POWER_DOWN), ranks(r, LITEMRC_RANKS_THRESHOLD_SELF_REFRESH));
}

static void set_policy(struct register_device *r, const uint32_t *v)
{
	set_ranks(r, LITEMRC_RANKS_THRESHOLD_POWER_DOWN, v[4]);
	set_ranks(r, LITEMRC_RANKS_THRESHOLD_SELF_REFRESH, v[5]);
	set_ranks(r, LITEMRC_RANKS_POLICY,
		  PUT(RANKS_POLICY_KIND, v[0]) | PUT(RANKS_POLICY_STATIC_STATE, v[1]) |
		  PUT(RANKS_POLICY_MRC_STATE, v[2]) | PUT(RANKS_POLICY_MRC_BASE, v[3]));
}

static int set_state(struct register_device *r, uint32_t domain, uint32_t state, struct answer *answer)
{
	if (state != LITEMRC_POWER_STATE_AWAKE && r->runs_from(r, domain))
		return refuse(answer, LITEMRC_ERROR_BUSY, "the firmware runs from this domain");
	set_ranks(r, LITEMRC_RANKS_COMMAND, PUT(RANKS_COMMAND_DOMAIN, domain) | PUT(RANKS_COMMAND_STATE, state));
	return 0;
}

static int set_loss(struct register_device *r, uint32_t domain, bool allowed, uint32_t part, struct answer *answer)
{
	uint32_t mask = ranks(r, LITEMRC_RANKS_PARTIAL_ALLOWED);

	if (allowed && (r->live_pages(r, domain) || r->runs_from(r, domain)))
		return refuse(answer, LITEMRC_ERROR_BUSY, DEVICE_LIVE_PAGES);
	set_ranks(r, LITEMRC_RANKS_PARTIAL, part);
	set_ranks(r, LITEMRC_RANKS_PARTIAL_ALLOWED, allowed ? mask | 1u << domain : mask & ~(1u << domain));
	return 0;
}

static void get_working_set(struct register_device *r, struct answer *answer)
{
	uint32_t word = ranks(r, LITEMRC_RANKS_N_MRC_AUTO);

	ANSWER(answer, FIELD(word, RANKS_N_MRC_AUTO_ENABLE), ranks(r, LITEMRC_RANKS_N_MRC),
	       FIELD(word, RANKS_N_MRC_AUTO_EPSILON));
}

void ranks_get(struct register_device *r, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	const struct device_parameters *p = &r->device.parameters;

	switch (setting) {
	case DEVICE_DRAM:
		ANSWER(answer, p->ranks, FIELD(ranks(r, LITEMRC_RANKS_CAPABILITIES), RANKS_CAPABILITIES_VIRTUAL),
		       p->power_states, r->dram_chips, r->dram_phases, ranks(r, LITEMRC_RANKS_PARTIAL));
		answer_text(answer, r->dram_part);
		break;
	case DEVICE_RANK_POLICY:
		get_policy(r, answer);
		break;
	case DEVICE_RANK_LOSS:
		ANSWER(answer, ranks(r, LITEMRC_RANKS_PARTIAL_ALLOWED) >> arguments[0] & 1);
		break;
	default: /* DEVICE_WORKING_SET */
		get_working_set(r, answer);
	}
}

int ranks_set(struct register_device *r, enum device_setting setting, const uint32_t *v, struct answer *answer)
{
	switch (setting) {
	case DEVICE_RANK_POLICY:
		set_policy(r, v);
		return 0;
	case DEVICE_RANK_STATE:
		return set_state(r, v[0], v[1], answer);
	case DEVICE_RANK_LOSS:
		return set_loss(r, v[0], v[1], v[2], answer);
	default: /* DEVICE_WORKING_SET */
		set_ranks(r, LITEMRC_RANKS_N_MRC, v[1]);
		set_ranks(r, LITEMRC_RANKS_N_MRC_AUTO,
			  PUT(RANKS_N_MRC_AUTO_ENABLE, v[0]) | PUT(RANKS_N_MRC_AUTO_EPSILON, v[2]));
		return 0;
	}
}

/* The 64-bit register has its upper word first. */
static uint32_t state_of(struct register_device *r, uint32_t domain)
{
	uint32_t bit = domain * LITEMRC_RANKS_STATE_BITS;
	uint32_t word = ranks(r, LITEMRC_RANKS_STATE + (bit < 32 ? 4 : 0));

	return word >> (bit % 32) & ((1u << LITEMRC_RANKS_STATE_BITS) - 1);
}

void ranks_fill(struct register_device *r, uint32_t domain, struct litemrc_rank *rank)
{
	const volatile uint32_t *counters;

	*rank = (struct litemrc_rank){
		.state = state_of(r, domain),
		.working = ranks(r, LITEMRC_RANKS_WORKING) >> domain & 1,
		.live_pages = r->live_pages(r, domain),
		.flags = ranks(r, LITEMRC_RANKS_METER_STATUS) & LITEMRC_RANKS_METER_STATUS_OVERFLOW ? LITEMRC_RANK_OVERFLOW : 0,
		.cycles = ranks(r, LITEMRC_RANKS_SNAPSHOT_CLOCKS),
	};
	counters = register_words(r, BLOCK_RANKS_WINDOW, 4 * domain * LITEMRC_METER_ROW, LITEMRC_METER_ROW);
	for (uint32_t word = 0; word < LITEMRC_METER_ROW; word++)
		rank->counters[word] = counters[word];
}
