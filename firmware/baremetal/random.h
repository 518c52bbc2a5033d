/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LITEMRC_RANDOM_H
#define LITEMRC_RANDOM_H

#include <stdint.h>

/* Marsaglia's xorshift32; state must not be 0. */
static inline uint32_t random_next(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

#endif
