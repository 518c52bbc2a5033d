/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of programs, sent to the hosts. */
#ifndef LITEMRCD_EVENTS_H
#define LITEMRCD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Return false, and send nothing, if the serial host, which runs programs, has no room. */
bool events_started(uint32_t program, uint32_t context);
bool events_done(uint32_t program, uint32_t context, uint64_t cycles);

/* Sends a log line to the hosts that have room. */
void events_log(int level, const char *line);

/* Logs a failed program on stderr and to the hosts; `status` is that of wait(). */
void events_status(const char *name, int status);

/* Logs on stderr and to the hosts that the counts of an epoch, and later ones, lack an invalidation or clear. */
void events_command_lost(uint32_t epoch);

#endif
