// SPDX-License-Identifier: BSD-2-Clause
/*
 * Heat in a plate: each point becomes the mean of its neighbours, red and black points in turn; threads own
 * rows. After each round all threads read the total change, one sum under a lock. Run: ocean THREADS
 * [ROUNDS]
 */
#include "team.h"

#include <math.h>

enum { SIDE = 258, INSIDE = SIDE - 2 };

static double *plate; /* SIDE x SIDE, with a fixed rim */
static double *change; /* a sum, by round */
static pthread_mutex_t *lock;

static double relax(int me, int colour)
{
	double changed = 0;

	for (int row = 1 + first_of(me, INSIDE); row < 1 + first_of(me + 1, INSIDE); row++)
		for (int column = 1 + (row + colour) % 2; column < SIDE - 1; column += 2) {
			double *at = &plate[row * SIDE + column];
			double mean = (at[-SIDE] + at[SIDE] + at[-1] + at[1]) / 4;

			changed += fabs(mean - *at);
			*at = mean;
		}
	return changed;
}

static void work(int me, int rounds)
{
	for (int row = first_of(me, SIDE); row < first_of(me + 1, SIDE); row++)
		for (int column = 0; column < SIDE; column++)
			plate[row * SIDE + column] = row == 0 ? 100 : 0;
	if (me == 0)
		for (int round = 0; round < rounds; round++)
			change[round] = 0;
	meet();
	for (int round = 0; round < rounds; round++) {
		double changed = relax(me, 0);

		meet();
		changed += relax(me, 1);
		pthread_mutex_lock(lock);
		change[round] += changed;
		pthread_mutex_unlock(lock);
		meet();
		if (change[round] < 1e-9)
			return;
	}
}

int main(int argc, char **argv)
{
	plate = allocate(SIDE * SIDE * sizeof(*plate));
	change = allocate(4096 * sizeof(*change));
	lock = allocate(sizeof(*lock));
	pthread_mutex_init(lock, NULL);
	return run_team(argc, argv, work);
}
