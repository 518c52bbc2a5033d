/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running programs: each is started on request, in its own cgroup and context, and ends when its last epoch has been
 * queued for the host.
 */
#ifndef LITEMRCD_RUNS_H
#define LITEMRCD_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Starts a program, which waits for runs_release(). Returns 0, or -errno and the cause in *reason. -EBUSY: the program
 * already runs, or the context is in use.
 */
int runs_start(uint32_t program, uint32_t context, uint32_t scale, const char **reason);

/* Releases the program started last; call once the host's answer is queued. */
void runs_release(void);

/* Notes which programs ended; call after SIGCHLD. */
void runs_reap(void);

/* Sends due events and finishes programs that ended. Call after records were read. */
void runs_progress(void);

/* Time until runs_progress() must be called, in ms; -1: no limit. */
int runs_timeout_ms(void);

/* A bit for each running program. */
uint32_t runs_running(void);

/* The cgroup of the program that runs in a context; -1: none. */
int runs_group(uint32_t context);

/* Whether a program runs in the context; its number, or -1. */
bool runs_in(uint32_t context);
int runs_program(uint32_t context);

/* The number of the program's present or last run, from 1. */
uint32_t runs_serial(uint32_t program);

/* Terminates all programs and waits for their end. */
void runs_end_all(void);

#endif
