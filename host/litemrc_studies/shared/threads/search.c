// SPDX-License-Identifier: BSD-2-Clause
/*
 * Shortest paths through a random graph from many starts, as a recogniser searches a lattice: threads take
 * starts from a shared counter, read the constant graph, and write results into a shared table of best results
 * that all threads read before they continue. Run: search THREADS [ROUNDS]
 */
#include "team.h"

#include <string.h>

enum { NODES = 4096, EDGES = 6, STEPS = 96, STARTS = 24, WIDTH = 8 };

struct node {
	int next[EDGES], cost[EDGES];
};

static struct node *graph;
static int *best; /* lowest cost of each node so far, from any start */
static int *taken;
static pthread_mutex_t *lock;

static unsigned draw(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void build(int me)
{
	unsigned state = (unsigned)me + 1;

	for (int i = first_of(me, NODES); i < first_of(me + 1, NODES); i++) {
		for (int edge = 0; edge < EDGES; edge++) {
			/* Most edges lead to nodes nearby: a search stays in one part of the graph for some time. */
			int far = draw(&state) % 16 == 0;

			graph[i].next[edge] = (i + (int)(draw(&state) % (far ? NODES : 64))) % NODES;
			graph[i].cost[edge] = 1 + (int)(draw(&state) % 9);
		}
		best[i] = 1 << 20;
	}
	if (me == 0)
		*taken = 0;
}

static void search(int start, unsigned *state)
{
	int at = start, cost = 0;

	for (int step = 0; step < STEPS; step++) {
		int chosen = 0, least = 1 << 30;

		for (int edge = 0; edge < EDGES; edge++) {
			int estimate = graph[at].cost[edge] + best[graph[at].next[edge]] % 64;

			if (estimate < least || draw(state) % WIDTH == 0) {
				least = estimate;
				chosen = edge;
			}
		}
		cost += graph[at].cost[chosen];
		at = graph[at].next[chosen];
		if (cost < best[at])
			best[at] = cost;
	}
}

static void work(int me, int rounds)
{
	unsigned state = 77u * (unsigned)me + 5;

	build(me);
	meet();
	for (;;) {
		int start;

		pthread_mutex_lock(lock);
		start = (*taken)++;
		pthread_mutex_unlock(lock);
		if (start >= rounds * STARTS)
			return;
		for (int again = 0; again < STARTS; again++)
			search(start * 613 % NODES, &state);
	}
}

int main(int argc, char **argv)
{
	graph = allocate(NODES * sizeof(*graph));
	best = allocate(NODES * sizeof(*best));
	taken = allocate(sizeof(*taken));
	lock = allocate(sizeof(*lock));
	pthread_mutex_init(lock, NULL);
	return run_team(argc, argv, work);
}
