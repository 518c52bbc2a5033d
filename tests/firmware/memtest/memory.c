// SPDX-License-Identifier: BSD-2-Clause
/* memtest's words on a memory in which, with an argument, page 5 is page 1: an address line that is stuck. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/memtest.h"

#define PAGE 4096u
#define PAGES 8u

int main(int argc, char **argv)
{
	int file = memfd_create("memory", 0);
	uint8_t *memory;
	struct memtest_result result;

	(void)argv;
	if (file < 0 || ftruncate(file, PAGES * PAGE))
		return 1;
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED)
		return 1;
	if (argc > 1 && mmap(memory + 5 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, PAGE) == MAP_FAILED)
		return 1;
	result = memtest_words((volatile uint32_t *)memory, PAGES * PAGE / sizeof(uint32_t));
	printf("%u %u %u\n", result.wrong, result.first, result.bits);
	return 0;
}
