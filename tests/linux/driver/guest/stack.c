// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program of known LRU stack distances: each access takes the page at a chosen position of the program's own
 * LRU stack. It can evict the page that exact LRU would evict, or leave that to the kernel.
 */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES_MAX 4096
#define JITTER 33	/* positions around a chosen one */

static char *area;
static uint16_t stack[PAGES_MAX];	/* pages, most recently used first */
static long pages, resident;	/* resident 0: the kernel evicts */
static int reclaim;	/* memory.reclaim of the cgroup */

/* swap BYTES: on zram, once */
static long swap_on(int count, char **words)
{
	static char header[PAGE];
	uint32_t version_and_last_page[2] = { 1, strtoul(words[1], NULL, 0) / PAGE - 1 };
	int size = open("/sys/block/zram0/disksize", O_WRONLY), fd;

	(void)count;
	if (write(size, words[1], strlen(words[1])) < 0)
		return -errno;
	close(size);
	memcpy(header + 1024, version_and_last_page, sizeof(version_and_last_page));
	memcpy(header + PAGE - 10, "SWAPSPACE2", 10);
	fd = open("/dev/zram0", O_RDWR);
	if (write(fd, header, PAGE) != PAGE)
		return -errno;
	close(fd);
	return swapon("/dev/zram0", 0) ? -errno : 0;
}

/* The kernel has no madvise(): all other pages of the cgroup are locked, and one page is reclaimed. */
static long evict(long page)
{
	char *address = area + page * PAGE;
	long ret;

	if (munlock(address, PAGE))
		return -errno;
	ret = write(reclaim, "4096", 4) == 4 ? 0 : -errno;
	return mlock2(address, PAGE, MLOCK_ONFAULT) ? -errno : ret;
}

/* Accesses the page at a position of the stack. */
static long use(long position)
{
	uint16_t page = stack[position];
	long ret = 0;

	if (resident && position >= resident)
		ret = evict(stack[resident - 1]);
	memmove(stack + 1, stack, position * sizeof(*stack));
	stack[0] = page;
	((volatile uint16_t *)(area + page * PAGE))[7] = page;
	return ret;
}

/*
 * fill PAGES RESIDENT CGROUP: maps and touches pages in order. All but RESIDENT are out then, by reclaim in the
 * cgroup, whose only process this is; 0: the kernel chooses.
 */
static long fill(int count, char **words)
{
	long ret = 0;

	(void)count;
	pages = atol(words[1]);
	resident = atol(words[2]);
	area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	reclaim = open(words[3], O_WRONLY);
	if (resident && (reclaim < 0 || mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)))
		return -errno;
	for (long page = 0; page < pages; page++)
		stack[page] = page;
	/* The page whose number is the position: those before it are on top. */
	for (long page = 0; page < pages && !ret; page++)
		ret = use(page);
	return ret;
}

/* walk TIMES SEED POSITION...: accesses at positions drawn from those given, each with some jitter */
static long walk(int count, char **words)
{
	uint32_t state = strtoul(words[2], NULL, 0);

	for (long times = atol(words[1]); times; times--) {
		long position, ret;

		state = state * 1664525 + 1013904223;
		position = atol(words[3 + (state >> 16) % (count - 3)]);
		state = state * 1664525 + 1013904223;
		ret = use(position + (state >> 16) % JITTER - JITTER / 2);
		if (ret)
			return ret;
	}
	return 0;
}

/* replay FILE FIRST COUNT: writes to the pages that a file of 16-bit numbers names; the kernel evicts */
static long replay(int count, char **words)
{
	FILE *numbers = fopen(words[1], "r");
	uint16_t page;

	(void)count;
	if (!numbers)
		return -errno;
	if (!area)
		area = mmap(NULL, PAGES_MAX * PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	fseek(numbers, atol(words[2]) * sizeof(page), SEEK_SET);
	for (long left = atol(words[3]); left && fread(&page, sizeof(page), 1, numbers); left--)
		((volatile uint16_t *)(area + page * PAGE))[7] = page;
	fclose(numbers);
	return 0;
}

/* read_at, read_into POSITION TIMES: reads the pages there, or lets the kernel write to them, from the top on */
static long read_at(int count, char **words)
{
	int fd = open("/dev/zero", O_RDONLY);
	long position = atol(words[1]);

	(void)count;
	for (long times = atol(words[2]); times; times--, position++) {
		char *page = area + stack[position] * PAGE;

		if (!strcmp(words[0], "read_at"))
			(void)*(volatile char *)page;
		else if (read(fd, page, 16) != 16)
			return -errno;
	}
	close(fd);
	return 0;
}

/* discard POSITION COUNT: unmaps the pages there */
static long discard(int count, char **words)
{
	long first = atol(words[1]), last = first + atol(words[2]);

	(void)count;
	for (long position = first; position < last; position++)
		if (munmap(area + stack[position] * PAGE, PAGE))
			return -errno;
	return 0;
}

/* first_page: the number of the first page of the program's */
static long first_page(int count, char **words)
{
	(void)count;
	(void)words;
	return (unsigned long)area / PAGE;
}

const struct command stack_commands[] = {
	{ "swap", swap_on },	  { "fill", fill },	  { "walk", walk }, { "read_at", read_at },
	{ "read_into", read_at }, { "discard", discard }, { "replay", replay }, { "first_page", first_page },
	{ NULL, NULL },
};
