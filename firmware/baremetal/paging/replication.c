// SPDX-License-Identifier: BSD-2-Clause
#include "paging/replication.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <irq.h>
#include <stddef.h>

#include "litemrc_regs.h"
#include "refs.h"
#include "traffic.h"

#ifdef CSR_REFS_BASE

#include "replicate_scenario.h"

#define ALL_CONTEXTS (LITEMRC_REFS_DELAY_SELECT_CONTEXTS >> LITEMRC_REFS_DELAY_SELECT_CONTEXTS_SHIFT)

/* A page of the program. */
static struct {
	volatile uint32_t *copy;	/* NULL: there is none */
	uint32_t accesses;		/* to the copy, since it was made or UPDATE was last re-armed */
} table[REPLICATION_PAGES];

static volatile uint32_t *home;	/* page 0 in the remote window */
static uint32_t first, pages, page_words, update_initial, context;	/* first: page 0, as the counters number it */
static uint32_t free_slots;	/* of local memory, one bit each */
static uint32_t home_started;
static struct {
	uint32_t local, remote_reads, remote_writes, replications, refused, drops, kept;
	uint32_t updates_sent, updates_received, damaged;
} counts;
static enum { NOTHING, RUNNING, ENDED } state;

static volatile uint32_t *home_of(uint32_t page)
{
	return home + page * page_words;
}

static uint32_t room(void)
{
	return PAGE_POOL_SIZE / 4 / page_words;
}

/* UPDATE is loaded before the copy is made: updates during the copying are counted, too. */
static void replicate(uint32_t page)
{
	volatile uint32_t *copy, *from = home_of(page);
	uint32_t slot;

	if (!free_slots) {
		counts.refused++;
		refs_rearm(LITEMRC_COUNTER_DELAY, first + page);
		return;
	}
	slot = __builtin_ctz(free_slots);
	free_slots &= ~(1u << slot);
	refs_load(LITEMRC_COUNTER_UPDATE, first + page, update_initial);
	copy = (volatile uint32_t *)PAGE_POOL_BASE + slot * page_words;
	for (uint32_t word = 0; word < page_words; word++)
		copy[word] = from[word];
	table[page].copy = copy;
	table[page].accesses = 1;	/* the read that made DELAY 0 */
	counts.replications++;
}

static void drop(uint32_t page)
{
	free_slots |= 1u << (table[page].copy - (volatile uint32_t *)PAGE_POOL_BASE) / page_words;
	table[page].copy = NULL;
	counts.drops++;
	refs_rearm(LITEMRC_COUNTER_DELAY, first + page);
}

static void decide(uint32_t page)
{
	counts.updates_received += update_initial;
	if (update_initial > table[page].accesses) {
		drop(page);
		return;
	}
	counts.kept++;
	table[page].accesses = 0;
	refs_load(LITEMRC_COUNTER_UPDATE, first + page, update_initial);
}

static void take_event(uint32_t page, uint32_t counter)
{
	if (counter == LITEMRC_COUNTER_DELAY)
		replicate(page - first);
	else
		decide(page - first);
}

void replication_begin(uint8_t *memory, uint32_t count, uint32_t delay, uint32_t update, uint32_t of_context)
{
	uint32_t offset = (uint32_t)memory - MAIN_RAM_BASE;

	page_words = 1u << (refs_page_shift() - 2);
	home = (volatile uint32_t *)(REMOTE_BASE + offset);
	first = offset >> refs_page_shift();
	pages = count;
	update_initial = update;
	context = of_context;
	free_slots = room() < 32 ? (1u << room()) - 1 : UINT32_MAX;
	home_started = 0;
	for (uint32_t page = 0; page < pages; page++)
		table[page].copy = NULL;
	irq_setie(0);
	counts = (typeof(counts)){0};
	refs_give_events(take_event);
	refs_select(LITEMRC_COUNTER_DELAY, &(struct counter_selection){
		.initial = delay, .accesses = 1, .masters = 1u << LITEMRC_REFS_MASTER_REMOTE, .contexts = ALL_CONTEXTS,
		.lower = first, .upper = first + pages - 1,
	});
	/* Initial value 0: only pages with a copy count updates. */
	refs_select(LITEMRC_COUNTER_UPDATE, &(struct counter_selection){
		.initial = 0, .accesses = 2, .masters = 1u << LITEMRC_REFS_MASTER_TRAFFIC, .contexts = ALL_CONTEXTS,
		.lower = first, .upper = first + pages - 1,
	});
	refs_restart(true);
	state = RUNNING;
	irq_setie(1);
}

