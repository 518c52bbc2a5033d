/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs with known memory behaviour: arguments, pages, touches, time. */
#ifndef LITEMRC_PROGRAM_H
#define LITEMRC_PROGRAM_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define MAX_PAGES (1u << 18) /* 1 GB */
#define MAX_TURNS (1u << 20)
#define MAX_SLEEP_MS 1000000u

/* Returns argument i as a number, or the default if absent; exits with status 2 if it is out of range. */
static inline uint32_t number(int argc, char **argv, int i, uint32_t otherwise, uint32_t least, uint32_t most)
{
	unsigned long long value;
	char *end;

	if (i >= argc)
		return otherwise;
	errno = 0;
	value = strtoull(argv[i], &end, 10);
	if (errno || *end || end == argv[i] || argv[i][0] == '-' || value < least || value > most) {
		fprintf(stderr, "%s: argument %d is '%s', not a number from %u to %u\n", argv[0], i, argv[i], least, most);
		exit(2);
	}
	return value;
}

/* Returns zeroed, page-aligned memory; exits if there is none. */
static inline void *allocate(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("memory");
		exit(1);
	}
	return memory;
}

static inline uint8_t *allocate_pages(uint32_t count)
{
	return allocate((size_t)count * PAGE_BYTES);
}

/* Writes and reads a word of a page, in a different cache line each turn, so that the access reaches the DRAM. */
static inline void touch(uint8_t *pages, uint32_t page, uint32_t turn)
{
	volatile uint32_t *word = (void *)(pages + (size_t)page * PAGE_BYTES + (page + turn) * LINE_BYTES % PAGE_BYTES);

	*word = turn; /* the write first: a new page then costs one page fault, not two */
	(void)*word;
}

static inline uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ull + now.tv_nsec / 1000;
}

static inline void sleep_for(uint32_t ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * 1000000l};

	if (ms)
		nanosleep(&pause, NULL);
}

/* Begin and length of each turn, in microseconds. They are written at the end only, so that writing delays no turn. */
struct turns {
	uint32_t count;
	struct turn {
		uint64_t start_us;
		uint32_t length_us;
	} *each;
};

static inline void end_turn(struct turns *turns, uint64_t start_us)
{
	turns->each[turns->count++] = (struct turn){start_us, now_us() - start_us};
}

/* Writes a line "START LENGTH" for each turn to the file named by argument i, if there is one. */
static inline void write_turns(const struct turns *turns, int argc, char **argv, int i)
{
	FILE *file;

	if (i >= argc)
		return;
	file = fopen(argv[i], "w");
	for (uint32_t turn = 0; file && turn < turns->count; turn++)
		fprintf(file, "%llu %u\n", (unsigned long long)turns->each[turn].start_us, turns->each[turn].length_us);
	if (!file || fclose(file)) {
		perror(argv[i]);
		exit(1);
	}
}

#endif
