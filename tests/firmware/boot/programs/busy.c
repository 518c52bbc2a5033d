// SPDX-License-Identifier: BSD-2-Clause
/*
 * Work that uses every part of the simulation's state: the DRAM, the monitor, both UARTs in both directions, the timer.
 *
 * It waits for a byte on the link, then for one on the console. Each round then touches pages, echoes a byte of each on
 * the console, and sends the round's number on the link.
 */
#include "smode.h"

#define PUTCHAR 1
#define GETCHAR 2
#define PAGES 16
#define PAGE_WORDS 1024
#define LINE_WORDS 16

static volatile uint32_t *const control = (volatile uint32_t *)CONTROL;
static volatile uint32_t *const link_data = (volatile uint32_t *)LINK_DATA;
static volatile uint32_t *const link_full = (volatile uint32_t *)LINK_FULL;
static volatile uint32_t *const link_empty = (volatile uint32_t *)LINK_EMPTY;
static volatile uint32_t *const link_pending = (volatile uint32_t *)LINK_PENDING;
static volatile uint32_t pages[PAGES][PAGE_WORDS];

static int32_t link_get(void)
{
	int32_t byte;

	if (*link_empty)
		return -1;
	byte = *link_data;
	*link_pending = 2;	/* the next one */
	return byte;
}

static void put(int32_t c)
{
	if (c >= 0)
		sbi(PUTCHAR, 0, c, 0);
}

static void print_number(uint32_t number)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		put("0123456789abcdef"[number >> shift & 15]);
}

int main(void)
{
	uint32_t sum = 0;

	*control = 1;
	while (*link_empty)
		;
	print("link: ");
	put(link_get());
	for (int32_t c = -1; c < 0;)
		c = sbi(GETCHAR, 0, 0, 0).error;
	print("\nrounds: ");
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t page = 0; page < PAGES; page++)
			sum += pages[page][round * LINE_WORDS % PAGE_WORDS]++ + page;
		put(sbi(GETCHAR, 0, 0, 0).error);
		put(link_get());
		while (*link_full)
			;
		*link_data = round;
	}
	print("\n");
	print_number(sum);
	print(" ");
	print_number(now());
	print("\nbusy: ok\n");
	return 0;
}
