/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs that run: each started on request, in a cgroup and under a context of its own, until its last epoch is
 * on its way to the host.
 */
#ifndef LITEMRCD_RUNS_H
#define LITEMRCD_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Starts a program, which waits for runs_release(). Returns 0 or -errno, and then says more in *reason: -EBUSY, the
 * program runs, or the context is in use.
 */
int runs_start(uint32_t program, uint32_t context, uint32_t scale, const char **reason);

/* Lets the program run that was started last; call once the host's answer is queued. */
void runs_release(void);

/* Whatever can go on, goes on: events, ends. Call after records and signals were taken. */
void runs_progress(void);

/* How long that may be put off, in ms; -1: until something happens. */
int runs_patience_ms(void);

/* A bit for each program that runs. */
uint32_t runs_running(void);

/* The cgroup of the program that runs in a context; -1: none does. */
int runs_group(uint32_t context);

/* Whether a program of ours runs in the context. */
bool runs_in(uint32_t context);

/* Ends all programs, and waits for that. */
void runs_end_all(void);

#endif
