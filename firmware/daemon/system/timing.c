// SPDX-License-Identifier: BSD-2-Clause
#include "system/timing.h"

int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / NS_OF_MS;
}

uint64_t cycles_since(const struct timespec *began, uint32_t clock_hz)
{
	struct timespec now;
	uint64_t seconds, nanoseconds;

	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = now.tv_sec - began->tv_sec - (now.tv_nsec < began->tv_nsec);
	nanoseconds = (now.tv_nsec - began->tv_nsec + 1000 * NS_OF_MS) % (1000 * NS_OF_MS);
	return seconds * clock_hz + nanoseconds * clock_hz / (1000 * NS_OF_MS);
}
