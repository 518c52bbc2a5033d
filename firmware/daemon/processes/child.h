/* SPDX-License-Identifier: BSD-2-Clause */
/* The child process of a program: of the daemon's files it keeps stderr only. */
#ifndef LITEMRCD_CHILD_H
#define LITEMRCD_CHILD_H

#include <stdbool.h>

/* Opens the programs' standard input and output; call before privileges_drop(). */
void child_init(void);

/* Whether the programs need this file of the daemon. */
bool child_needs(int file);

/* In the child: sets input, output, environment, signals, session and folder. */
void child_prepare(void);

#endif
