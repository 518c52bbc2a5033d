/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LITEMRC_LOG_H
#define LITEMRC_LOG_H

#include "frame.h"

/* Sends a log line at once: the caller knows that there is room, and that no epoch is partly sent. */
void log_line(int level, const char *line);

/* Sends a log line from a program, with interrupts on: waits for room, and for the end of an epoch that is partly sent. */
void log_send(int level, const char *line);

#endif
