// SPDX-License-Identifier: BSD-2-Clause
/* The fake device's owners of frames, compared with the kernel's own account of pages. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define OWNERS "/sys/devices/platform/litemrc.0/fake/owners"
#define PAGE 4096
#define FRAMES_MAX (1 << 20)

/* Of an entry in /proc/PID/pagemap. */
#define FRAME ((1ULL << 55) - 1)
#define EXCLUSIVE (1ULL << 56)
#define PRESENT (1ULL << 63)

/* Of /proc/kpageflags: pages of no process. */
#define SLAB (1ULL << 7)
#define BUDDY (1ULL << 10)
#define TABLE (1ULL << 26)

static unsigned char owners[FRAMES_MAX];

static long read_owners(void)
{
	int fd = open(OWNERS, O_RDONLY);
	long frames = 0, bytes;

	if (fd < 0)
		return -errno;
	while ((bytes = read(fd, owners + frames, sizeof(owners) - frames)) > 0)
		frames += bytes;
	close(fd);
	return frames;
}

/*
 * misowned FIRST CONTEXT: pages that this process alone maps in its mapping (map), and whose accesses do not count
 * in the context; says how many it alone maps. FIRST is the page of physical memory that is frame 0.
 */
static long count_misowned(int count, char **words)
{
	long frames = read_owners(), wrong = 0, alone = 0;
	long first = atol(words[1]);
	int context = atoi(words[2]), fd = open("/proc/self/pagemap", O_RDONLY);
	size_t bytes;
	const char *area = mapping(&bytes);

	(void)count;
	if (frames < 0 || fd < 0)
		return -errno;
	for (size_t page = 0; page < bytes / PAGE; page++) {
		uint64_t entry;
		off_t offset = ((uintptr_t)area / PAGE + page) * sizeof(entry);

		if (pread(fd, &entry, sizeof(entry), offset) != sizeof(entry))
			return -errno;
		if (!(entry & PRESENT) || !(entry & EXCLUSIVE))
			continue;
		alone++;
		wrong += owners[(entry & FRAME) - first] != context;
	}
	close(fd);
	say("%ld", alone);
	return wrong;
}

/* misowned_by_kernel FIRST: frames that belong to a context although no process has them */
static long count_of_kernel(int count, char **words)
{
	long frames = read_owners(), first = atol(words[1]), wrong = 0;
	int fd = open("/proc/kpageflags", O_RDONLY);

	(void)count;
	if (frames < 0 || fd < 0)
		return -errno;
	for (long frame = 0; frame < frames; frame++) {
		uint64_t flags;

		if (!owners[frame])
			continue;
		if (pread(fd, &flags, sizeof(flags), (first + frame) * sizeof(flags)) != sizeof(flags))
			return -errno;
		wrong += !!(flags & (SLAB | BUDDY | TABLE));
	}
	close(fd);
	return wrong;
}

const struct command pagemap_commands[] = {
	{ "misowned", count_misowned }, { "misowned_by_kernel", count_of_kernel }, { NULL, NULL },
};
