// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bodies that attract each other: each thread reads the positions of all bodies and moves its own. Run: bodies THREADS [ROUNDS]
 */
#include "team.h"

#include <math.h>

enum { BODIES = 512 };

struct vector {
	double x, y, z;
};

static struct vector *place, *speed;

static struct vector pull(int on)
{
	struct vector sum = {0, 0, 0}, here = place[on];

	for (int i = 0; i < BODIES; i++) {
		struct vector away = {place[i].x - here.x, place[i].y - here.y, place[i].z - here.z};
		double squared = away.x * away.x + away.y * away.y + away.z * away.z + 0.01;
		double weight = 1 / (squared * sqrt(squared));

		sum.x += away.x * weight;
		sum.y += away.y * weight;
		sum.z += away.z * weight;
	}
	return sum;
}

static void work(int me, int rounds)
{
	const double step = 1e-4;

	for (int i = first_of(me, BODIES); i < first_of(me + 1, BODIES); i++) {
		place[i] = (struct vector){i % 8, i / 8 % 8, i / 64 + 0.1 * (i % 3)};
		speed[i] = (struct vector){0, 0, 0};
	}
	meet();
	for (int round = 0; round < rounds; round++) {
		for (int i = first_of(me, BODIES); i < first_of(me + 1, BODIES); i++) {
			struct vector force = pull(i);

			speed[i].x += step * force.x;
			speed[i].y += step * force.y;
			speed[i].z += step * force.z;
		}
		meet();
		for (int i = first_of(me, BODIES); i < first_of(me + 1, BODIES); i++) {
			place[i].x += step * speed[i].x;
			place[i].y += step * speed[i].y;
			place[i].z += step * speed[i].z;
		}
		meet();
	}
}

int main(int argc, char **argv)
{
	place = allocate(BODIES * sizeof(*place));
	speed = allocate(BODIES * sizeof(*speed));
	return run_team(argc, argv, work);
}
