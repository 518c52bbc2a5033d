// SPDX-License-Identifier: BSD-2-Clause
#include "ranks.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <hw/common.h>
#include <string.h>

#include "answer.h"
#include "budgets.h"
#include "litemrc_regs.h"
#include "monitor.h"

#ifdef CSR_RANKS_BASE

#define FIELD(word, name) (((word) & LITEMRC_RANKS_##name) >> LITEMRC_RANKS_##name##_SHIFT)
#define PUT(name, value) ((uint32_t)(value) << LITEMRC_RANKS_##name##_SHIFT)

/* The link and the gateware number states and policies alike. */
_Static_assert((int)power_state_power_down_c == LITEMRC_POWER_POWER_DOWN, "power_down");
_Static_assert((int)power_state_self_refresh_c == LITEMRC_POWER_SELF_REFRESH, "self_refresh");
_Static_assert((int)power_state_self_refresh_partial_c == LITEMRC_POWER_SELF_REFRESH_PARTIAL, "partial");
_Static_assert((int)rank_policy_static_c == LITEMRC_POLICY_STATIC, "static");
_Static_assert((int)rank_policy_dynamic_c == LITEMRC_POLICY_DYNAMIC, "dynamic");
_Static_assert((int)rank_policy_mrc_c == LITEMRC_POLICY_MRC, "mrc");

static uint32_t live_first, live_pages;

static uint32_t ranks_read(uint32_t offset)
{
	return csr_read_simple(CSR_RANKS_BASE + offset);
}

static void ranks_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_RANKS_BASE + offset);
}

uint32_t ranks_domains(void)
{
	return 1u << FIELD(ranks_read(LITEMRC_RANKS_CAPABILITIES), CAPABILITIES_DOMAINS_LOG2);
}

static uint32_t reachable_states(void)
{
	return FIELD(ranks_read(LITEMRC_RANKS_CAPABILITIES), CAPABILITIES_STATES);
}

static uint32_t domain_bytes(void)
{
	return MAIN_RAM_SIZE / ranks_domains();
}

/* Number of live pages in a domain. */
static uint32_t live_in(uint32_t domain)
{
	uint32_t pages = domain_bytes() / (1u << monitor_parameters().page_shift);
	uint32_t first = domain * pages, end = first + pages, live_end = live_first + live_pages;

	first = live_first > first ? live_first : first;
	end = live_end < end ? live_end : end;
	return end > first ? end - first : 0;
}

void ranks_set_live(uint32_t first_page, uint32_t pages)
{
	live_first = first_page;
	live_pages = pages;
	for (uint32_t domain = 0; domain < ranks_domains(); domain++)
		if (live_in(domain))
			ranks_write(LITEMRC_RANKS_PARTIAL_ALLOWED,
				    ranks_read(LITEMRC_RANKS_PARTIAL_ALLOWED) & ~(1u << domain));
}

/* The 64-bit register has its upper word first. */
static uint32_t state_of(uint32_t domain)
{
	uint32_t bit = domain * LITEMRC_RANKS_STATE_BITS;
	uint32_t word = ranks_read(LITEMRC_RANKS_STATE + (bit < 32 ? 4 : 0));

	return word >> (bit % 32) & ((1u << LITEMRC_RANKS_STATE_BITS) - 1);
}

void ranks_fill(struct rank_body *rank, uint32_t domain)
{
	const volatile uint32_t *window = (const volatile uint32_t *)RANKS_WINDOW_BASE;

	rank->domain = domain;
	rank->clocks = ranks_read(LITEMRC_RANKS_SNAPSHOT_CLOCKS);
	rank->state.power_state_choice = state_of(domain);
	rank->working = ranks_read(LITEMRC_RANKS_WORKING) >> domain & 1;
	rank->live_pages = live_in(domain);
	rank->overflow.overflow = ranks_read(LITEMRC_RANKS_METER_STATUS) & LITEMRC_RANKS_METER_STATUS_OVERFLOW;
	rank->counters_count = LITEMRC_METER_ROW;
	for (uint32_t word = 0; word < LITEMRC_METER_ROW; word++)
		rank->counters[word] = window[domain * LITEMRC_METER_ROW + word];
}

/* Whether an address of the firmware lies in a domain. */
static bool lies_in(const void *address, uint32_t domain)
{
	uint32_t offset = (uint32_t)address - MAIN_RAM_BASE;

	return offset < MAIN_RAM_SIZE && offset / domain_bytes() == domain;
}

