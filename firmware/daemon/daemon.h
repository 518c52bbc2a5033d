/* SPDX-License-Identifier: BSD-2-Clause */
/* The service itself: one loop over the port, the driver and signals. */
#ifndef LITEMRCD_DAEMON_H
#define LITEMRCD_DAEMON_H

#include "options.h"

/* Serves until a signal ends it. Returns the exit status. */
int daemon_serve(const struct options *options);

#endif
