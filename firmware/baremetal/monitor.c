// SPDX-License-Identifier: BSD-2-Clause
#include "monitor.h"

#include <generated/soc.h>

#include "epochs.h"
#include "ranks.h"

#define FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)

static void settle(struct register_device *device)
{
	(void)device;
	epochs_keep_settings();
}

struct register_device registers = {.settle = settle};

void monitor_init(void)
{
	PARAMETERS->features = 1u << LITEMRC_FEATURE_LEASE;
#ifdef CSR_RANKS_BASE
	PARAMETERS->features |= 1u << LITEMRC_FEATURE_RANK_POWER;
	registers.live_pages = ranks_live_pages;
	registers.runs_from = ranks_runs_from;
	registers.dram_chips = CONFIG_DRAM_CHIPS;
	registers.dram_phases = CONFIG_DRAM_PHASES;
	registers.dram_part = CONFIG_DRAM_PART;
#endif
#ifdef CSR_REFS_BASE
	PARAMETERS->features |= 1u << LITEMRC_FEATURE_REF_COUNTERS | 1u << LITEMRC_FEATURE_TRAFFIC;
#endif
	registers_open(&registers);
	PARAMETERS->clock_hz = CONFIG_CLOCK_FREQUENCY;
	PARAMETERS->first_page = MAIN_RAM_BASE >> PARAMETERS->page_shift;
}

void monitor_control(uint32_t mask, uint32_t value)
{
	monitor_write(LITEMRC_CONTROL, (monitor_read(LITEMRC_CONTROL) & ~mask) | (value & mask));
}

void monitor_interrupts(uint32_t mask, uint32_t on)
{
	monitor_write(LITEMRC_EV_ENABLE, (monitor_read(LITEMRC_EV_ENABLE) & ~mask) | (on & mask));
}

static void wait_taken(void)
{
	while (monitor_status(LITEMRC_STATUS_COMMAND_PENDING))
		;
}

/*
 * The commands that may be written between two waits. One place in the command queue is left: the service's interrupt
 * may write a command in between, and waits for it.
 */
static uint32_t free_places(void)
{
	uint32_t stack = monitor_read(LITEMRC_STACK_CAPABILITIES);
	uint32_t commands = 1u << FIELD(stack, STACK_CAPABILITIES_COMMANDS_LOG2);

	return commands > 1 ? commands - 1 : 1;
}

void monitor_invalidate(uint32_t first, uint32_t count)
{
	uint32_t places = free_places();

	for (uint32_t i = 0; i < count; i++) {
		if (i % places == 0)
			wait_taken();
		monitor_write(LITEMRC_INVALIDATE, first + i);
	}
	wait_taken();
}

void monitor_claim(uint32_t first, uint32_t count, uint32_t context)
{
	const uint32_t most = LITEMRC_CLAIM_ORDER >> LITEMRC_CLAIM_ORDER_SHIFT;
	uint32_t places = free_places();

	for (uint32_t written = 0; count; written++) {
		uint32_t order = 0;

		while (order < most && count >> (order + 1))
			order++;
		if (written % places == 0)
			wait_taken();
		monitor_write(LITEMRC_CLAIM, first << LITEMRC_CLAIM_FRAME_SHIFT | context << LITEMRC_CLAIM_CONTEXT_SHIFT |
						     order << LITEMRC_CLAIM_ORDER_SHIFT);
		first += 1u << order;
		count -= 1u << order;
	}
	wait_taken();
}

uint32_t monitor_quieten(void)
{
	uint32_t control = monitor_read(LITEMRC_CONTROL);

	monitor_control(LITEMRC_CONTROL_ENABLE, 0);
	while (!monitor_status(LITEMRC_STATUS_IDLE))
		;
	return control;
}

void monitor_resume(uint32_t control)
{
	monitor_write(LITEMRC_CONTROL, control);
}
