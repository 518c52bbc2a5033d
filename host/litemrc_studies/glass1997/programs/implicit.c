// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for applu (five coupled partial differential equations): each step sweeps four large arrays upwards, then downwards.
 * Only interior rows are solved: 42 pages of each array, then the rows at the border are skipped. Run: implicit [STEPS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLANES = 20, ROWS = 36, COLUMNS = 128, EQUATIONS = 5 };

typedef double grid[PLANES][ROWS][COLUMNS][EQUATIONS];

static grid state, residual, forcing, diagonal;

/* Solve the equations of one point, which depend on its neighbours at a distance of `by` in each direction. */
static void solve(int k, int j, int i, int by)
{
	const double *above = residual[k + by][j][i], *beside = residual[k][j + by][i], *before = residual[k][j][i + by];
	double right[EQUATIONS];

	for (int m = 0; m < EQUATIONS; m++) {
		double sum = forcing[k][j][i][m];

		for (int l = 0; l < EQUATIONS; l++) {
			double couples = 0.01 * state[k][j][i][l] + (l == m);

			sum += 0.1 * couples * (above[l] + beside[l] + before[l]);
		}
		right[m] = sum / diagonal[k][j][i][m];
	}
	for (int m = 0; m < EQUATIONS; m++) {
		residual[k][j][i][m] = right[m];
		state[k][j][i][m] += 0.5 * right[m];
	}
}

int main(int arguments, char **values)
{
	long steps = arguments > 1 ? atol(values[1]) : 5;

	for (int k = 0; k < PLANES; k++)
		for (int j = 0; j < ROWS; j++)
			for (int i = 0; i < COLUMNS; i++)
				for (int m = 0; m < EQUATIONS; m++) {
					state[k][j][i][m] = residual[k][j][i][m] = 0.1 * sin(0.001 * (i + j + k));
					forcing[k][j][i][m] = 0.01 * cos(0.1 * m * i);
					diagonal[k][j][i][m] = 4;
				}
	for (long step = 0; step < steps; step++) {
		for (int k = 1; k < PLANES - 1; k++)
			for (int j = 1; j < ROWS - 1; j++)
				for (int i = 1; i < COLUMNS - 1; i++)
					solve(k, j, i, -1);
		for (int k = PLANES - 2; k > 0; k--)
			for (int j = ROWS - 2; j > 0; j--)
				for (int i = COLUMNS - 2; i > 0; i--)
					solve(k, j, i, 1);
	}
	printf("%g\n", state[PLANES / 2][ROWS / 2][COLUMNS / 2][0]);
}
