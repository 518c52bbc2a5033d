/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. */
#ifndef LITEMRCD_OPTIONS_H
#define LITEMRCD_OPTIONS_H

#include <stdint.h>

struct options {
	const char *tty, *device, *sysfs, *config, *cgroup;
	const char *user;	/* NULL: none named */
	uint32_t baud;
	uint32_t clock_hz;	/* 0: as the device tree says */
	uint32_t context;	/* of run; 0: any free one */
	char **command;		/* of run; NULL: serve */
};

/* Reads the arguments; prints help and ends with 0, or gives up with 2. */
struct options options_read(int argc, char **argv);

#endif
