/* SPDX-License-Identifier: BSD-2-Clause */
/* litemrcd run: runs a command that a context follows from its first instruction to its last. */
#ifndef LITEMRCD_RUN_COMMAND_H
#define LITEMRCD_RUN_COMMAND_H

#include "options.h"

/* Returns the exit status of the command. If a signal ended the command, ends by the same signal. */
int run_command(const struct options *options);

#endif
