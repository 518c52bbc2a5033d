// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for turb3d (turbulence simulation): Fourier transforms of four fields of 64 x 64 x 64 complex numbers, in each of
 * three directions: along rows, across rows of a plane, across planes. Run: turbulence [STEPS]
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, FIELDS = 4 };

typedef double complex field[SIDE][SIDE][SIDE];

static field fields[FIELDS];
static double complex roots[2][SIDE / 2];

/* Transform SIDE numbers `stride` apart, forwards or back. */
static void transform(double complex *line, long stride, int back)
{
	double complex a[SIDE];

	for (int i = 0, j = 0; i < SIDE; i++) { /* in the order of reversed bits */
		a[j] = line[i * stride];
		for (int bit = SIDE / 2; (j ^= bit) < bit && bit; bit /= 2)
			;
	}
	for (int half = 1; half < SIDE; half *= 2)
		for (int i = 0; i < SIDE; i += 2 * half)
			for (int k = 0; k < half; k++) {
				double complex w = roots[back][k * (SIDE / 2 / half)], x = a[i + k + half];
				double complex turned = CMPLX(creal(w) * creal(x) - cimag(w) * cimag(x),
							      creal(w) * cimag(x) + cimag(w) * creal(x));

				a[i + k + half] = a[i + k] - turned;
				a[i + k] += turned;
			}
	for (int i = 0; i < SIDE; i++)
		line[i * stride] = a[i];
}

static void transform_field(field of, int back)
{
	for (int z = 0; z < SIDE; z++)
		for (int y = 0; y < SIDE; y++)
			transform(&of[z][y][0], 1, back);
	for (int z = 0; z < SIDE; z++)
		for (int x = 0; x < SIDE; x++)
			transform(&of[z][0][x], SIDE, back);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			transform(&of[0][y][x], SIDE * SIDE, back);
}

int main(int arguments, char **values)
{
	long steps = arguments > 1 ? atol(values[1]) : 1;
	double complex *all = &fields[0][0][0][0];

	for (int k = 0; k < SIDE / 2; k++) {
		roots[0][k] = cexp(-2 * M_PI * I * k / SIDE);
		roots[1][k] = conj(roots[0][k]);
	}
	for (long i = 0; i < (long)FIELDS * SIDE * SIDE * SIDE; i++)
		all[i] = sin(i * 0.37) + I * cos(i * 0.11);
	for (long step = 0; step < steps; step++)
		for (int f = 0; f < FIELDS; f++) {
			transform_field(fields[f], 0);
			for (long i = 0; i < SIDE * SIDE * SIDE; i++)
				(&fields[f][0][0][0])[i] *= 0.99 / (SIDE * SIDE * SIDE);
			transform_field(fields[f], 1);
		}
	printf("%g\n", creal(all[1]));
}
