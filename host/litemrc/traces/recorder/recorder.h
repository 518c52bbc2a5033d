/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: records which thread reads and writes which words, in place of ThreadSanitizer's runtime.
 *
 * With -fsanitize=thread a compiler calls a function before each access to memory that another thread could
 * see; libtsan normally provides these functions. This runtime provides them instead and schedules threads in
 * turns: one thread runs at a time, for a number of accesses, then the next in the order of creation. So a
 * program gives the same trace in each run, and threads interleave like concurrent processors, with any number
 * of real processors. Blocking pthread calls are wrapped (ld --wrap): a waiting thread is skipped.
 *
 * turns.c: turns and records. compiler_calls.c: functions that the compiler calls, and copies. threads.c: the
 * wrapped pthread functions.
 */
#ifndef LITEMRC_RECORDER_H
#define LITEMRC_RECORDER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

#define THREADS 4096

struct thread {
	sem_t turn;
	const void *waits_for; /* NULL: ready */
	bool finished;
	pthread_t handle;
	void *(*function)(void *);
	void *argument;
};

extern struct thread threads[THREADS];
extern unsigned created; /* number of threads; the first is the main thread */
extern __thread unsigned self;

_Noreturn void fail(const char *what);

/* Gives the turn to the next ready thread; false: that is this thread. */
bool hand_over(void);
void await_turn(void);
void wait_for(const void *object);
void wake(const void *object);

void record(const volatile void *address, bool write);
void record_range(const volatile char *address, size_t bytes, bool write);

#endif
