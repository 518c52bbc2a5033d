// SPDX-License-Identifier: BSD-2-Clause
#include "processes/runs.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/driver.h"
#include "messages/events.h"
#include "driver/record.h"
#include "processes/cgroups.h"
#include "processes/programs.h"
#include "processes/starter.h"
#include "system/timing.h"

#define KILL_AFTER_MS 2000	/* for the last epoch and for the end of killed processes */
#define TICK_MS 20

static struct run {
	enum { IDLE, HELD, RUNNING, EXITED } state;
	uint32_t context;
	pid_t pid;
	int group;		/* cgroup; -1: none */
	struct timespec began;
	uint64_t cycles;
	bool started_due;	/* the started event has not been sent */
	bool seen;		/* a record showed it as followed: earlier records were about another process */
	bool freed;		/* runs_progress() freed the context, which followed the cgroup */
	int64_t deadline_ms;
} runs[PROGRAMS_MAX];

static uint32_t serials[PROGRAMS_MAX];

/* Moves the held child into its cgroup and makes the context follow it. */
static int place(const struct program *program, struct run *run, const char **reason)
{
	char path[300];
	int error;

	if (run->group >= 0) {
		error = cgroup_enter(run->group, run->pid);
		if (error) {
			*reason = "the program cannot enter its cgroup";
			return error;
		}
	}
	if (!program->children)
		error = driver_follow(run->context, run->pid);
	else if (cgroup_path(program->name, path, sizeof(path)))
		error = driver_follow_cgroup(run->context, path);
	else
		error = -ENAMETOOLONG;
	if (error)
		*reason = error == -EBUSY ? "the context follows another process" :
			  "the driver does not follow the program";
	return error;
}

static void remove_group(struct run *run, const char *name)
{
	if (run->group < 0)
		return;
	close(run->group);
	run->group = -1;
	cgroup_remove(name);
}

int runs_start(uint32_t number, uint32_t context, uint32_t scale, const char **reason)
{
	const struct program *program = &programs[number];
	struct run *run = &runs[number];
	int error;

	if (run->state != IDLE || runs_in(context)) {
		*reason = run->state != IDLE ? "the program already runs" : "a program runs in the context";
		return -EBUSY;
	}
	*run = (struct run){.context = context, .group = -1};
	if (cgroups_exist()) {
		run->group = cgroup_make(program->name);
		if (run->group < 0) {
			*reason = "cannot create a cgroup for the program";
			return run->group;
		}
	}
	run->pid = starter_hold(number, scale);
	error = run->pid < 0 ? run->pid : place(program, run, reason);
	if (run->pid < 0)
		*reason = "cannot create a process";
	else if (error)
		starter_cancel();
	if (error)
		remove_group(run, program->name);
	else
		run->state = HELD;
	serials[number] += !error;
	return error;
}

void runs_release(void)
{
	for (struct run *run = runs; run < runs + PROGRAMS_MAX; run++)
		if (run->state == HELD) {
			run->state = RUNNING;
			run->started_due = true;
			clock_gettime(CLOCK_MONOTONIC, &run->began);
			starter_release();
		}
}

/* The program ended: kill the processes it left behind. */
static void note_exit(struct run *run, const struct program *program, int status)
{
	run->cycles = cycles_since(&run->began, parameters.clock_hz);
	run->state = EXITED;
	run->deadline_ms = now_ms() + KILL_AFTER_MS;
	if (run->group >= 0)
		cgroup_kill(run->group);
	events_status(program->name, status);
}

void runs_reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (uint32_t i = 0; i < program_count; i++)
			if (runs[i].state == RUNNING && runs[i].pid == pid)
				note_exit(&runs[i], &programs[i], status);
}

/* Whether the program has no process left and all its epochs have been read, or the deadline has passed. */
static bool is_over(struct run *run, const struct program *program)
{
	const struct litemrc_row *now = follower(run->context);
	bool late = now_ms() >= run->deadline_ms;

	if (run->group >= 0 && !cgroup_is_empty(run->group) && !late)
		return false;
	if (program->children && !run->freed) {
		driver_follow(run->context, 0);
		run->freed = true;
	}
	if (program->children)
		return (run->seen && now->state == LITEMRC_CONTEXT_FREE) || late;
	return (run->seen && now->state == LITEMRC_CONTEXT_ENDED) || late;
}

static void look(struct run *run, const struct program *program)
{
	const struct litemrc_row *now;

	if (run->state == IDLE)
		return;
	now = follower(run->context);
	if (now->state == LITEMRC_CONTEXT_FOLLOWING && now->pid == (program->children ? 0 : (uint32_t)run->pid))
		run->seen = true;
}

void runs_progress(void)
{
	for (uint32_t i = 0; i < program_count; i++) {
		struct run *run = &runs[i];

		look(run, &programs[i]);
		if (run->started_due && events_started(i, run->context))
			run->started_due = false;
		if (run->state == EXITED && !run->started_due && is_over(run, &programs[i]) &&
		    events_done(i, run->context, run->cycles)) {
			remove_group(run, programs[i].name);
			run->state = IDLE;
		}
	}
}

int runs_timeout_ms(void)
{
	for (struct run *run = runs; run < runs + PROGRAMS_MAX; run++)
		if (run->state == EXITED)
			return TICK_MS;
	return -1;
}

uint32_t runs_running(void)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < program_count; i++)
		running |= (uint32_t)(runs[i].state != IDLE) << i;
	return running;
}

static struct run *run_in(uint32_t context)
{
	for (struct run *run = runs; run < runs + PROGRAMS_MAX; run++)
		if (run->state != IDLE && run->context == context)
			return run;
	return NULL;
}

bool runs_in(uint32_t context)
{
	return run_in(context);
}

int runs_program(uint32_t context)
{
	struct run *run = run_in(context);

	return run ? (int)(run - runs) : -1;
}

uint32_t runs_serial(uint32_t program)
{
	return serials[program];
}

int runs_group(uint32_t context)
{
	struct run *run = run_in(context);

	return run ? run->group : -1;
}

void runs_end_all(void)
{
	int64_t deadline = now_ms() + KILL_AFTER_MS;
	struct timespec tick = {.tv_nsec = TICK_MS * 1000000};

	for (uint32_t i = 0; i < program_count; i++)
		if (runs[i].state == RUNNING)
			starter_signal(runs[i].pid, SIGTERM);
	for (uint32_t i = 0; i < program_count; i++) {
		struct run *run = &runs[i];

		while (run->state == RUNNING ||
		       (run->state == EXITED && run->group >= 0 && !cgroup_is_empty(run->group))) {
			if (now_ms() >= deadline) {
				starter_signal(run->pid, SIGKILL);
				if (run->group >= 0)
					cgroup_kill(run->group);
				if (now_ms() >= deadline + KILL_AFTER_MS)
					break;
			}
			nanosleep(&tick, NULL);
			runs_reap();
		}
		remove_group(run, programs[i].name);
	}
}
