// SPDX-License-Identifier: BSD-2-Clause
#include "paging/pager.h"

#include <generated/soc.h>
#include <irq.h>

#include "monitor.h"

#define PAGE_WORDS 1024u
#define STAMP_WORD (PAGER_DATA_BYTES / 4 - 1)	/* holds the page's number, to detect mixed-up pages */
#define L2_WORDS (CONFIG_L2_SIZE / 4)
#define IN 1u
#define USED 2u
#define DIRTY 4u	/* differs from the slow region */
#define LIVED 8u	/* used before: its frame or the slow region has its data */
#define ANYBODY ((1u << PAGER_OWNERS) - 1)

struct pager_owner pager_owners[PAGER_OWNERS];

static uint32_t *base;
static uint32_t total;
static uint8_t flags[PAGER_PAGES];
static uint16_t ring[PAGER_MEMORY];	/* resident pages in the order of the CLOCK hand */
static uint32_t filled, hand;

static uint32_t *place_of(uint32_t page)
{
	return base + page * PAGE_WORDS;
}

static uint32_t *slow_place_of(uint32_t page)
{
	return place_of(total + page);
}

static uint32_t owner_of(uint32_t page)
{
	return page >= pager_owners[1].first;
}

/* Makes the L2 cache write back the copied lines while the monitor is disabled, by reading lines that replace them. */
static void write_back(const uint32_t *copied)
{
	const volatile uint32_t *other = copied + L2_WORDS;

	for (uint32_t word = 0; word < PAGER_DATA_BYTES / 4; word += 4)
		(void)other[word];
}

static void copy(uint32_t *to, const uint32_t *from)
{
	for (uint32_t word = 0; word < PAGER_DATA_BYTES / 4; word += 8)
		for (uint32_t i = 0; i < 8; i++)
			to[word + i] = from[word + i];
}

static void clear(uint32_t *page)
{
	for (uint32_t word = 0; word < PAGER_DATA_BYTES / 4; word++)
		page[word] = 0;
}

void pager_init(uint8_t *memory, const uint32_t pages[PAGER_OWNERS])
{
	base = (uint32_t *)memory;
	total = filled = hand = 0;
	for (uint32_t owner = 0; owner < PAGER_OWNERS; owner++) {
		pager_owners[owner] = (struct pager_owner){
			.first = total, .pages = pages[owner], .budget = PAGER_NO_BUDGET,
		};
		total += pages[owner];
	}
	for (uint32_t page = 0; page < total; page++)
		flags[page] = 0;
}

enum pager_state pager_state(uint32_t page)
{
	if (flags[page] & IN)
		return PAGER_IN;
	return flags[page] & LIVED ? PAGER_OUT : PAGER_FRESH;
}

uint8_t *pager_use(uint32_t page, bool write)
{
	flags[page] |= USED | (write ? DIRTY : 0);
	return (uint8_t *)place_of(page);
}

static void advance(void)
{
	hand = hand + 1 == filled ? 0 : hand + 1;
}

/* Returns the ring position of the page to evict. owners: a bit for each candidate; one of them has a page. */
static uint32_t find_victim(uint32_t owners)
{
	for (;; advance()) {
		uint32_t page = ring[hand];

		if (!(owners >> owner_of(page) & 1))
			continue;
		if (!(flags[page] & USED))
			return hand;
		flags[page] &= ~USED;
	}
}

/* Evicts a page. Returns the number of pages written: 0 or 1. */
static uint32_t put_out(uint32_t page)
{
	struct pager_owner *owner = &pager_owners[owner_of(page)];
	bool dirty = flags[page] & DIRTY;

	if (dirty) {
		copy(slow_place_of(page), place_of(page));
		write_back(slow_place_of(page));
		owner->writes++;
	}
	flags[page] &= LIVED;
	owner->resident--;
	return dirty;
}

/* Returns the owners that may lose a frame to a page of `owner`, a bit for each. */
static uint32_t givers(uint32_t owner)
{
	uint32_t over = 0;

	for (uint32_t other = 0; other < PAGER_OWNERS; other++)
		if (pager_owners[other].resident > pager_owners[other].budget - (other == owner))
			over |= 1u << other;
	return over ? over : ANYBODY;
}

/* Returns the ring position of a frame for a page of `owner`. Adds the pages written to *written. */
static uint32_t find_frame(uint32_t owner, uint32_t *written)
{
	uint32_t place;

	if (filled < PAGER_MEMORY)
		return filled++;
	place = find_victim(givers(owner));
	*written += put_out(ring[place]);
	return place;
}

static void fill(struct pager_owner *owner, uint32_t page)
{
	if (flags[page] & LIVED) {
		copy(place_of(page), slow_place_of(page));
		owner->faults++;
		owner->damaged += place_of(page)[STAMP_WORD] != page;
		flags[page] |= IN | USED;
	} else {
		clear(place_of(page));
		place_of(page)[STAMP_WORD] = page;
		owner->zero_fills++;
		flags[page] |= IN | USED | DIRTY | LIVED;
	}
	write_back(place_of(page));
	owner->resident++;
}

uint32_t pager_bring_in(uint32_t owner, uint32_t page)
{
	uint32_t written = 0, place, control;

	irq_setie(0);
	control = monitor_quieten();
	place = find_frame(owner, &written);
	ring[place] = page;
	if (place == hand)
		advance();
	fill(&pager_owners[owner], page);
	monitor_resume(control);
	irq_setie(1);
	return written;
}

static uint32_t give_back(uint32_t owner)
{
	uint32_t place = find_victim(1u << owner), written = put_out(ring[place]);

	ring[place] = ring[--filled];
	if (hand >= filled)
		hand = 0;
	return written;
}

/* Returns the frames that an owner is to give back, and resets the request. */
static uint32_t take_reclaim(struct pager_owner *owner)
{
	uint32_t frames;

	irq_setie(0);
	frames = owner->reclaim;
	owner->reclaim = 0;
	irq_setie(1);
	return frames;
}

uint32_t pager_reclaim(void)
{
	uint32_t written = 0, control;

	for (uint32_t owner = 0; owner < PAGER_OWNERS; owner++)
		for (uint32_t left = take_reclaim(&pager_owners[owner]); left && pager_owners[owner].resident; left--) {
			irq_setie(0);
			control = monitor_quieten();
			written += give_back(owner);
			monitor_resume(control);
			irq_setie(1);
		}
	return written;
}
