// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests of ranks to the service of bare metal (ranks.c), with an array for registers: what is refused. Prints a line for
 * each request: "ok", or the number of the error and the reason.
 */
#include <stdio.h>

#include "monitor.h"
#include "ranks.h"
#include "requests.h"

#define DOMAIN_BYTES (MAIN_RAM_SIZE / 4)
#define OWN_DOMAIN 2u

uint32_t dram_base;
static uint32_t words[2048];

uint32_t csr_read_simple(unsigned long address)
{
	return words[address / 4];
}

void csr_write_simple(uint32_t value, unsigned long address)
{
	words[address / 4] = value;
}

void epochs_keep_settings(void)
{
}

static void ask(uint32_t type, const void *body, size_t bytes)
{
	struct answer answer = {.reason = ""};
	int error = request_perform(&registers.device, type, body, bytes, &answer);

	if (error)
		printf("%d %s\n", error, answer.reason);
	else
		printf("ok\n");
}

static void state(uint32_t domain, uint32_t to)
{
	const struct litemrc_set_rank_state wanted = {.domain = domain, .state = to};

	ask(LITEMRC_REQUEST_SET_RANK_STATE, &wanted, sizeof(wanted));
}

static void loss(uint32_t domain)
{
	const struct litemrc_set_rank_loss wanted = {.domain = domain, .allowed = true, .part = 1};

	ask(LITEMRC_REQUEST_SET_RANK_LOSS, &wanted, sizeof(wanted));
}

int main(void)
{
	/* Four ranks, all states; the code lies in the middle of the third. */
	words[LITEMRC_RANKS_CAPABILITIES / 4] = 2u | 0x1fu << LITEMRC_RANKS_CAPABILITIES_STATES_SHIFT;
	dram_base = (uint32_t)(uintptr_t)ranks_runs_from - OWN_DOMAIN * DOMAIN_BYTES - DOMAIN_BYTES / 2;
	words[(CSR_MRC_BASE + LITEMRC_CAPABILITIES) / 4] = 12u << LITEMRC_CAPABILITIES_PAGE_SHIFT_SHIFT;
	monitor_init();

	state(OWN_DOMAIN, LITEMRC_POWER_STATE_POWER_DOWN);
	state(OWN_DOMAIN, LITEMRC_POWER_STATE_AWAKE);
	state(0, LITEMRC_POWER_STATE_POWER_DOWN);
	state(4, LITEMRC_POWER_STATE_POWER_DOWN);
	state(0, LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL);
	loss(OWN_DOMAIN);
	loss(0);
	state(0, LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL);
	ranks_set_live(1, 1);	/* a page of rank 0 becomes live: the permission is revoked */
	state(0, LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL);
	loss(0);
	loss(1);
	return 0;
}
