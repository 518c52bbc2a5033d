// SPDX-License-Identifier: BSD-2-Clause
#include "kernels.h"

#include <stddef.h>
#include <string.h>

#include "random.h"

#define WORDS (ARRAY_BYTES / 4)
#define LINES (ARRAY_BYTES / LINE_BYTES)
#define LINE_WORDS (LINE_BYTES / 4)

/* volatile: each load and store is done, in this order. */
static volatile uint32_t *const first = (volatile uint32_t *)FIRST_ARRAY;
static volatile uint32_t *const second = (volatile uint32_t *)SECOND_ARRAY;
static volatile uint32_t *const third = (volatile uint32_t *)THIRD_ARRAY;

static void run_read(void)
{
	for (uint32_t i = 0; i < WORDS; i += 4) {
		first[i];
		first[i + 1];
		first[i + 2];
		first[i + 3];
	}
}

static void run_memset(void)
{
	memset((void *)FIRST_ARRAY, 0x5a, ARRAY_BYTES);
}

static void run_memcpy(void)
{
	memcpy((void *)SECOND_ARRAY, (const void *)FIRST_ARRAY, ARRAY_BYTES);
}

static void run_copy(void)
{
	for (uint32_t i = 0; i < WORDS; i++)
		second[i] = first[i];
}

static void run_triad(void)
{
	for (uint32_t i = 0; i < WORDS; i++)
		third[i] = first[i] + 3 * second[i];
}

static void run_random(void)
{
	uint32_t state = RANDOM_SEED;

	for (uint32_t i = 0; i < RANDOM_LOADS; i++)
		first[random_next(&state) % (RANDOM_BYTES / 4)];
}

/* Sattolo's shuffle: the first words of all lines form one single cycle. */
static void prepare_chase(void)
{
	uint32_t state = RANDOM_SEED;

	for (uint32_t line = 0; line < LINES; line++)
		first[line * LINE_WORDS] = line;
	for (uint32_t last = LINES - 1; last > 0; last--) {
		uint32_t other = (random_next(&state) >> 8) % last;
		uint32_t next = first[last * LINE_WORDS];

		first[last * LINE_WORDS] = first[other * LINE_WORDS];
		first[other * LINE_WORDS] = next;
	}
}

static void run_chase(void)
{
	uint32_t line = 0;

	for (uint32_t i = 0; i < LINES; i++)
		line = first[line * LINE_WORDS];
}

const struct kernel kernels[] = {
	{"read", ARRAY_BYTES, 0, NULL, run_read},
	{"memset", 0, ARRAY_BYTES, NULL, run_memset},
	{"memcpy", ARRAY_BYTES, ARRAY_BYTES, NULL, run_memcpy},
	{"copy", ARRAY_BYTES, ARRAY_BYTES, NULL, run_copy},
	{"triad", 2 * ARRAY_BYTES, ARRAY_BYTES, NULL, run_triad},
	{"random", 4 * RANDOM_LOADS, 0, NULL, run_random},
	{"chase", 4 * LINES, 0, prepare_chase, run_chase},
};
const unsigned int kernel_count = sizeof(kernels) / sizeof(kernels[0]);
