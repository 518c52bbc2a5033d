/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program of the list has of the daemon: its stderr. */
#ifndef LITEMRCD_RUN_CHILD_H
#define LITEMRCD_RUN_CHILD_H

/* Call before privileges go: opens what the programs get as input and output. */
void run_child_init(void);

/* In the child: input and output, environment, signals, session and folder. */
void run_child_prepare(void);

#endif
