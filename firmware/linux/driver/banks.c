// SPDX-License-Identifier: GPL-2.0
/* The DRAM's commands of an epoch: from the end of the window into the record. */
#include "litemrc.h"

static_assert(sizeof(struct litemrc_bank) == LITEMRC_DRAM_BANK_WORDS * sizeof(u32));

/* The first word of them in the window. */
static u32 litemrc_banks_first_word(const struct litemrc_parameters *parameters)
{
	u32 bitmap = parameters->page_bitmap ? LITEMRC_BITMAP_WORDS(parameters->frames) : 0;

	return LITEMRC_WINDOW_DRAM(parameters->groups, parameters->contexts, bitmap,
				   LITEMRC_HOT_PAGE_WORDS * parameters->hot_pages);
}

/* Words of the window with all its parts. */
u32 litemrc_window_end(const struct litemrc_parameters *parameters)
{
	u32 banks = parameters->banks * LITEMRC_DRAM_BANK_WORDS;

	return litemrc_banks_first_word(parameters) + (banks ? LITEMRC_DRAM_HEAD_WORDS + banks : 0);
}

static void litemrc_banks_fill_head(struct litemrc *mon, struct litemrc_epoch *record)
{
	u32 words[LITEMRC_DRAM_QUEUE_PEAK + 1];

	mon->ops->window(mon->io, litemrc_banks_first_word(&mon->parameters), words, ARRAY_SIZE(words));
	record->flags |= LITEMRC_EPOCH_DRAM_ROWS;
	record->cycles = words[LITEMRC_DRAM_CYCLES] | (u64)words[LITEMRC_DRAM_CYCLES_HIGH] << 32;
	record->refreshes = words[LITEMRC_DRAM_REFRESHES];
	record->refresh_cycles = mon->parameters.refresh_cycles;
	record->queue_peak = words[LITEMRC_DRAM_QUEUE_PEAK];
}

/* Without rows a bank's words behind reads and writes have no meaning: they stay 0. */
void litemrc_banks_fill(struct litemrc *mon, struct litemrc_epoch *record)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 words = parameters->rows_observed ? offsetof(struct litemrc_bank, reserved) :
						offsetof(struct litemrc_bank, row_hits);
	u32 first = litemrc_banks_first_word(parameters) + LITEMRC_DRAM_HEAD_WORDS;
	u32 bank;

	if (parameters->rows_observed)
		litemrc_banks_fill_head(mon, record);
	for (bank = 0; bank < parameters->banks; bank++)
		mon->ops->window(mon->io, first + bank * LITEMRC_DRAM_BANK_WORDS,
				 &litemrc_record_bank(record, bank)->reads, words / sizeof(u32));
}
