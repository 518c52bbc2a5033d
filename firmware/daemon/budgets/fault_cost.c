// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/fault_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes/cgroups.h"
#include "system/sysfs.h"
#include "system/timing.h"

#define GROUP ".cost"
#define LIMIT 256u		/* pages: memory.high */
#define LOOP (2 * LIMIT)
#define BLOCK 64u		/* the kernel charges and reclaims in batches of at most n pages */
#define BLOCKS_LEAST 8u
#define BLOCKS_MAX 64u
#define ENOUGH_NS 1500000000	/* after so long the least number of blocks suffices: a slow machine takes 5 ms a fault */
#define PASSES_MAX 16u
#define KILL_AFTER_MS 20000

static enum { NONE, RUNNING, FAILED, DONE } state;
static struct fault_cost result;
static int pipe_end = -1, group = -1;
static pid_t child;
static int64_t deadline_ms;

/* ----------------------------------------------------------------------------------------------- in the child */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

static void fill(uint8_t *memory, size_t page)
{
	uint32_t word = 2463534242u;

	for (size_t i = 0; i < LOOP; i++)
		for (size_t at = 0; at < page / 2; at += sizeof(word)) {
			word ^= word << 13;
			word ^= word >> 17;
			word ^= word << 5;
			memcpy(memory + i * page + at, &word, sizeof(word));
		}
}

static int ascending(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

static bool is_enough(uint32_t blocks, uint64_t end)
{
	return blocks >= BLOCKS_MAX || (blocks >= BLOCKS_LEAST && now_ns() >= end);
}

static struct fault_cost measure(volatile uint8_t *memory, size_t page)
{
	static uint32_t means[BLOCKS_MAX];
	struct fault_cost cost = {0};
	uint64_t end = now_ns() + ENOUGH_NS;
	uint32_t number = 0;

	for (unsigned int passes = 0; passes < PASSES_MAX && !is_enough(cost.blocks, end); passes++) {
		if (passes == 4 && !cost.blocks)
			break;	/* nothing is evicted */
		for (uint32_t block = 0; block < LOOP / BLOCK && !is_enough(cost.blocks, end); block++) {
			long faults = faults_so_far();
			uint64_t began = now_ns();

			for (uint32_t i = 0; i < BLOCK; i++)
				memory[(number++ % LOOP) * page]++;
			began = now_ns() - began;
			faults = faults_so_far() - faults;
			if (faults < BLOCK / 2 || !passes)
				continue;	/* the first pass evicts what fill() wrote */
			began /= faults;
			means[cost.blocks++] = began < UINT32_MAX ? began : UINT32_MAX;
			cost.faults += faults;
		}
	}
	qsort(means, cost.blocks, sizeof(means[0]), ascending);
	cost.low = means[cost.blocks / 10];
	cost.median = means[cost.blocks / 2];
	cost.high = means[cost.blocks ? (9 * cost.blocks - 1) / 10 : 0];
	return cost;
}

static _Noreturn void be_child(int out)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct fault_cost cost;
	uint8_t *memory;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cgroup_enter(group, getpid()))
		_exit(1);
	memory = mmap(NULL, LOOP * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		_exit(1);
	fill(memory, page);
	cost = measure(memory, page);
	_exit(write(out, &cost, sizeof(cost)) != sizeof(cost));
}

/* ---------------------------------------------------------------------------------------------- in the daemon */

static int limit_group(void)
{
	char bytes[32];

	snprintf(bytes, sizeof(bytes), "%lu\n", LIMIT * (unsigned long)sysconf(_SC_PAGESIZE));
	return sysfs_write_at(group, "memory.high", bytes);
}

static void remove_group(void)
{
	if (group >= 0)
		close(group);
	group = -1;
	cgroup_remove(GROUP);	/* if it is busy still, cgroup_make() removes it the next time */
}

static int start(void)
{
	int ends[2], error = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0)
		error = -errno;
	if (!child)
		be_child(ends[1]);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	pipe_end = ends[0];
	fcntl(pipe_end, F_SETFL, O_NONBLOCK);
	deadline_ms = now_ms() + KILL_AFTER_MS;
	state = RUNNING;
	return 0;
}

int fault_cost_measure(const char **reason)
{
	int error;

	fault_cost_progress();
	*reason = "a measurement runs already";
	if (state == RUNNING)
		return -EBUSY;
	*reason = "the daemon has no cgroup for a measurement (--cgroup)";
	if (!cgroups_exist())
		return -EOPNOTSUPP;
	group = cgroup_make(GROUP);
	error = group < 0 ? group : limit_group();
	if (!error) {
		*reason = "cannot create a process";
		error = start();
	} else {
		*reason = "the kernel has no memory controller";
	}
	if (error) {
		remove_group();
		return -EOPNOTSUPP;
	}
	*reason = "";
	return 0;
}

void fault_cost_progress(void)
{
	ssize_t got;

	if (state != RUNNING)
		return;
	got = read(pipe_end, &result, sizeof(result));
	if (got < 0 && (errno == EAGAIN || errno == EINTR) && now_ms() < deadline_ms)
		return;
	if (got < 0)
		kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;	/* it exits now; ECHILD: it is reaped already */
	state = got == sizeof(result) && result.blocks ? DONE : FAILED;
	close(pipe_end);
	pipe_end = -1;
	remove_group();
}

int fault_cost_get(struct fault_cost *cost, const char **reason)
{
	fault_cost_progress();
	switch (state) {
	case NONE:
		*reason = "nothing was measured: request measure_fault_cost first";
		return -EINVAL;
	case RUNNING:
		*reason = "the measurement runs";
		return -EBUSY;
	case FAILED:
		*reason = "the kernel evicted no page: it needs swap and the memory controller";
		return -EOPNOTSUPP;
	default:
		*cost = result;
		return 0;
	}
}

int fault_cost_timeout_ms(void)
{
	int64_t left;

	if (state != RUNNING)
		return -1;
	left = deadline_ms - now_ms();
	return left < 0 ? 0 : (int)left;
}

void fault_cost_end(void)
{
	if (state != RUNNING)
		return;
	deadline_ms = 0;
	fault_cost_progress();
}
