// SPDX-License-Identifier: BSD-2-Clause
/*
 * The power domains of the peer program, with ranks=1: four ranks. Domain 0 is the device's own; domain 1 has live
 * pages while a program runs. Commands are obeyed at once, policies only remembered.
 */
#include "peer.h"

#define CLOCKS 1000000u
#define PART "MT41K64M16"

static uint32_t states[DOMAINS], allowed, part, sent;

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

void ranks_get_dram(struct answer *answer)
{
	ANSWER(answer, DOMAINS, 0, device.parameters.power_states, 1, 4, part);
	answer_text(answer, PART);
}

int ranks_set_state(uint32_t domain, uint32_t state, struct answer *answer)
{
	if (!domain && state)
		return refuse(answer, error_code_busy_c, "the firmware runs from this domain");
	states[domain] = state;
	return 0;
}

int ranks_set_loss(const uint32_t *values, bool program_runs, struct answer *answer)
{
	uint32_t domain = values[0], may_lose = values[1];

	if (may_lose && domain == 1 && program_runs)
		return refuse(answer, error_code_busy_c, "the domain holds live pages");
	part = values[2];
	allowed = (allowed & ~(1u << domain)) | may_lose << domain;
	return 0;
}

bool ranks_may_lose(uint32_t domain)
{
	return allowed >> domain & 1;
}
