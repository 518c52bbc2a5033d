// SPDX-License-Identifier: BSD-2-Clause
/*
 * Turns of threads, and the records of their accesses.
 *
 * Each access is a 64-bit word on descriptor LITEMRC_RECORD_FD: address (44 bits), write (1), thread (19).
 * Addresses: static data from 0, heap from 2^40. Accesses to stacks are not recorded: they are thread-local.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAP ((uint64_t)1 << 40)
#define ALIGNMENT ((uintptr_t)1 << 16) /* of the begin of the heap, which varies between runs */
#define WRITE_BIT 44
#define THREAD_BIT 45
#define RECORDS (1 << 13)
#define RANGE_STEP 8 /* bytes of a copied range per access */

extern char __executable_start[], end[];

struct thread threads[THREADS];
unsigned created = 1;
__thread unsigned self;

static unsigned turn_accesses = 16, left;
static int descriptor = -1;
static uintptr_t heap;
static uint64_t records[RECORDS];
static unsigned held;
static bool recording;

void fail(const char *what)
{
	fprintf(stderr, "litemrc recorder: %s\n", what);
	_exit(125);
}

static void flush(void)
{
	const char *from = (const char *)records;
	size_t bytes = held * sizeof(records[0]);

	while (bytes && descriptor >= 0) {
		ssize_t written = write(descriptor, from, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			_exit(125); /* the reader has closed the pipe */
		from += written;
		bytes -= (size_t)written;
	}
	held = 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("LITEMRC_RECORD_FD"), *turn = getenv("LITEMRC_RECORD_TURN");

	descriptor = text ? atoi(text) : -1;
	turn_accesses = turn && atoi(turn) > 0 ? (unsigned)atoi(turn) : turn_accesses;
	left = turn_accesses;
	/* All allocations come from one heap, so that addresses are equal in each run. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	heap = ((uintptr_t)sbrk(0) | (ALIGNMENT - 1)) + 1;
	if (brk((void *)heap))
		fail("no heap");
	for (unsigned i = 0; i < THREADS; i++)
		sem_init(&threads[i].turn, 0, 0);
	recording = true;
	atexit(flush);
}

bool hand_over(void)
{
	for (unsigned step = 1; step <= created; step++) {
		unsigned next = (self + step) % created;

		if (threads[next].finished || threads[next].waits_for)
			continue;
		left = turn_accesses;
		if (next == self)
			return false;
		sem_post(&threads[next].turn);
		return true;
	}
	flush();
	fail("all threads wait for each other");
}

void await_turn(void)
{
	while (sem_wait(&threads[self].turn) && errno == EINTR)
		;
}

static void pass_turn(void)
{
	if (hand_over())
		await_turn();
}

void wait_for(const void *object)
{
	threads[self].waits_for = object;
	pass_turn();
}

void wake(const void *object)
{
	for (unsigned i = 0; i < created; i++)
		if (threads[i].waits_for == object)
			threads[i].waits_for = NULL;
}

void record(const volatile void *address, bool write)
{
	uintptr_t at = (uintptr_t)address;
	uint64_t place;

	if (!recording)
		return;
	if (at >= (uintptr_t)__executable_start && at < (uintptr_t)end)
		place = at - (uintptr_t)__executable_start;
	else if (at >= heap && at < (uintptr_t)sbrk(0))
		place = HEAP + (at - heap);
	else
		return;
	if (held == RECORDS)
		flush();
	records[held++] = place | (uint64_t)write << WRITE_BIT | (uint64_t)self << THREAD_BIT;
	if (!--left)
		pass_turn();
}

void record_range(const volatile char *address, size_t bytes, bool write)
{
	for (size_t at = 0; at < bytes; at += RANGE_STEP)
		record(address + at, write);
}
