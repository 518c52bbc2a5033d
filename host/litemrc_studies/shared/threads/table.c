// SPDX-License-Identifier: BSD-2-Clause
/*
 * A shared hash table with lookups and insertions, as in a server's cache: some keys are popular, chains at buckets are
 * under locks, entries lie in the memory of the thread that added them. Run: table THREADS [ROUNDS]
 */
#include "team.h"

enum { BUCKETS = 1024, LOCKS = 64, KEYS = 16384, ENTRIES = 16384, LOOKUPS = 1024 };

struct entry {
	unsigned key;
	int next; /* -1: the last */
	int used, value[5];
};

static struct entry *entries; /* each thread owns a part */
static int *bucket;
static pthread_mutex_t *locks;

static unsigned draw(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* The smaller of two draws is popular. */
static unsigned key_of(unsigned *state)
{
	unsigned one = draw(state) % KEYS, other = draw(state) % KEYS;

	return one < other ? one : other;
}

static int found(unsigned key)
{
	int at = bucket[key % BUCKETS];

	while (at >= 0 && entries[at].key != key)
		at = entries[at].next;
	return at;
}

static void work(int me, int rounds)
{
	unsigned state = 31u * (unsigned)me + 7;
	int free = first_of(me, ENTRIES), last = first_of(me + 1, ENTRIES);

	for (int i = first_of(me, BUCKETS); i < first_of(me + 1, BUCKETS); i++)
		bucket[i] = -1;
	for (int i = free; i < last; i++)
		entries[i].used = 0;
	if (me == 0)
		for (int i = 0; i < LOCKS; i++)
			pthread_mutex_init(&locks[i], NULL);
	meet();
	for (int i = 0; i < rounds * LOOKUPS; i++) {
		unsigned key = key_of(&state);
		pthread_mutex_t *lock = &locks[key % LOCKS];
		int at;

		pthread_mutex_lock(lock);
		at = found(key);
		if (at < 0 && free < last) {
			entries[free] = (struct entry){.key = key, .next = bucket[key % BUCKETS], .value = {1, 2, 3, 4, 5}};
			bucket[key % BUCKETS] = free++;
		} else if (at >= 0 && draw(&state) % 32 == 0) {
			entries[at].used++;
		}
		pthread_mutex_unlock(lock);
	}
}

int main(int argc, char **argv)
{
	entries = allocate(ENTRIES * sizeof(*entries));
	bucket = allocate(BUCKETS * sizeof(*bucket));
	locks = allocate(LOCKS * sizeof(*locks));
	return run_team(argc, argv, work);
}
