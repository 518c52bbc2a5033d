// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

#define LEGACY_PUTCHAR 1
#define SYSTEM_RESET 0x53525354

void print(const char *text)
{
	while (*text)
		sbi(LEGACY_PUTCHAR, 0, *text++, 0);
}

void check(bool good, const char *text)
{
	if (good)
		return;
	print("FAILED: ");
	print(text);
	print("\n");
	sbi(SYSTEM_RESET, 0, 0, 1);
}

uint64_t now(void)
{
	uint32_t high, low, again;

	do {
		__asm__ volatile("rdtimeh %0; rdtime %1; rdtimeh %2" : "=r"(high), "=r"(low), "=r"(again));
	} while (high != again);
	return (uint64_t)high << 32 | low;
}
