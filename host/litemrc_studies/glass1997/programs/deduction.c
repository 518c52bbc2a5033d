// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for coral (deductive database). It derives which nodes of a graph are reachable from which, each round from the
 * facts of the last one; a binary tree (a treap) holds all facts. Run: deduction [NODES] [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 3, KEY = 19 /* characters */ };

struct fact {
	struct fact *below[2], *next; /* next: of the same round */
	unsigned int priority;
	char term[96]; /* "path(from,to)", its key, and what it was derived by */
};

static struct fact *root, *derived, **last_derived = &derived;
static unsigned int seed = 1;
static long facts;

static struct fact *insert(struct fact *at, const char *term)
{
	int side, order;

	if (!at) {
		at = calloc(1, sizeof(*at));
		strcpy(at->term, term);
		at->priority = seed = seed * 1664525 + 1013904223;
		*last_derived = at;
		last_derived = &at->next;
		facts++;
		return at;
	}
	order = strncmp(term, at->term, KEY);
	if (!order)
		return at;
	side = order > 0;
	at->below[side] = insert(at->below[side], term);
	if (at->below[side]->priority > at->priority) {
		struct fact *up = at->below[side];

		at->below[side] = up->below[!side];
		up->below[!side] = at;
		return up;
	}
	return at;
}

static void derive(int from, int to, int by)
{
	char term[96];

	snprintf(term, sizeof(term), "path(%06d,%06d) :- path(%06d,%06d), edge(%06d,%06d)", from, to, from, by, by, to);
	root = insert(root, term);
}

int main(int arguments, char **values)
{
	int nodes = arguments > 1 ? atoi(values[1]) : 1500, rounds = arguments > 2 ? atoi(values[2]) : 4;

	for (int i = 0; i < nodes; i++) { /* in no order */
		int node = i * 1013L % nodes;

		derive(node, node, node);
	}
	for (int round = 0; round < rounds; round++) {
		struct fact *of_last = derived;

		derived = NULL;
		last_derived = &derived;
		for (; of_last; of_last = of_last->next) {
			int from, to;

			sscanf(of_last->term, "path(%d,%d)", &from, &to);
			for (int edge = 0; edge < DEGREE; edge++) /* near nodes, and a far one */
				derive(from, (edge ? to + 7 * edge : to * 31 + 11) % nodes, to);
		}
	}
	printf("%ld facts\n", facts);
}
