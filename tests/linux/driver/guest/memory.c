// SPDX-License-Identifier: BSD-2-Clause
/* Memory of this process, and the fake device's log of frames. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAKE "/sys/devices/platform/litemrc.0/fake/"
#define PAGE 4096

static char *area;
static size_t area_bytes;

/* touch: writes all pages of the mapping */
static long touch(int count, char **words)
{
	(void)count;
	(void)words;
	memset(area, 1, area_bytes);
	return 0;
}

/* map PAGES [shared|locked]: maps and touches them */
static long map(int count, char **words)
{
	int flags = MAP_PRIVATE;

	if (count > 2)
		flags = strcmp(words[2], "locked") ? MAP_SHARED : MAP_PRIVATE | MAP_LOCKED;
	area_bytes = strtoul(words[1], NULL, 0) * PAGE;
	area = mmap(NULL, area_bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	return touch(count, words);
}

const char *mapping(size_t *bytes)
{
	*bytes = area_bytes;
	return area;
}

static long unmap(int count, char **words)
{
	(void)count;
	(void)words;
	return munmap(area, area_bytes) ? -errno : 0;
}

/*
 * frames: adds the frames of the mapping to the fake's log; states: whether they are young, old or absent;
 * age: makes them old
 */
static long tell_pages(int count, char **words)
{
	static const char *const files[] = { FAKE "frame_of", FAKE "../ages/state_of", FAKE "../ages/age" };
	int fd = open(files[words[0][0] == 'a' ? 2 : words[0][0] == 's'], O_WRONLY);
	char text[32];

	(void)count;
	if (fd < 0)
		return -errno;
	for (size_t offset = 0; offset < area_bytes; offset += PAGE) {
		int length = snprintf(text, sizeof(text), "0x%lx", (unsigned long)(area + offset));

		if (write(fd, text, length) != length)
			return -errno;
	}
	close(fd);
	return 0;
}

/* log KINDS: entries of these kinds, in order: kind, value, process */
static long show_log(int count, char **words)
{
	struct {
		uint32_t kind, value, tgid;
	} entry;
	FILE *file = fopen(FAKE "log", "rb");

	(void)count;
	if (!file)
		return -errno;
	while (fread(&entry, sizeof(entry), 1, file))
		if (strchr(words[1], (int)entry.kind))
			say("%c %u %u", (char)entry.kind, entry.value, entry.tgid);
	fclose(file);
	return 0;
}

/* counted FILE: the tracker's log: kind, frame, page number, group */
static long show_counted(int count, char **words)
{
	struct {
		uint64_t page;
		uint32_t kind, frame, group, unused;
	} entry;
	FILE *file = fopen(words[1], "rb");

	(void)count;
	if (!file)
		return -errno;
	while (fread(&entry, sizeof(entry), 1, file))
		say("%c %u %llu %d", (char)entry.kind, entry.frame, (unsigned long long)entry.page, (int)entry.group);
	fclose(file);
	return 0;
}

const struct command memory_commands[] = {
	{ "map", map }, { "touch", touch }, { "unmap", unmap }, { "frames", tell_pages },
	{ "states", tell_pages }, { "age", tell_pages }, { "log", show_log }, { "counted", show_counted }, { NULL, NULL },
};
