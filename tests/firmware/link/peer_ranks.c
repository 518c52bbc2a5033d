// SPDX-License-Identifier: BSD-2-Clause
/*
 * The power domains of the peer program, with ranks=1: four ranks. Domain 0 is the device's own; domain 1 has live
 * pages while a program runs. Commands are obeyed at once, policies only remembered.
 */
#include "peer.h"

#define CLOCKS 1000000u
#define PART "MT41K64M16"

static uint32_t states[DOMAINS], allowed, part;

/* The counters the tests expect: see rank_counters_of() in link_messages.py. */
static void fill(struct litemrc_rank *rank, uint32_t epoch, uint32_t domain)
{
	uint32_t asleep = domain * 100000 + epoch;

	for (uint32_t word = 0; word < 16; word++)
		rank->counters[word] = epoch * 10 + domain + word;
	for (uint32_t word = 4; word < 9; word++)
		rank->counters[word] = 0;
	rank->counters[4] = 1000;
	rank->counters[5] = CLOCKS - 1000 - asleep;
	rank->counters[7] = asleep;
}

void ranks_add(bool program_runs)
{
	struct litemrc_rank *ranks;

	if (!option.ranks)
		return;
	ranks = epoch_part(LITEMRC_PART_RANKS, sizeof(*ranks), DOMAINS);
	for (uint32_t domain = 0; domain < DOMAINS; domain++) {
		ranks[domain] = (struct litemrc_rank){
			.state = states[domain],
			.working = domain < 2,
			.live_pages = domain == 1 && program_runs ? 300 : 0,
			.cycles = CLOCKS,
		};
		fill(&ranks[domain], epoch_number, domain);
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
		return refuse(answer, LITEMRC_ERROR_BUSY, "the firmware runs from this domain");
	states[domain] = state;
	return 0;
}

int ranks_set_loss(const uint32_t *values, bool program_runs, struct answer *answer)
{
	uint32_t domain = values[0], may_lose = values[1];

	if (may_lose && domain == 1 && program_runs)
		return refuse(answer, LITEMRC_ERROR_BUSY, "the domain holds live pages");
	part = values[2];
	allowed = (allowed & ~(1u << domain)) | may_lose << domain;
	return 0;
}

bool ranks_may_lose(uint32_t domain)
{
	return allowed >> domain & 1;
}
