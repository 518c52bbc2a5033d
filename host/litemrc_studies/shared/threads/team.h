/* SPDX-License-Identifier: BSD-2-Clause */
/* A team of threads, including the main thread, that do the same work on parts of the data. */
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int team = 1, team_rounds = 1;
static pthread_barrier_t team_barrier;
static void (*team_work)(int me, int rounds);

/* Index of the first of `count` items that a thread owns. */
static inline int first_of(int me, int count) { return (int)((long)count * me / team); }

static inline void meet(void) { pthread_barrier_wait(&team_barrier); }

/* Aligned to 16 KB, the largest page of interest, so that parts begin at pages. */
static inline void *allocate(size_t bytes)
{
	void *memory = NULL;

	if (posix_memalign(&memory, 16384, bytes))
		exit(1);
	return memory;
}

static void *team_member(void *number)
{
	team_work((int)(long)number, team_rounds);
	return NULL;
}

/* Arguments: threads, and rounds. */
static int run_team(int argc, char **argv, void (*work)(int me, int rounds))
{
	pthread_t threads[1024];

	team = argc > 1 ? atoi(argv[1]) : 1;
	team_rounds = argc > 2 ? atoi(argv[2]) : 1;
	team_work = work;
	if (team < 1 || team > 1024 || team_rounds < 1) {
		fprintf(stderr, "usage: %s THREADS [ROUNDS]\n", argv[0]);
		return 2;
	}
	pthread_barrier_init(&team_barrier, NULL, (unsigned)team);
	for (long i = 1; i < team; i++)
		if (pthread_create(&threads[i], NULL, team_member, (void *)i))
			return 1;
	work(0, team_rounds);
	for (int i = 1; i < team; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