/* Interrupts are off during an access, so its copy is neither made nor dropped meanwhile. */
uint32_t replication_read(uint32_t page, uint32_t word)
{
	uint32_t value;

	irq_setie(0);
	if (table[page].copy) {
		value = table[page].copy[word];
		table[page].accesses++;
		counts.local++;
	} else {
		value = home_of(page)[word];
		counts.remote_reads++;
	}
	irq_setie(1);
	return value;
}

void replication_write(uint32_t page, uint32_t word, uint32_t value)
{
	irq_setie(0);
	home_of(page)[word] = value;
	if (table[page].copy) {
		table[page].copy[word] = value;
		table[page].accesses++;
		counts.local++;
		counts.updates_sent++;
	} else {
		counts.remote_writes++;
	}
	irq_setie(1);
}

void replication_run_home(uint32_t accesses)
{
	irq_setie(0);
	home_started += accesses;
	traffic_start(accesses);
	irq_setie(1);
}

void replication_note_damage(void)
{
	counts.damaged++;
}

void replication_end(void)
{
	irq_setie(0);
	/* Updates since the last events. */
	for (uint32_t page = 0; page < pages; page++)
		if (table[page].copy)
			counts.updates_received += update_initial - refs_value(LITEMRC_COUNTER_UPDATE, first + page);
	refs_restart(false);
	refs_give_events(NULL);
	state = ENDED;
	irq_setie(1);
	for (uint32_t page = 0; page < pages; page++)
		for (uint32_t word = 0; table[page].copy && word < page_words; word++)
			counts.damaged += table[page].copy[word] != home_of(page)[word];
}

bool replication_reports(void)
{
	return state != NOTHING;
}

static uint64_t cost(const struct litemrc_copies *found)
{
	uint64_t replication = NUMA_PAGE_FAULT + (uint64_t)NUMA_WORD_TRANSFER * page_words;

	return (uint64_t)(found->local + found->home) * NUMA_LOCAL_ACCESS +
	       (uint64_t)found->remote_reads * NUMA_REMOTE_READ + (uint64_t)found->remote_writes * NUMA_REMOTE_WRITE +
	       (uint64_t)(found->updates_sent + found->updates_received) * NUMA_UPDATE +
	       found->replications * replication +
	       (uint64_t)(found->refused + found->drops + found->kept) * NUMA_PAGE_FAULT;
}

void replication_fill(struct litemrc_copies *found)
{
	uint32_t copies = 0, pending = 0;

	for (uint32_t page = 0; page < pages; page++)
		if (table[page].copy) {
			copies++;
			if (state == RUNNING)
				pending += update_initial - refs_value(LITEMRC_COUNTER_UPDATE, first + page);
		}
	found->context = context;
	found->copies = copies;
	found->room = room();
	found->references = counts.local + counts.remote_reads + counts.remote_writes;
	found->local = counts.local;
	found->remote_reads = counts.remote_reads;
	found->remote_writes = counts.remote_writes;
	found->home = home_started - traffic_left();
	found->replications = counts.replications;
	found->refused = counts.refused;
	found->drops = counts.drops;
	found->kept = counts.kept;
	found->updates_sent = counts.updates_sent;
	found->updates_received = counts.updates_received + pending;
	found->cost = cost(found);
	found->lost = refs_lost();
	found->damaged = counts.damaged;
	if (state == ENDED)
		state = NOTHING;
}

#else

bool replication_reports(void)
{
	return false;
}

void replication_fill(struct litemrc_copies *found)
{
	(void)found;
}

#endif