static bool runs_from(uint32_t domain)
{
	uint32_t on_stack;

	return lies_in((const void *)runs_from, domain) || lies_in(&live_first, domain) || lies_in(&on_stack, domain);
}

static bool can_reach(int state)
{
	return reachable_states() >> state & 1;
}

static void acknowledge_dram(struct ack_body *ack)
{
	ack->values[0] = ranks_domains();
	ack->values[1] = FIELD(ranks_read(LITEMRC_RANKS_CAPABILITIES), CAPABILITIES_VIRTUAL);
	ack->values[2] = reachable_states();
	ack->values[3] = CONFIG_DRAM_CHIPS;
	ack->values[4] = CONFIG_DRAM_PHASES;
	ack->values[5] = ranks_read(LITEMRC_RANKS_PARTIAL);
	ack->values_count = 6;
	ack->payload.payload.value = (const uint8_t *)CONFIG_DRAM_PART;
	ack->payload.payload.len = strlen(CONFIG_DRAM_PART);
}

static void acknowledge_policy(struct ack_body *ack)
{
	uint32_t word = ranks_read(LITEMRC_RANKS_POLICY);

	ack->values[0] = FIELD(word, POLICY_KIND);
	ack->values[1] = FIELD(word, POLICY_STATIC_STATE);
	ack->values[2] = FIELD(word, POLICY_MRC_STATE);
	ack->values[3] = FIELD(word, POLICY_MRC_BASE);
	ack->values[4] = ranks_read(LITEMRC_RANKS_THRESHOLD_POWER_DOWN);
	ack->values[5] = ranks_read(LITEMRC_RANKS_THRESHOLD_SELF_REFRESH);
	ack->values_count = 6;
}

static int set_policy(const struct set_rank_policy_body *policy, const char **reason)
{
	if (!can_reach(policy->static_state.power_state_choice) || !can_reach(policy->mrc_state.power_state_choice))
		return refuse(reason, error_code_bad_argument_c, "the DRAM cannot reach that state");
	if (policy->mrc_base.rank_policy_choice == rank_policy_mrc_c)
		return refuse(reason, error_code_bad_argument_c, "mrc cannot be its own base");
	ranks_write(LITEMRC_RANKS_THRESHOLD_POWER_DOWN, policy->threshold_power_down);
	ranks_write(LITEMRC_RANKS_THRESHOLD_SELF_REFRESH, policy->threshold_self_refresh);
	ranks_write(LITEMRC_RANKS_POLICY,
		    PUT(POLICY_KIND, policy->policy.rank_policy_choice) |
		    PUT(POLICY_STATIC_STATE, policy->static_state.power_state_choice) |
		    PUT(POLICY_MRC_STATE, policy->mrc_state.power_state_choice) |
		    PUT(POLICY_MRC_BASE, policy->mrc_base.rank_policy_choice));
	return 0;
}

static int set_state(uint32_t domain, int state, const char **reason)
{
	if (domain >= ranks_domains())
		return refuse(reason, error_code_bad_argument_c, "there is no such domain");
	if (!can_reach(state))
		return refuse(reason, error_code_bad_argument_c, "the DRAM cannot reach that state");
	if (state != power_state_awake_c && runs_from(domain))
		return refuse(reason, error_code_busy_c, "the firmware runs from this domain");
	if (state == power_state_self_refresh_partial_c &&
	    !(ranks_read(LITEMRC_RANKS_PARTIAL_ALLOWED) >> domain & 1))
		return refuse(reason, error_code_bad_argument_c, "the domain's data would be lost: allow that first");
	ranks_write(LITEMRC_RANKS_COMMAND, PUT(COMMAND_DOMAIN, domain) | PUT(COMMAND_STATE, state));
	return 0;
}

static int set_loss(uint32_t domain, bool allowed, uint32_t part, const char **reason)
{
	uint32_t mask = ranks_read(LITEMRC_RANKS_PARTIAL_ALLOWED);

	if (domain >= ranks_domains())
		return refuse(reason, error_code_bad_argument_c, "there is no such domain");
	if (!can_reach(power_state_self_refresh_partial_c))
		return refuse(reason, error_code_bad_argument_c, "the DRAM cannot reach self_refresh_partial");
	if (allowed && (live_in(domain) || runs_from(domain)))
		return refuse(reason, error_code_busy_c, "the domain holds live pages");
	ranks_write(LITEMRC_RANKS_PARTIAL, part);
	ranks_write(LITEMRC_RANKS_PARTIAL_ALLOWED, allowed ? mask | 1u << domain : mask & ~(1u << domain));
	return 0;
}

