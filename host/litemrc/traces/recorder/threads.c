// SPDX-License-Identifier: BSD-2-Clause
/* pthread functions of the program (ld --wrap) in terms of turns. */
#include "recorder.h"

#include <errno.h>

#define BARRIERS 64

static struct barrier {
	const pthread_barrier_t *barrier;
	unsigned count, arrived;
	unsigned long generation;
} barriers[BARRIERS];

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
	wake(condition); /* wakes all: spurious wake-ups are allowed */
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
		fail("a barrier is not initialised");
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
