/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host is told about programs. */
#ifndef LITEMRCD_RUN_EVENTS_H
#define LITEMRCD_RUN_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Return false, and tell nothing, while the port takes nothing. */
bool run_tell_started(uint32_t program, uint32_t context);
bool run_tell_done(uint32_t program, uint32_t context, uint64_t cycles);

/* A line for a human when a program failed; `status` is that of wait(). */
void run_tell_status(const char *name, int status);

#endif
