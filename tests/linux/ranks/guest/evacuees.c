// SPDX-License-Identifier: BSD-2-Clause
/*
 * nodes evacuees ROUNDS PAGES: evacuates ranks 1, 2, 3 in turns while other processes write and check memory of every kind: private,
 * locked, shared, of a file in tmpfs, shared after a fork, and short-lived. Each page has a number that its owner also keeps, and a
 * checksum of all its bytes. In one round of 16 the owners run in the midst of an evacuation as often as the scheduler lets them; in
 * the others it has priority, so that many rounds take minutes. Prints counts of rounds, and "wrong N": pages that were not what their
 * owners wrote last.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes.h"

#define MONITOR "/sys/class/misc/litemrc0/"
#define RANK MONITOR "ranks/%d/%s"
#define KINDS 4
#define WORDS (PAGE / 4)

enum kind { PRIVATE, LOCKED, SHARED, TMPFS };

/* All words depend on number and place, so each lost or exchanged word shows. */
static void fill(uint32_t *page, uint32_t number, uint32_t place)
{
	for (uint32_t i = 0; i < WORDS; i++)
		page[i] = (number * 2654435761u) ^ (place * 40503u + i * 97u);
}

static int is_wrong(const uint32_t *page, uint32_t number, uint32_t place)
{
	for (uint32_t i = 0; i < WORDS; i++)
		if (page[i] != ((number * 2654435761u) ^ (place * 40503u + i * 97u)))
			return 1;
	return 0;
}

static uint32_t *map_kind(enum kind kind, size_t pages)
{
	int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char name[32];
	void *begin;

	if (kind == SHARED)
		flags = MAP_SHARED | MAP_ANONYMOUS;
	if (kind == TMPFS) {
		snprintf(name, sizeof(name), "/tmp/evacuees-%d", getpid());
		file = must(open(name, O_CREAT | O_RDWR, 0600), name);
		must(ftruncate(file, pages * PAGE), "ftruncate");
		unlink(name);
		flags = MAP_SHARED;
	}
	begin = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags, file, 0);
	must(begin == MAP_FAILED ? -1 : 0, "mmap");
	if (kind == LOCKED)
		must(mlock(begin, pages * PAGE), "mlock");
	return begin;
}

/* Maps, fills, checks and unmaps; the memory comes and goes during evacuations. */
static int churn(unsigned int *seed)
{
	size_t pages = 1 + rand_r(seed) % 64;
	uint32_t *begin = map_kind(PRIVATE, pages);
	int wrong = 0;

	for (size_t i = 0; i < pages; i++)
		fill(begin + i * WORDS, i, pages);
	for (size_t i = 0; i < pages; i++)
		wrong += is_wrong(begin + i * WORDS, i, pages);
	munmap(begin, pages * PAGE);
	return wrong;
}

static volatile sig_atomic_t ended;

static void end(int number)
{
	(void)number;
	ended = 1;
}

/* Until a signal comes; its exit status is whether a page was wrong. With a fork, the pages are shared copy-on-write for a while. */
static int work(enum kind kind, size_t pages)
{
	uint32_t *begin = map_kind(kind, pages), *number = calloc(pages, sizeof(*number));
	unsigned int seed = kind + 1;
	long wrong = 0, writes = 0;

	for (size_t i = 0; i < pages; i++)
		fill(begin + i * WORDS, 0, i);
	while (!ended) {
		size_t i = rand_r(&seed) % pages;

		wrong += is_wrong(begin + i * WORDS, number[i], i);
		fill(begin + i * WORDS, ++number[i], i);
		if (++writes % 64 == 0)
			wrong += churn(&seed);
		if (kind == PRIVATE && writes % 512 == 0 && !fork()) {
			for (size_t j = 0; j < pages; j++)
				wrong += is_wrong(begin + j * WORDS, number[j], j);
			_exit(!!wrong);
		} else if (kind == PRIVATE) {
			int status;

			while (waitpid(-1, &status, WNOHANG) > 0)
				wrong += !!status;
		}
	}
	for (size_t i = 0; i < pages; i++)
		wrong += is_wrong(begin + i * WORDS, number[i], i);
	for (int status; wait(&status) > 0;)
		wrong += !!status;
	return !!wrong;
}

/* 0 or the errno of a write to evacuate. */
static int set(int rank, const char *text)
{
	char path[64];
	int file, error = 0;

	snprintf(path, sizeof(path), RANK, rank, "evacuate");
	file = must(open(path, O_WRONLY), path);
	if (write(file, text, strlen(text)) < 0)
		error = errno;
	close(file);
	return error;
}

static long number_in(const char *path)
{
	FILE *file = fopen(path, "r");
	long number = -1;

	if (!file || fscanf(file, "%ld", &number) != 1)
		must(-1, path);
	fclose(file);
	return number;
}

static long get(int rank, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), RANK, rank, name);
	return number_in(path);
}

int run_evacuees(long rounds, long pages)
{
	static const char *const unmoved[] = {"evacuation/pinned", "evacuation/kernel", "evacuation/busy"};
	long held_by[4] = {0}; /* rounds with EBUSY and pages pinned, of the kernel, busy; or none any more */
	long closed = 0, reopened = 0, busy = 0, no_room = 0, moved = 0, us = 0, wrong = 0;
	long all = number_in(MONITOR "parameters/frames") / NODES;
	pid_t worker[KINDS];

	for (int kind = 0; kind < KINDS; kind++) {
		worker[kind] = must(fork(), "fork");
		if (!worker[kind]) {
			signal(SIGTERM, end);
			_exit(work(kind, pages / KINDS));
		}
	}
	for (long round = 0; round < rounds; round++) {
		int rank = 1 + round % (NODES - 1), error;
		long last[3];

		must(setpriority(PRIO_PROCESS, 0, round % 16 ? -20 : 0), "setpriority");
		error = set(rank, "1");
		if (!error) {
			long free_pages = get(rank, "free_pages");

			closed += free_pages == all;
			reopened += free_pages != all;
			moved += get(rank, "evacuation/moved");
			us += get(rank, "evacuation/microseconds");
		} else if (error == EBUSY) {
			busy++;
			for (int kind = 0; kind < 3; kind++) {
				last[kind] = get(rank, unmoved[kind]);
				held_by[kind] += last[kind] > 0;
			}
			held_by[3] += !(last[0] | last[1] | last[2]);
		} else if (error == ENOSPC) {
			no_room++;
		} else {
			printf("round %ld: %s\n", round, strerror(error));
			return 1;
		}
		usleep(1000); /* the owners run while the rank is closed */
		if (set(rank, "0"))
			return 1;
		if (round % 1000 == 999) {
			printf("round %ld\n", round + 1);
			fflush(stdout);
		}
	}
	for (int kind = 0; kind < KINDS; kind++) {
		int status;

		kill(worker[kind], SIGTERM);
		must(waitpid(worker[kind], &status, 0), "waitpid");
		wrong += !!status;
	}
	printf("busy_pinned %ld busy_kernel %ld busy_busy %ld busy_gone %ld ", held_by[0], held_by[1], held_by[2], held_by[3]);
	printf("closed %ld reopened %ld busy %ld no_room %ld moved %ld us %ld wrong %ld\n", closed, reopened, busy, no_room, moved, us,
	       wrong);
	return 0;
}
