// SPDX-License-Identifier: BSD-2-Clause
/* Events of perf, by perf_event_open(2). */
#include "agent.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNTERS_MAX 16

static int counters[COUNTERS_MAX];
static int opened;

/* counter TYPE CONFIG PID CPU PERIOD: opens an event and returns its index */
static long open_counter(int count, char **words)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd;

	if (count != 6 || opened == COUNTERS_MAX)
		return -EBADMSG;
	attr.type = strtoul(words[1], NULL, 0);
	attr.config = strtoull(words[2], NULL, 0);
	attr.sample_period = strtoull(words[5], NULL, 0);
	fd = syscall(SYS_perf_event_open, &attr, atoi(words[3]), atoi(words[4]), -1, 0ul);
	if (fd < 0)
		return -errno;
	counters[opened] = fd;
	return opened++;
}

/* counts: reads all of them, in the order in which they were opened */
static long read_counters(int count, char **words)
{
	(void)count;
	(void)words;
	for (int i = 0; i < opened; i++) {
		uint64_t value;

		if (read(counters[i], &value, sizeof(value)) != sizeof(value))
			return -errno;
		say("%llu", (unsigned long long)value);
	}
	return 0;
}

/* counting 0|1: disables or enables all of them */
static long set_counting(int count, char **words)
{
	(void)count;
	for (int i = 0; i < opened; i++)
		if (ioctl(counters[i], atoi(words[1]) ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return -errno;
	return 0;
}

/* uncount: closes all of them */
static long close_counters(int count, char **words)
{
	(void)count;
	(void)words;
	while (opened)
		close(counters[--opened]);
	return 0;
}

const struct command perf_commands[] = {
	{ "counter", open_counter }, { "counts", read_counters }, { "counting", set_counting },
	{ "uncount", close_counters }, { NULL, NULL },
};
