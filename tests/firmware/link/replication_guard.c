// SPDX-License-Identifier: BSD-2-Clause
/*
 * firmware/baremetal/paging/replication.c with counters that fire immediately; the hardware's interrupts come a little later.
 * replication_guard PAGES DELAY UPDATE takes references, a line each:
 *   r PAGE WORD, w PAGE WORD    the processor's
 *   h PAGE                      a write of the page's home
 * and prints the contents of a pages found. Wrong data end it with status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "litemrc_regs.h"
#include "paging/replication.h"
#include "refs.h"
#include "traffic.h"

#define PAGE_SHIFT 10u
#define WORDS (1u << (PAGE_SHIFT - 2))
#define POOL_PAGES 8u

uint32_t dram_base, remote_base, page_pool_base;
const uint32_t page_pool_size = POOL_PAGES << PAGE_SHIFT;

static uint32_t initial[LITEMRC_REFS_COUNTERS], values[LITEMRC_REFS_COUNTERS][REPLICATION_PAGES];
static uint32_t written[REPLICATION_PAGES][WORDS], home_accesses;
static void (*taker)(uint32_t page, uint32_t counter);

void irq_setie(unsigned int on)
{
}

uint32_t refs_page_shift(void)
{
	return PAGE_SHIFT;
}

uint32_t refs_value(uint32_t counter, uint32_t page)
{
	return values[counter][page];
}

void refs_load(uint32_t counter, uint32_t page, uint32_t value)
{
	values[counter][page] = value;
}

void refs_rearm(uint32_t counter, uint32_t page)
{
	refs_load(counter, page, initial[counter]);
}

uint32_t refs_lost(void)
{
	return 0;
}

void refs_select(uint32_t counter, const struct counter_selection *selection)
{
	initial[counter] = selection->initial;
}

void refs_restart(bool on)
{
	for (uint32_t counter = 0; counter < LITEMRC_REFS_COUNTERS; counter++)
		for (uint32_t page = 0; page < REPLICATION_PAGES; page++)
			refs_rearm(counter, page);
}

void refs_give_events(void (*to)(uint32_t page, uint32_t counter))
{
	taker = to;
}

void traffic_start(uint32_t count)
{
}

uint32_t traffic_left(void)
{
	return 0;
}

static void count(uint32_t counter, uint32_t page)
{
	if (values[counter][page] && --values[counter][page] == 0)
		taker(page, counter);
}

static uint32_t remote_reads(void)
{
	struct litemrc_copies found;

	replication_fill(&found);
	return found.remote_reads;
}

static void read_word(uint32_t page, uint32_t word)
{
	uint32_t before = remote_reads();

	if (replication_read(page, word) != written[page][word]) {
		printf("page %u word %u\n", page, word);
		exit(1);
	}
	if (remote_reads() != before)
		count(LITEMRC_COUNTER_DELAY, page);
}

static uint32_t memory_below_4_gb(size_t size)
{
	return (uintptr_t)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
}

int main(int argc, char **argv)
{
	struct litemrc_copies found;
	uint32_t page, word, clock = 0;
	char kind, line[64];

	remote_base = memory_below_4_gb(REPLICATION_PAGES << PAGE_SHIFT);
	page_pool_base = memory_below_4_gb(page_pool_size);
	replication_begin((uint8_t *)(uintptr_t)dram_base, atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), 1);
	while (fgets(line, sizeof(line), stdin) && sscanf(line, "%c %u %u", &kind, &page, &word) >= 2) {
		if (kind == 'r') {
			read_word(page, word);
		} else if (kind == 'w') {
			replication_write(page, word, written[page][word] = ++clock);
		} else {
			replication_run_home(1);
			count(LITEMRC_COUNTER_UPDATE, page);
		}
	}
	replication_end();
	replication_fill(&found);
	printf("%u %u %u %u %u %u %u %u %llu %u\n", found.local, found.remote_reads, found.remote_writes,
	       found.replications, found.refused, found.drops, found.kept, found.updates_received,
	       (unsigned long long)found.cost, found.damaged);
	return found.damaged != 0;
}
