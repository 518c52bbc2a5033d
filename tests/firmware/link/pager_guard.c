// SPDX-License-Identifier: BSD-2-Clause
/*
 * firmware/baremetal/paging/pager.c on memory of this process. Reads operations, one per line:
 *   start A B                 pages of the two owners
 *   use OWNER PAGE WRITE      a reference, page counted from the owner's first
 *   budget OWNER FRAMES       0: none
 *   reclaim OWNER FRAMES
 * and prints after each the counters of both owners: resident faults zero_fills writes. Pages that are not resident are
 * overwritten, so only pages restored by the pager have the right data; wrong data end this with status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paging/pager.h"

#define PAGE 4096u
#define WORDS (PAGER_DATA_BYTES / 4 - 1)	/* the last one is the pager's */

static uint8_t memory[(2 * PAGER_PAGES + 2) * PAGE];
static uint32_t written[PAGER_PAGES];	/* what was last written to every word of the page */
static uint32_t pages, clock_value;

uint32_t monitor_quieten(void)
{
	return 0;
}

void monitor_resume(uint32_t control)
{
}

void irq_setie(unsigned int on)
{
}

static void scribble(void)
{
	for (uint32_t page = 0; page < pages; page++)
		if (pager_state(page) != PAGER_IN)
			memset(memory + page * PAGE, 0xee, PAGER_DATA_BYTES);
}

static void use(uint32_t owner, uint32_t page, bool write)
{
	uint32_t *words;

	page += pager_owners[owner].first;
	if (pager_state(page) != PAGER_IN)
		pager_bring_in(owner, page);
	words = (uint32_t *)pager_use(page, write);
	for (uint32_t i = 0; i < WORDS; i++) {
		if (words[i] != written[page]) {
			printf("page %u word %u\n", page, i);
			exit(1);
		}
	}
	if (write) {
		written[page] = ++clock_value;
		for (uint32_t i = 0; i < WORDS; i++)
			words[i] = clock_value;
	}
}

int main(void)
{
	char name[16];
	uint32_t first, second, third;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		int count = sscanf(line, "%15s %u %u %u", name, &first, &second, &third);

		if (count < 3)
			return 2;
		if (!strcmp(name, "start")) {
			pager_init(memory, (const uint32_t[]){first, second});
			pages = first + second;
			memset(written, 0, sizeof(written));
		} else if (!strcmp(name, "use")) {
			use(first, second, third);
		} else if (!strcmp(name, "budget")) {
			pager_owners[first].budget = second ? second : PAGER_NO_BUDGET;
		} else {
			pager_owners[first].reclaim = second;
			pager_reclaim();
		}
		scribble();
		for (uint32_t owner = 0; owner < PAGER_OWNERS; owner++)
			printf("%u %u %u %u ", pager_owners[owner].resident, pager_owners[owner].faults,
			       pager_owners[owner].zero_fills, pager_owners[owner].writes);
		printf("%u\n", pager_owners[0].damaged + pager_owners[1].damaged);
	}
	return 0;
}