static void acknowledge_working_set(struct ack_body *ack)
{
	uint32_t automatic = ranks_read(LITEMRC_RANKS_N_MRC_AUTO);

	ack->values[0] = FIELD(automatic, N_MRC_AUTO_ENABLE);
	ack->values[1] = ranks_read(LITEMRC_RANKS_N_MRC);
	ack->values[2] = FIELD(automatic, N_MRC_AUTO_EPSILON);
	ack->values_count = 3;
}

static int set_working_set(const struct set_working_set_body *set, const char **reason)
{
	if (set->groups > monitor_parameters().groups)
		return refuse(reason, error_code_bad_argument_c, "the stacks have fewer groups");
	ranks_write(LITEMRC_RANKS_N_MRC, set->groups);
	ranks_write(LITEMRC_RANKS_N_MRC_AUTO,
		    PUT(N_MRC_AUTO_ENABLE, set->automatic) | PUT(N_MRC_AUTO_EPSILON, set->epsilon));
	return 0;
}

/* Registers that a lease restores. */
static const uint32_t governed[] = {
	LITEMRC_RANKS_POLICY, LITEMRC_RANKS_THRESHOLD_POWER_DOWN, LITEMRC_RANKS_THRESHOLD_SELF_REFRESH,
	LITEMRC_RANKS_N_MRC, LITEMRC_RANKS_N_MRC_AUTO,
};
#define GOVERNED (sizeof(governed) / sizeof(governed[0]))

static uint32_t kept[GOVERNED];

void ranks_save(void)
{
	for (uint32_t i = 0; i < GOVERNED; i++)
		kept[i] = ranks_read(governed[i]);
}

void ranks_restore(void)
{
	for (uint32_t i = 0; i < GOVERNED; i++)
		ranks_write(governed[i], kept[i]);
}

int ranks_perform(const struct host_request *request, struct ack_body *ack, const char **reason)
{
	int error = 0;

	switch (request->type_choice) {
	case host_request_type_get_dram_c:
		acknowledge_dram(ack);
		return 0;
	case host_request_type_set_rank_policy_c:
		error = set_policy(&request->set_rank_policy, reason);
		acknowledge_policy(ack);
		return error;
	case host_request_type_get_rank_policy_c:
		acknowledge_policy(ack);
		return 0;
	case host_request_type_set_rank_state_c:
		return set_state(request->set_rank_state.domain, request->set_rank_state.state.power_state_choice, reason);
	case host_request_type_set_rank_loss_c:
		return set_loss(request->set_rank_loss.domain, request->set_rank_loss.allowed,
				request->set_rank_loss.part, reason);
	case host_request_type_set_working_set_c:
		error = set_working_set(&request->set_working_set, reason);
		acknowledge_working_set(ack);
		return error;
	case host_request_type_get_working_set_c:
		acknowledge_working_set(ack);
		return 0;
	default:
		return budgets_perform(request, ack, reason);
	}
}

#else	/* no rank power in this SoC */

uint32_t ranks_domains(void)
{
	return 0;
}

void ranks_set_live(uint32_t first_page, uint32_t pages)
{
	(void)first_page;
	(void)pages;
}

void ranks_fill(struct rank_body *rank, uint32_t domain)
{
	(void)rank;
	(void)domain;
}

void ranks_save(void)
{
}

void ranks_restore(void)
{
}

int ranks_perform(const struct host_request *request, struct ack_body *ack, const char **reason)
{
	switch (request->type_choice) {
	case host_request_type_get_dram_c:
	case host_request_type_set_rank_policy_c:
	case host_request_type_get_rank_policy_c:
	case host_request_type_set_rank_state_c:
	case host_request_type_set_rank_loss_c:
	case host_request_type_set_working_set_c:
	case host_request_type_get_working_set_c:
		return refuse(reason, error_code_unsupported_c, "the device has no rank power");
	default:
		return budgets_perform(request, ack, reason);
	}
}

#endif
