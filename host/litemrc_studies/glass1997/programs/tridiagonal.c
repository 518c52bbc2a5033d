// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for trygtsl (tridiagonal matrix calculation): one system of equations in four arrays of 5.3 MiB; elimination sweeps
 * them upwards, substitution downwards. Run: tridiagonal [STEPS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EQUATIONS = 700000 };

static double diagonal[EQUATIONS], upper[EQUATIONS], right[EQUATIONS], solution[EQUATIONS];

/* The coupling of an equation and the one before: conduction that depends on their temperatures. */
static double coupling(long row)
{
	return 0.4 * exp(-0.5 * (solution[row] + solution[row - 1]));
}

int main(int arguments, char **values)
{
	long steps = arguments > 1 ? atol(values[1]) : 4;

	for (long row = 0; row < EQUATIONS; row++)
		solution[row] = 0.5 + 0.5 * sin(row * 1e-4);
	for (long step = 0; step < steps; step++) {
		diagonal[0] = 1;
		upper[0] = 0;
		right[0] = solution[0];
		for (long row = 1; row < EQUATIONS; row++) {
			double below = coupling(row), above = row + 1 < EQUATIONS ? coupling(row + 1) : 0;
			double factor = below / diagonal[row - 1];

			diagonal[row] = 1 + below + above + factor * upper[row - 1];
			upper[row] = -above;
			right[row] = solution[row] + factor * right[row - 1];
		}
		for (long row = EQUATIONS - 1; row > 0; row--) {
			double next = row + 1 < EQUATIONS ? solution[row + 1] : 0;

			solution[row] = (right[row] - upper[row] * next) / diagonal[row];
			solution[row] += 1e-3 * exp(-solution[row]);
		}
	}
	printf("%g\n", solution[EQUATIONS / 2]);
}
