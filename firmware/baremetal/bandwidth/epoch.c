// SPDX-License-Identifier: BSD-2-Clause
#include "epoch.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <hw/common.h>
#include <libbase/uart.h>
#include <stdio.h>

#include "litemrc_regs.h"

#define FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)

static uint32_t monitor_read(uint32_t offset)
{
	return csr_read_simple(CSR_MRC_BASE + offset);
}

static void monitor_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_MRC_BASE + offset);
}

/* The window's words of DRAM commands. */
static const volatile uint32_t *dram_words(void)
{
	uint32_t word = monitor_read(LITEMRC_CAPABILITIES), stack = monitor_read(LITEMRC_STACK_CAPABILITIES);
	uint32_t groups = 1u << FIELD(word, CAPABILITIES_GROUPS_LOG2);
	uint32_t contexts = 1u << FIELD(word, CAPABILITIES_CONTEXTS_LOG2);
	uint32_t frames = 1u << FIELD(word, CAPABILITIES_FRAMES_LOG2);
	uint32_t bitmap = stack & LITEMRC_STACK_CAPABILITIES_PAGE_BITMAP ? LITEMRC_BITMAP_WORDS(frames) : 0;
	uint32_t hot_log2 = FIELD(stack, STACK_CAPABILITIES_HOT_PAGES_LOG2);
	uint32_t hot = hot_log2 ? LITEMRC_HOT_PAGE_WORDS << hot_log2 : 0;

	return (const volatile uint32_t *)MRC_WINDOW_BASE + LITEMRC_WINDOW_DRAM(groups, contexts, bitmap, hot);
}

static void end_running(void)
{
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	while (!(monitor_read(LITEMRC_STATUS) & LITEMRC_STATUS_EPOCH_READY))
		;
}

static void release(void)
{
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_RELEASE);
}

void epoch_init(void)
{
	monitor_write(LITEMRC_EPOCH_LENGTH, 0);
	monitor_write(LITEMRC_CONTROL, LITEMRC_CONTROL_HOLD | LITEMRC_CONTROL_ENABLE);
	release();
}

void epoch_begin(void)
{
	uart_sync();
	end_running();
	release();
}

struct epoch epoch_end(void)
{
	const volatile uint32_t *words = dram_words();
	uint32_t banks = FIELD(monitor_read(LITEMRC_DRAM_CAPABILITIES), DRAM_CAPABILITIES_BANKS);
	struct epoch epoch = {0};

	end_running();
	epoch.cycles = words[LITEMRC_DRAM_CYCLES];
	epoch.refreshes = words[LITEMRC_DRAM_REFRESHES];
	words += LITEMRC_DRAM_HEAD_WORDS;
	for (; banks > 0; banks--, words += LITEMRC_DRAM_BANK_WORDS) {
		const volatile struct litemrc_bank *bank = (const volatile struct litemrc_bank *)words;

		epoch.banks.reads += bank->reads;
		epoch.banks.writes += bank->writes;
		epoch.banks.row_hits += bank->row_hits;
		epoch.banks.activates += bank->activates;
		epoch.banks.row_conflicts += bank->row_conflicts;
	}
	release();
	return epoch;
}

void epoch_print(const struct epoch *epoch)
{
	const struct litemrc_bank *banks = &epoch->banks;

	printf("%lu %lu %lu %lu %lu %lu %lu\n", (unsigned long)epoch->cycles, (unsigned long)banks->reads,
	       (unsigned long)banks->writes, (unsigned long)banks->row_hits, (unsigned long)banks->activates,
	       (unsigned long)banks->row_conflicts, (unsigned long)epoch->refreshes);
}
