/* SPDX-License-Identifier: BSD-2-Clause */
/* litemrcd run: a command, followed by a context of its own from its first instruction to its last. */
#ifndef LITEMRCD_RUN_COMMAND_H
#define LITEMRCD_RUN_COMMAND_H

#include "options.h"

/* Returns the exit status of the command; does not return when a signal ended it. */
int run_command(const struct options *options);

#endif
