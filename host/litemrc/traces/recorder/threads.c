/*
 * Records which thread reads and writes which words, in place of ThreadSanitizer's runtime.
 *
 * With -fsanitize=thread a compiler puts a call in front of each access to memory that another thread could
 * see; libtsan is what usually answers it. This answers instead, and lets threads take turns: one thread runs
 * at a time, for a number of accesses, then the next in the order of their creation. So a program makes the
 * same trace again each time, and threads are as interleaved as processors are that run side by side, however
 * few processors the machine has. Calls of pthreads that wait are wrapped (ld --wrap): a thread that waits is
 * passed over.
 *
 * Each access is a word of 64 bits on descriptor LITEMRC_RECORD_FD: address (44 bits), write (1), thread (19).
 * Addresses: static data from 0, heap from 2^40. Stacks are left out: they are a thread's own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4096
#define BARRIERS 64
#define HEAP ((uint64_t)1 << 40)
#define ALIGNMENT ((uintptr_t)1 << 16) /* of the heap's begin, which differs from run to run */
#define WRITE_BIT 44
#define THREAD_BIT 45
#define RECORDS (1 << 13)
#define RANGE_STEP 8 /* bytes of a copied range that are one access */

extern char __executable_start[], end[];

static struct thread {
	sem_t turn;
	const void *waits_for; /* NULL: it can run */
	bool finished;
	pthread_t handle;
	void *(*function)(void *);
	void *argument;
} threads[THREADS];

static struct barrier {
	const pthread_barrier_t *barrier;
	unsigned count, arrived;
	unsigned long generation;
} barriers[BARRIERS];

static unsigned created = 1; /* the first is the program's own */
static unsigned turn_accesses = 16, left;
static int descriptor = -1;
static uintptr_t heap;
static uint64_t records[RECORDS];
static unsigned held;
static bool recording;
static __thread unsigned self;

static void fail(const char *what)
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
			_exit(125); /* nobody reads any more */
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
	/* All that is allocated comes from one heap, so that addresses are the same in each run. */
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

/* The turn of the next thread that can run; false: it is this one. */
static bool hand_over(void)
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
	return false;
}

static void await_turn(void)
{
	while (sem_wait(&threads[self].turn) && errno == EINTR)
		;
}

static void pass_turn(void)
{
	if (hand_over())
		await_turn();
}

static void wait_for(const void *object)
{
	threads[self].waits_for = object;
	pass_turn();
}

static void wake(const void *object)
{
	for (unsigned i = 0; i < created; i++)
		if (threads[i].waits_for == object)
			threads[i].waits_for = NULL;
}

static void record(const volatile void *address, bool write)
{
	uintptr_t at = (uintptr_t)address;
	uint64_t told;

	if (!recording)
		return;
	if (at >= (uintptr_t)__executable_start && at < (uintptr_t)end)
		told = at - (uintptr_t)__executable_start;
	else if (at >= heap && at < (uintptr_t)sbrk(0))
		told = HEAP + (at - heap);
	else
		return;
	if (held == RECORDS)
		flush();
	records[held++] = told | (uint64_t)write << WRITE_BIT | (uint64_t)self << THREAD_BIT;
	if (!--left)
		pass_turn();
}

static void record_range(const volatile char *address, size_t bytes, bool write)
{
	for (size_t at = 0; at < bytes; at += RANGE_STEP)
		record(address + at, write);
}

/* What the compiler calls. */

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **object, void *value) { (void)value; record(object, true); }
void __tsan_vptr_read(void **object) { record(object, false); }
void __tsan_read_range(void *address, unsigned long bytes) { record_range(address, bytes, false); }
void __tsan_write_range(void *address, unsigned long bytes) { record_range(address, bytes, true); }

#define ACCESSES(n) \
	void __tsan_read##n(void *address) { record(address, false); } \
	void __tsan_write##n(void *address) { record(address, true); } \
	void __tsan_unaligned_read##n(void *address) { record(address, false); } \
	void __tsan_unaligned_write##n(void *address) { record(address, true); }
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)

