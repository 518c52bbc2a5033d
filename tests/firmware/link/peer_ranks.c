// SPDX-License-Identifier: BSD-2-Clause
/*
 * The power domains of the peer program, with ranks=1: four ranks. Domain 0 is the device's own; domain 1 has live
 * pages while a program runs. Commands are obeyed at once, policies only remembered.
 */
#include <string.h>

#include "peer.h"

#define DOMAINS 4
#define STATES 0x1f
#define CLOCKS 1000000u
#define PART "MT41K64M16"

static struct set_rank_policy_body policy = {
	.static_state.power_state_choice = power_state_power_down_c,
	.mrc_state.power_state_choice = power_state_self_refresh_c,
};
static struct set_working_set_body working_set = {.groups = 64};
static struct set_rank_policy_body kept_policy;
static struct set_working_set_body kept_working_set;
static uint32_t states[DOMAINS], allowed, part, sent;

void ranks_describe(struct hello_body *hello)
{
	hello->ranks.ranks = option.ranks ? DOMAINS : 1;
}

/* The counters the tests expect: see rank_counters_of() in link_messages.py. */
static void fill(struct rank_body *rank, uint32_t epoch, uint32_t domain)
{
	uint32_t asleep = domain * 100000 + epoch;

	for (uint32_t word = 0; word < 16; word++)
		rank->counters[word] = epoch * 10 + domain + word;
	for (uint32_t word = 4; word < 9; word++)
		rank->counters[word] = 0;
	rank->counters[4] = 1000;
	rank->counters[5] = CLOCKS - 1000 - asleep;
	rank->counters[7] = asleep;
	rank->counters_count = 16;
}

void ranks_send(uint32_t epoch, bool program_runs)
{
	static struct device_message message;

	for (uint32_t domain = 0; option.ranks && domain < DOMAINS; domain++) {
		message.type_choice = device_message_type_rank_c;
		message.rank = (struct rank_body){
			.index = sent++,
			.epoch = epoch,
			.remaining = DOMAINS - 1 - domain,
			.domain = domain,
			.clocks = CLOCKS,
			.state.power_state_choice = states[domain],
			.working = domain < 2,
			.live_pages = domain == 1 && program_runs ? 300 : 0,
		};
		fill(&message.rank, epoch, domain);
		send_message(&message);
	}
}

void ranks_keep(void)
{
	kept_policy = policy;
	kept_working_set = working_set;
}

void ranks_restore(void)
{
	policy = kept_policy;
	working_set = kept_working_set;
}

static int refuse(int error, const char *why)
{
	reason = why;
	return error;
}

static void answer_dram(struct ack_body *ack)
{
	const uint32_t values[] = {DOMAINS, 0, STATES, 1, 4, part};

	memcpy(ack->values, values, sizeof(values));
	ack->values_count = 6;
	ack->payload.payload.value = (const uint8_t *)PART;
	ack->payload.payload.len = strlen(PART);
}

static void answer_policy(struct ack_body *ack)
{
	ack->values[0] = policy.policy.rank_policy_choice;
	ack->values[1] = policy.static_state.power_state_choice;
	ack->values[2] = policy.mrc_state.power_state_choice;
	ack->values[3] = policy.mrc_base.rank_policy_choice;
	ack->values[4] = policy.threshold_power_down;
	ack->values[5] = policy.threshold_self_refresh;
	ack->values_count = 6;
}

static int set_state(uint32_t domain, int state)
{
	if (domain >= DOMAINS)
		return refuse(error_code_bad_argument_c, "there is no such domain");
	if (!domain && state)
		return refuse(error_code_busy_c, "the firmware runs from this domain");
	if (state == power_state_self_refresh_partial_c && !(allowed >> domain & 1))
		return refuse(error_code_bad_argument_c, "the domain's data would be lost: allow that first");
	states[domain] = state;
	return 0;
}

static int set_loss(const struct set_rank_loss_body *loss, bool program_runs)
{
	if (loss->domain >= DOMAINS)
		return refuse(error_code_bad_argument_c, "there is no such domain");
	if (loss->allowed && loss->domain == 1 && program_runs)
		return refuse(error_code_busy_c, "the domain holds live pages");
	part = loss->part;
	allowed = (allowed & ~(1u << loss->domain)) | (uint32_t)loss->allowed << loss->domain;
	return 0;
}

int ranks_perform(const struct host_request *request, struct ack_body *ack, bool program_runs)
{
	if (!option.ranks)
		return refuse(error_code_unsupported_c, "the device has no rank power");
	switch (request->type_choice) {
	case host_request_type_get_dram_c:
		answer_dram(ack);
		return 0;
	case host_request_type_set_rank_policy_c:
		if (request->set_rank_policy.mrc_base.rank_policy_choice == rank_policy_mrc_c)
			return refuse(error_code_bad_argument_c, "mrc cannot be its own base");
		policy = request->set_rank_policy;
		/* fall through */
	case host_request_type_get_rank_policy_c:
		answer_policy(ack);
		return 0;
	case host_request_type_set_rank_state_c:
		return set_state(request->set_rank_state.domain, request->set_rank_state.state.power_state_choice);
	case host_request_type_set_rank_loss_c:
		return set_loss(&request->set_rank_loss, program_runs);
	case host_request_type_set_working_set_c:
		working_set = request->set_working_set;
		/* fall through */
	case host_request_type_get_working_set_c:
		answer_values(working_set.automatic, working_set.groups, working_set.epsilon, 3);
		return 0;
	default:
		return error_code_unknown_c;
	}
}
