// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for es (microstructure electrostatics): passes over one large region, upwards. Every element is a boundary element;
 * its charge relaxes by the nearest ones, as the far ones contribute a mean. Run: electrostatics [MIB] [PASSES]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEAR = 8 };

struct element {
	double position[3], charge;
};

int main(int arguments, char **values)
{
	long size = (arguments > 1 ? atol(values[1]) : 16) << 20, passes = arguments > 2 ? atol(values[2]) : 8;
	long elements = size / sizeof(struct element);
	struct element *of = malloc(size);
	double mean = 1;

	for (long i = 0; i < elements; i++)
		of[i] = (struct element){ { cos(i), sin(i), i * 1e-3 }, 1 };
	for (long pass = 1; pass < passes; pass++) {
		double sum = 0;

		for (long i = NEAR; i < elements; i++) {
			double potential = mean;

			for (long j = i - NEAR; j < i; j++) {
				double x = of[i].position[0] - of[j].position[0], y = of[i].position[1] - of[j].position[1];
				double z = of[i].position[2] - of[j].position[2];

				potential += of[j].charge / sqrt(x * x + y * y + z * z);
			}
			of[i].charge += 0.1 * (1 - potential);
			sum += of[i].charge;
		}
		mean = sum / elements;
	}
	printf("%g\n", mean);
}
