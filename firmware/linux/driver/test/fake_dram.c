// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of DRAM commands: the value of each identifies its epoch, bank and
 * word.
 */
#include "litemrc_fake.h"

u32 fake_dram_capabilities(const struct fake *fake)
{
	if (!fake->banks)
		return 0;
	return fake->banks << LITEMRC_DRAM_CAPABILITIES_BANKS_SHIFT |
	       (fake->rows ? LITEMRC_DRAM_CAPABILITIES_ROWS : 0) |
	       FAKE_ACCESS_BYTES_LOG2
		       << LITEMRC_DRAM_CAPABILITIES_ACCESS_BYTES_LOG2_SHIFT |
	       FAKE_REFRESH_CYCLES
		       << LITEMRC_DRAM_CAPABILITIES_REFRESH_CYCLES_SHIFT;
}

u32 fake_dram_words(const struct fake *fake)
{
	return fake->banks ? LITEMRC_DRAM_HEAD_WORDS +
				     fake->banks * LITEMRC_DRAM_BANK_WORDS :
			     0;
}

/*
 * Words without a meaning have a value, too: the driver must not show it.
 * Caller holds @lock.
 */
u32 fake_dram_window(const struct fake *fake, u32 word)
{
	u32 epoch = fake->epoch - 1;
	u32 bank;

	if (word < LITEMRC_DRAM_HEAD_WORDS)
		return epoch * 1009 + word * 17 + 1;
	word -= LITEMRC_DRAM_HEAD_WORDS;
	bank = word / LITEMRC_DRAM_BANK_WORDS;
	word %= LITEMRC_DRAM_BANK_WORDS;
	/*
	 * No more row hits than accesses, and no more conflicts than ACTIVATEs.
	 */
	return epoch * 10007 + bank * 211 + LITEMRC_DRAM_BANK_WORDS - word;
}
