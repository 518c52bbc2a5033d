// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for fgm (finite growth model): a crystal grows in a lattice of 256 x 96 x 96 cells in two arrays of 9 MiB. Each step
 * sweeps both arrays within the planes that the crystal has reached, so that the sweeps get longer. Run: growth [STEPS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLANES = 256, ROWS = 96, COLUMNS = 96 };

typedef float lattice[PLANES][ROWS][COLUMNS];

static lattice heat, solid;

int main(int arguments, char **values)
{
	long steps = arguments > 1 ? atol(values[1]) : 12, highest = 60;

	for (int k = 0; k < PLANES; k++)
		for (int j = 0; j < ROWS; j++)
			for (int i = 0; i < COLUMNS; i++)
				heat[k][j][i] = -0.55f + 0.01f * sinf(0.1f * i * j);
	for (int j = 0; j < ROWS; j++)
		for (int i = 0; i < COLUMNS; i++)
			solid[0][j][i] = 1;
	for (long step = 0; step < steps; step++) {
		for (int k = 1; k < highest && k < PLANES - 1; k++)
			for (int j = 1; j < ROWS - 1; j++)
				for (int i = 1; i < COLUMNS - 1; i++) {
					float near = solid[k - 1][j][i] + solid[k + 1][j][i] + solid[k][j - 1][i] +
						     solid[k][j + 1][i] + solid[k][j][i - 1] + solid[k][j][i + 1];
					float phase = solid[k][j][i], cold = -heat[k][j][i];
					float grows = 0.1f * (near - 6 * phase) + phase * (1 - phase) * (phase - 0.5f + cold);

					phase += grows;
					phase = phase < 0 ? 0 : phase > 1 ? 1 : phase;
					heat[k][j][i] += 0.8f * (phase - solid[k][j][i]) +
							 0.1f * (heat[k - 1][j][i] + heat[k + 1][j][i] + heat[k][j - 1][i] +
								 heat[k][j + 1][i] - 4 * heat[k][j][i]);
					solid[k][j][i] = phase;
				}
		highest += 16; /* as many planes as a front passes between two steps that are simulated */
	}
	printf("%g\n", heat[8][8][8]);
}
