// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for swim (shallow water equations): fourteen arrays of 513 x 513 in single precision, of which each of three loops
 * sweeps seven to ten in parallel. Run: shallow [STEPS]
 */
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 513 };

typedef float array[SIDE][SIDE];

static array u, v, p, u_new, v_new, p_new, u_old, v_old, p_old, flux_u, flux_v, vorticity, height, stream;

static void begin(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			stream[i][j] = (i % 64) * (j % 96) * 1e-2f;
	for (int i = 0; i < SIDE - 1; i++)
		for (int j = 0; j < SIDE - 1; j++) {
			u[i][j] = u_old[i][j] = stream[i][j] - stream[i][j + 1];
			v[i][j] = v_old[i][j] = stream[i + 1][j] - stream[i][j];
			p[i][j] = p_old[i][j] = 50000 + stream[i][j];
		}
}

static void fluxes(void)
{
	for (int i = 1; i < SIDE; i++)
		for (int j = 1; j < SIDE; j++) {
			flux_u[i][j] = 0.5f * (p[i][j] + p[i - 1][j]) * u[i][j];
			flux_v[i][j] = 0.5f * (p[i][j] + p[i][j - 1]) * v[i][j];
			vorticity[i][j] = (4e-5f * (v[i][j] - v[i - 1][j]) - 4e-5f * (u[i][j] - u[i][j - 1])) /
					  (p[i - 1][j - 1] + p[i][j - 1] + p[i][j] + p[i - 1][j]);
			height[i - 1][j - 1] = p[i - 1][j - 1] + 0.25f * (u[i][j - 1] * u[i][j - 1] + v[i - 1][j] * v[i - 1][j]);
		}
}

static void advance(float step)
{
	for (int i = 0; i < SIDE - 1; i++)
		for (int j = 0; j < SIDE - 1; j++) {
			u_new[i][j] = u_old[i][j] + step * (vorticity[i + 1][j + 1] + vorticity[i + 1][j]) *
				      (flux_v[i + 1][j + 1] + flux_v[i][j + 1] + flux_v[i][j] + flux_v[i + 1][j]) -
				      1e-5f * step * (height[i + 1][j] - height[i][j]);
			v_new[i][j] = v_old[i][j] - step * (vorticity[i + 1][j + 1] + vorticity[i][j + 1]) *
				      (flux_u[i + 1][j + 1] + flux_u[i + 1][j] + flux_u[i][j] + flux_u[i][j + 1]) -
				      1e-5f * step * (height[i][j + 1] - height[i][j]);
			p_new[i][j] = p_old[i][j] - 1e-5f * step * (flux_u[i + 1][j] - flux_u[i][j]) -
				      1e-5f * step * (flux_v[i][j + 1] - flux_v[i][j]);
		}
}

static void filter(array old, array now, array new)
{
	for (int j = 0; j < SIDE; j++)
		now[0][j] = new[0][j];
	for (int i = 1; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			old[i][j] = now[i][j] + 1e-3f * (new[i][j] - 2 * now[i][j] + old[i][j]);
			now[i][j] = new[i][j];
		}
}

int main(int arguments, char **values)
{
	long steps = arguments > 1 ? atol(values[1]) : 8;

	begin();
	for (long step = 0; step < steps; step++) {
		fluxes();
		advance(1e-3f);
		filter(u_old, u, u_new);
		filter(v_old, v, v_new);
		filter(p_old, p, p_new);
	}
	printf("%g %g %g\n", u[9][9], v[9][9], p[9][9]);
}
