// SPDX-License-Identifier: BSD-2-Clause
#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/text.h"
#include "system/tty.h"

#define PACE_MOST_MS 10000
#define HELP_HINT "litemrcd --help lists the options"

static const char help[] =
	"usage: litemrcd --user USER:GROUP --program-user USER:GROUP [options]   serve a host over a serial port\n"
	"       litemrcd run [--device PATH] [--context N] -- COMMAND ...   run a command that a context follows\n"
	"\n"
	"  --tty PATH       serial port (/dev/ttyLXU1)\n"
	"  --baud N         its speed, bit/s (115200)\n"
	"  --device PATH    the monitor, as the driver's device for epochs; its name is also that of the folder in sysfs\n"
	"                   (/dev/litemrc0)\n"
	"  --sysfs PATH     where sysfs is mounted (/sys)\n"
	"  --config PATH    programs that a host may start, and cgroups that it may govern (/etc/litemrcd.conf)\n"
	"  --cgroup PATH    cgroup v2 to create for these programs, or none (/sys/fs/cgroup/litemrcd)\n"
	"  --cgroups PATH   where cgroup v2 is mounted, for the cgroups that the config lists (/sys/fs/cgroup)\n"
	"  --socket PATH    Unix socket to make, on which up to 8 clients read\n"
	"  --socket-mode N  its permissions, octal (0660)\n"
	"  --socket-group GROUP  its group, a name or a number (that of --user)\n"
	"  --pace MS        epochs that end faster than this are sent several at a time, but for the first few, and while\n"
	"                   single pages are sent; 0: each as it ends (100)\n"
	"  --clock-hz N     system clock, Hz (clock-frequency of cpu@0 in the device tree)\n"
	"  --user NAME      user to run as: USER or USER:GROUP, names or numbers; required for root\n"
	"  --program-user NAME   another user, for the programs; required for root\n"
	"  --context N      context that follows the command (any free one)\n"
	"\n"
	"litemrcd stays in the foreground and logs to stderr. SIGTERM ends it and the programs it started.\n"
	"run exits with the status of the command; with 2 if the command was not run.\n";

static const struct option known[] = {
	{"tty", required_argument, NULL, 't'},
	{"baud", required_argument, NULL, 'b'},
	{"device", required_argument, NULL, 'd'},
	{"sysfs", required_argument, NULL, 's'},
	{"config", required_argument, NULL, 'c'},
	{"cgroup", required_argument, NULL, 'g'},
	{"cgroups", required_argument, NULL, 'm'},
	{"pace", required_argument, NULL, 'e'},
	{"clock-hz", required_argument, NULL, 'z'},
	{"user", required_argument, NULL, 'u'},
	{"program-user", required_argument, NULL, 'p'},
	{"context", required_argument, NULL, 'n'},
	{"socket", required_argument, NULL, 'k'},
	{"socket-mode", required_argument, NULL, 'o'},
	{"socket-group", required_argument, NULL, 'r'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static uint32_t number(const char *name, const char *text, uint32_t least, uint32_t most)
{
	uint64_t value;

	if (!whole_number(text, most, &value) || value < least)
		die(EXIT_BAD_INPUT, HELP_HINT, "--%s %s: not a number from %" PRIu32 " to %" PRIu32, name, text, least, most);
	return value;
}

static uint32_t mode(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (*text < '0' || *text > '7' || *end || value > 0777)
		die(EXIT_BAD_INPUT, HELP_HINT, "--socket-mode %s: not an octal number from 0 to 0777", text);
	return value;
}

static void take(struct options *options, int letter)
{
	switch (letter) {
	case 't': options->tty = optarg; break;
	case 'd': options->device = optarg; break;
	case 's': options->sysfs = optarg; break;
	case 'c': options->config = optarg; break;
	case 'g': options->cgroup = optarg; break;
	case 'm': options->cgroups = optarg; break;
	case 'u': options->user = optarg; break;
	case 'p': options->program_user = optarg; break;
	case 'k': options->socket = optarg; break;
	case 'r': options->socket_group = optarg; break;
	case 'o': options->socket_mode = mode(optarg); break;
	case 'e': options->pace_ms = number("pace", optarg, 0, PACE_MOST_MS); break;
	case 'z': options->clock_hz = number("clock-hz", optarg, 1, UINT32_MAX); break;
	case 'n': options->context = number("context", optarg, 1, UINT32_MAX); break;
	case 'b':
		options->baud = number("baud", optarg, 1, UINT32_MAX);
		if (!tty_knows_baud(options->baud))
			die(EXIT_BAD_INPUT, "use a standard speed such as 115200",
				"--baud %s: not a speed of a serial port", optarg);
		break;
	case 'h':
		fputs(help, stdout);
		exit(0);
	default:	/* getopt printed what is wrong */
		fprintf(stderr, "  %s\n", HELP_HINT);
		exit(EXIT_BAD_INPUT);
	}
}

struct options options_read(int argc, char **argv)
{
	struct options options = {
		.tty = "/dev/ttyLXU1",
		.device = "/dev/litemrc0",
		.sysfs = "/sys",
		.config = "/etc/litemrcd.conf",
		.cgroup = "/sys/fs/cgroup/litemrcd",
		.cgroups = "/sys/fs/cgroup",
		.baud = 115200,
		.pace_ms = 100,
		.socket_mode = 0660,
	};
	int run = argc > 1 && !strcmp(argv[1], "run");
	int letter;

	optind = 1 + run;
	while ((letter = getopt_long(argc, argv, "+h", known, NULL)) != -1)
		take(&options, letter);
	if (run && optind == argc)
		die(EXIT_BAD_INPUT, "write litemrcd run [--context N] -- COMMAND ...", "run: no command");
	if (!run && optind < argc)
		die(EXIT_BAD_INPUT, HELP_HINT, "%s: not an option", argv[optind]);
	if (options.socket_group && !options.socket)
		die(EXIT_BAD_INPUT, "name the socket with --socket", "--socket-group %s: there is no socket",
			options.socket_group);
	if (run)
		options.command = argv + optind;
	return options;
}
