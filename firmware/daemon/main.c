// SPDX-License-Identifier: BSD-2-Clause
/*
 * litemrcd: the serial service of LiteMRC on Linux, between a host and the kernel driver; and `litemrcd run`, which
 * runs a command that a context follows.
 */
#include "daemon.h"
#include "options.h"
#include "run_command.h"

int main(int argc, char **argv)
{
	struct options options = options_read(argc, argv);

	return options.command ? run_command(&options) : daemon_serve(&options);
}