#define FETCH(bits, type, name) \
	type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
	{ (void)order; record(at, true); return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST); }
#define EXCHANGE_IF(bits, type, kind) \
	int __tsan_atomic##bits##_compare_exchange_##kind(volatile type *at, type *expected, type value, int order, \
							  int failing) \
	{ (void)order; (void)failing; record(at, true); \
	  return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
#define ATOMICS(bits, type) \
	type __tsan_atomic##bits##_load(const volatile type *at, int order) \
	{ (void)order; record(at, false); return __atomic_load_n(at, __ATOMIC_SEQ_CST); } \
	void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
	{ (void)order; record(at, true); __atomic_store_n(at, value, __ATOMIC_SEQ_CST); } \
	type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
	{ (void)order; record(at, true); return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); } \
	FETCH(bits, type, add) FETCH(bits, type, sub) FETCH(bits, type, and) FETCH(bits, type, or) \
	FETCH(bits, type, xor) FETCH(bits, type, nand) \
	EXCHANGE_IF(bits, type, strong) EXCHANGE_IF(bits, type, weak) \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value, int order, \
							int failing) \
	{ __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, failing); return expected; }
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* What the program calls, and what it calls here (ld --wrap): copies, which no compiler tells of ... */

void *__real_memmove(void *, const void *, size_t);

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
	record_range(from, bytes, false);
	record_range(to, bytes, true);
	return __real_memmove(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes) { return __wrap_memcpy(to, from, bytes); }

void *__wrap_memset(void *to, int value, size_t bytes)
{
	volatile char *at = to;

	record_range(to, bytes, true);
	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)value;
	return to;
}

/* ... and threads. */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_join(pthread_t, void **);
int __real_pthread_mutex_unlock(pthread_mutex_t *);

static void *run_thread(void *argument)
{
	struct thread *thread = argument;
	void *result;

	self = (unsigned)(thread - threads);
	await_turn();
	result = thread->function(thread->argument);
	thread->finished = true;
	wake(thread);
	hand_over();
	return result;
}

int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *),
			  void *argument)
{
	struct thread *thread = &threads[created];
	int error;

	if (created == THREADS)
		fail("too many threads");
	thread->function = function;
	thread->argument = argument;
	error = __real_pthread_create(&thread->handle, attributes, run_thread, thread);
	if (error)
		return error;
	*handle = thread->handle;
	created++;
	return 0;
}

int __wrap_pthread_join(pthread_t handle, void **result)
{
	for (unsigned i = 1; i < created; i++)
		while (pthread_equal(threads[i].handle, handle) && !threads[i].finished)
			wait_for(&threads[i]);
	return __real_pthread_join(handle, result);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int error;

	record(mutex, true);
	while ((error = pthread_mutex_trylock(mutex)) == EBUSY)
		wait_for(mutex);
	return error;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int error = __real_pthread_mutex_unlock(mutex);

	record(mutex, true);
	wake(mutex);
	return error;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	__real_pthread_mutex_unlock(mutex);
	wake(mutex);
	wait_for(condition);
	return __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
	wake(condition); /* all of them: waiting may end for no reason */
	return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) { return __wrap_pthread_cond_signal(condition); }

static struct barrier *find_barrier(const pthread_barrier_t *barrier)
{
	for (unsigned i = 0; i < BARRIERS; i++)
		if (barriers[i].barrier == barrier)
			return &barriers[i];
	return NULL;
}

int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
	struct barrier *it = find_barrier(barrier);

	(void)attributes;
	it = it ? it : find_barrier(NULL);
	if (!it)
		fail("too many barriers");
	*it = (struct barrier){ .barrier = barrier, .count = count };
	return 0;
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct barrier *it = find_barrier(barrier);
	unsigned long generation;

	if (!it)
		fail("a barrier that was not initialised");
	record(barrier, true);
	generation = it->generation;
	if (++it->arrived == it->count) {
		it->arrived = 0;
		it->generation++;
		wake(barrier);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	while (it->generation == generation)
		wait_for(barrier);
	return 0;
}
