/* SPDX-License-Identifier: BSD-2-Clause */
/* The test of `memtest`, apart from the SoC: tests/firmware/memtest runs it on a faulty memory. */
#ifndef LITEMRC_MEMTEST_H
#define LITEMRC_MEMTEST_H

#include <stdint.h>

struct memtest_result {
	uint32_t wrong;		/* words read with another value, in both checks */
	uint32_t first;		/* number of the first one */
	uint32_t bits;		/* that differed in any word */
};

static inline uint32_t memtest_hash(uint32_t word)
{
	word *= 0x9e3779b1u;
	return word ^ word >> 15;
}

static inline void memtest_check(struct memtest_result *result, uint32_t word, uint32_t difference)
{
	if (!difference)
		return;
	if (!result->wrong++)
		result->first = word;
	result->bits |= difference;
}

static inline struct memtest_result memtest_words(volatile uint32_t *memory, uint32_t words)
{
	struct memtest_result result = {0, 0, 0};

	for (uint32_t word = 0; word < words; word++)
		memory[word] = memtest_hash(word);
	for (uint32_t word = 0; word < words; word++) {
		memtest_check(&result, word, memory[word] ^ memtest_hash(word));
		memory[word] = ~memtest_hash(word);
	}
	for (uint32_t word = 0; word < words; word++)
		memtest_check(&result, word, memory[word] ^ ~memtest_hash(word));
	return result;
}

#endif
