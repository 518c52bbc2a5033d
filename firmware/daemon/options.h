/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. */
#ifndef LITEMRCD_OPTIONS_H
#define LITEMRCD_OPTIONS_H

#include <stdint.h>

struct options {
	const char *tty, *device, *sysfs, *config, *cgroup, *cgroups;
	const char *user;	/* NULL: not given */
	const char *program_user;
	const char *socket, *socket_group;	/* NULL: not given */
	uint32_t socket_mode;
	uint32_t baud;
	uint32_t clock_hz;	/* 0: from the device tree */
	uint32_t pace_ms;	/* of short epochs; 0: none */
	uint32_t context;	/* of run; 0: any free one */
	char **command;		/* of run; NULL: serve */
};

/* Reads the arguments. Exits with 0 after --help, and with 2 if they are wrong. */
struct options options_read(int argc, char **argv);

#endif
