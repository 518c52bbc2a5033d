// SPDX-License-Identifier: BSD-2-Clause
/*
 * Radix sort, as in SPLASH-2: each thread counts its keys' digits, reads the counts of all threads, and moves its
 * keys to their places, which may be anywhere. Run: sort THREADS [ROUNDS]
 */
#include "team.h"

enum { KEYS = 65536, BITS = 6, DIGITS = 1 << BITS, PASSES = 4 };

static unsigned *keys, *sorted;
static unsigned *counts; /* a row of DIGITS for each thread */

static void pass(int me, const unsigned *from, unsigned *to, int shift)
{
	unsigned place[DIGITS];
	unsigned below = 0;

	for (int digit = 0; digit < DIGITS; digit++)
		counts[me * DIGITS + digit] = 0;
	for (int i = first_of(me, KEYS); i < first_of(me + 1, KEYS); i++)
		counts[me * DIGITS + (from[i] >> shift) % DIGITS]++;
	meet();
	for (int digit = 0; digit < DIGITS; digit++)
		for (int thread = 0; thread < team; thread++) {
			if (thread == me)
				place[digit] = below;
			below += counts[thread * DIGITS + digit];
		}
	for (int i = first_of(me, KEYS); i < first_of(me + 1, KEYS); i++)
		to[place[(from[i] >> shift) % DIGITS]++] = from[i];
	meet();
}

static void work(int me, int rounds)
{
	unsigned state = 99u * (unsigned)me + 1;

	for (int round = 0; round < rounds; round++) {
		for (int i = first_of(me, KEYS); i < first_of(me + 1, KEYS); i++) {
			state = state * 1664525u + 1013904223u;
			keys[i] = state >> 8;
		}
		meet();
		for (int i = 0; i < PASSES; i++)
			pass(me, i % 2 ? sorted : keys, i % 2 ? keys : sorted, i * BITS);
	}
	for (int i = first_of(me, KEYS); i < first_of(me + 1, KEYS); i++)
		if (i && keys[i - 1] % (1 << (BITS * PASSES)) > keys[i] % (1 << (BITS * PASSES)))
			abort();
}

int main(int argc, char **argv)
{
	keys = allocate(KEYS * sizeof(*keys));
	sorted = allocate(KEYS * sizeof(*sorted));
	counts = allocate(1024 * DIGITS * sizeof(*counts));
	return run_team(argc, argv, work);
}
