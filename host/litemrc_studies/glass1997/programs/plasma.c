// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for wave5 (plasma simulation): four arrays of 420,000 particles are swept in parallel, and each particle refers to
 * the cell of its place in three grids of 512 KiB. Run: plasma [STEPS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTICLES = 420000, SIDE = 256 };

typedef double grid[SIDE][SIDE];

static double x[PARTICLES], y[PARTICLES], speed_x[PARTICLES], speed_y[PARTICLES];
static grid charge, force_x, force_y;

static double wrap(double place)
{
	return place < 0 ? place + SIDE : place >= SIDE ? place - SIDE : place;
}

static void push(long i)
{
	int row = y[i], column = x[i];
	double up = y[i] - row, right = x[i] - column;
	int next_row = (row + 1) % SIDE, next_column = (column + 1) % SIDE;

	speed_x[i] += (1 - up) * force_x[row][column] + up * force_x[next_row][column];
	speed_y[i] += (1 - right) * force_y[row][column] + right * force_y[row][next_column];
	x[i] = wrap(x[i] + 0.9 * tanh(speed_x[i]));
	y[i] = wrap(y[i] + 0.9 * tanh(speed_y[i]));
	charge[(int)y[i]][(int)x[i]] += 1;
}

static void solve(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			force_x[i][j] = 1e-3 * (charge[i][(j + 1) % SIDE] - charge[i][(j + SIDE - 1) % SIDE]);
			force_y[i][j] = 1e-3 * (charge[(i + 1) % SIDE][j] - charge[(i + SIDE - 1) % SIDE][j]);
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			charge[i][j] = 0;
}

int main(int arguments, char **values)
{
	long steps = arguments > 1 ? atol(values[1]) : 6;
	unsigned int seed = 1;

	for (long i = 0; i < PARTICLES; i++) { /* at random in a stripe that moves with the number */
		seed = seed * 1664525 + 1013904223;
		x[i] = (seed >> 8) % (SIDE * 16) / 16.0;
		y[i] = wrap(i * (double)SIDE / PARTICLES + (seed >> 20) % 16);
		speed_x[i] = 0.1 * sin(i);
		speed_y[i] = 0.1 * cos(i);
	}
	for (long step = 0; step < steps; step++) {
		for (long i = 0; i < PARTICLES; i++)
			push(i);
		solve();
	}
	printf("%g %g\n", x[0], y[0]);
}
