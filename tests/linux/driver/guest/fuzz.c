// SPDX-License-Identifier: BSD-2-Clause
/* fuzz PATH SEED COUNT: writes plausible and random text; returns the number of accepted writes. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned int state;

static unsigned int draw(unsigned int limit)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

static const char *const words_known[] = {
	"0", "1", "2", "7", "8", "4294967295", "4294967296", "18446744073709551616", "-1", "+1", "0x10", "1 ",
	" 1", "\t", "\n", "1\n\n", "1 2", "2 1", "0 16383", "0 16384", "accesses", "cycles", "100 accesses",
	"5000 cycles", "0 cycles", "100accesses", "group_stack", "bucket_stack", "active", "none", "off", "-",
	"/", "//", "/a", "/a/b", "/..", "/cgroup.procs", "%s%n", "999999", "2147483648",
};

static size_t make_text(char *text, size_t limit)
{
	size_t length = 0;

	if (draw(4)) {
		unsigned int parts = 1 + draw(3);

		while (parts--)
			length += snprintf(text + length, limit - length, "%s%s",
					   words_known[draw(sizeof(words_known) / sizeof(*words_known))],
					   draw(2) ? "" : " ");
	} else {
		length = draw(16) ? draw(40) : draw(limit);
		for (size_t i = 0; i < length; i++)
			text[i] = draw(2) ? "0123456789 \n"[draw(12)] : (char)draw(256);
	}
	return length;
}

static long fuzz(int count, char **words)
{
	static char text[4096];
	long times = atol(words[3]), taken = 0;
	int fd = open(words[1], O_WRONLY);

	(void)count;
	if (fd < 0)
		return -errno;
	state = strtoul(words[2], NULL, 0);
	while (times--)
		taken += pwrite(fd, text, make_text(text, sizeof(text)), 0) > 0;
	close(fd);
	return taken;
}

const struct command fuzz_commands[] = {
	{ "fuzz", fuzz },
	{ NULL, NULL },
};
