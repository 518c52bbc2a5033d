/* SPDX-License-Identifier: BSD-2-Clause */
/* The daemon: start, and one loop over the port, the driver and signals. */
#ifndef LITEMRCD_DAEMON_H
#define LITEMRCD_DAEMON_H

#include "options.h"

/* Serves until SIGTERM, SIGINT or SIGHUP. Returns the exit status. */
int daemon_serve(const struct options *options);

#endif
