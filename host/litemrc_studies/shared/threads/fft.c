// SPDX-License-Identifier: BSD-2-Clause
/*
 * A fast Fourier transform in six steps, as in SPLASH-2: threads own rows of a matrix, transform
 * their own, and fetch columns of all others in transpositions. Run: fft THREADS [ROUNDS]
 */
#include "team.h"

#include <complex.h>
#include <math.h>

enum { SIDE = 128 };

static double complex *source, *target, *roots; /* SIDE x SIDE; SIDE */

static void transpose(int me, double complex *to, const double complex *from)
{
	for (int row = first_of(me, SIDE); row < first_of(me + 1, SIDE); row++)
		for (int column = 0; column < SIDE; column++)
			to[row * SIDE + column] = from[column * SIDE + row];
}

static void transform(double complex *row)
{
	for (int i = 1, j = 0; i < SIDE; i++) {
		int bit = SIDE / 2;

		for (; j & bit; bit /= 2)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			double complex other = row[i];

			row[i] = row[j];
			row[j] = other;
		}
	}
	for (int half = 1; half < SIDE; half *= 2)
		for (int begin = 0; begin < SIDE; begin += 2 * half)
			for (int i = 0; i < half; i++) {
				double complex upper = row[begin + i];
				double complex lower = row[begin + half + i] * roots[i * (SIDE / 2 / half)];

				row[begin + i] = upper + lower;
				row[begin + half + i] = upper - lower;
			}
}

static void prepare(int me)
{
	for (int i = first_of(me, SIDE) * SIDE; i < first_of(me + 1, SIDE) * SIDE; i++) {
		source[i] = i % 17;
		target[i] = 0;
	}
	if (me == 0)
		for (int i = 0; i < SIDE; i++)
			roots[i] = cexp(-2 * M_PI * I * i / SIDE);
}

static void work(int me, int rounds)
{
	prepare(me);
	meet();
	for (int round = 0; round < rounds; round++) {
		transpose(me, target, source);
		meet();
		for (int row = first_of(me, SIDE); row < first_of(me + 1, SIDE); row++)
			transform(&target[row * SIDE]);
		meet();
		transpose(me, source, target);
		meet();
		for (int row = first_of(me, SIDE); row < first_of(me + 1, SIDE); row++)
			transform(&source[row * SIDE]);
		meet();
	}
}

int main(int argc, char **argv)
{
	source = allocate(SIDE * SIDE * sizeof(*source));
	target = allocate(SIDE * SIDE * sizeof(*target));
	roots = allocate(SIDE * sizeof(*roots));
	return run_team(argc, argv, work);
}
