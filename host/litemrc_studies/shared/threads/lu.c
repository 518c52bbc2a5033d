// SPDX-License-Identifier: BSD-2-Clause
/*
 * LU decomposition by blocks, as in SPLASH-2: threads own blocks in a checkerboard; in each step all threads read the row and
 * the column of blocks just finished, and write their own. Run: lu THREADS [ROUNDS]
 */
#include "team.h"

enum { SIDE = 128, BLOCK = 8, BLOCKS = SIDE / BLOCK };

typedef double block[BLOCK][BLOCK];

static block (*matrix)[BLOCKS]; /* each block is contiguous */

static int owner(int row, int column)
{
	return (row * 8 + column % 8) % team;
}

static void divide(block at, const block diagonal)
{
	for (int i = 0; i < BLOCK; i++)
		for (int k = 0; k < BLOCK; k++) {
			at[i][k] /= diagonal[k][k];
			for (int j = k + 1; j < BLOCK; j++)
				at[i][j] -= at[i][k] * diagonal[k][j];
		}
}

static void eliminate(block at, const block diagonal)
{
	for (int k = 0; k < BLOCK; k++)
		for (int i = k + 1; i < BLOCK; i++)
			for (int j = 0; j < BLOCK; j++)
				at[i][j] -= diagonal[i][k] * at[k][j];
}

static void multiply(block at, const block left, const block upper)
{
	for (int i = 0; i < BLOCK; i++)
		for (int j = 0; j < BLOCK; j++) {
			double sum = at[i][j];

			for (int k = 0; k < BLOCK; k++)
				sum -= left[i][k] * upper[k][j];
			at[i][j] = sum;
		}
}

static void factor(block at)
{
	for (int k = 0; k < BLOCK; k++)
		for (int i = k + 1; i < BLOCK; i++) {
			at[i][k] /= at[k][k];
			for (int j = k + 1; j < BLOCK; j++)
				at[i][j] -= at[i][k] * at[k][j];
		}
}

static void fill(int me)
{
	for (int row = 0; row < BLOCKS; row++)
		for (int column = 0; column < BLOCKS; column++)
			for (int i = 0; i < BLOCK * BLOCK && owner(row, column) == me; i++)
				matrix[row][column][i / BLOCK][i % BLOCK] =
					row == column && i / BLOCK == i % BLOCK ? 2 * SIDE : (i * 7 + row) % 13;
}

static void decompose(int me)
{
	for (int step = 0; step < BLOCKS; step++) {
		if (owner(step, step) == me)
			factor(matrix[step][step]);
		meet();
		for (int i = step + 1; i < BLOCKS; i++) {
			if (owner(i, step) == me)
				divide(matrix[i][step], matrix[step][step]);
			if (owner(step, i) == me)
				eliminate(matrix[step][i], matrix[step][step]);
		}
		meet();
		for (int row = step + 1; row < BLOCKS; row++)
			for (int column = step + 1; column < BLOCKS; column++)
				if (owner(row, column) == me)
					multiply(matrix[row][column], matrix[row][step], matrix[step][column]);
	}
}

static void work(int me, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		fill(me);
		meet();
		decompose(me);
		meet();
	}
}

int main(int argc, char **argv)
{
	matrix = allocate(sizeof(block) * BLOCKS * BLOCKS);
	return run_team(argc, argv, work);
}
