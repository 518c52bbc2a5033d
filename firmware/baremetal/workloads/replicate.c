// SPDX-License-Identifier: BSD-2-Clause
/*
 * A processor whose pages have their home at another master, the traffic generator, which writes some of them. The
 * processor accesses pages remotely until it has copies, and drops copies that are written more often than read. The
 * references are described by reference_counters/scenarios/baremetal_replicate.toml and predicted by
 * litemrc_studies.reference_counters.machine.replicate_scenario. `repeats`: multiplies the rounds.
 */
#include <generated/csr.h>

#ifdef CSR_REFS_BASE

#include <generated/mem.h>
#include <system.h>

#include "monitor.h"
#include "paging/replication.h"
#include "refs.h"
#include "replicate_scenario.h"
#include "traffic.h"
#include "workload.h"

static uint32_t state;
static uint8_t versions[REPLICATE_PAGES][REPLICATE_WORDS];	/* number of writes to each word, mod 256 */

_Static_assert(REPLICATE_PAGES <= REPLICATION_PAGES, "pages");
_Static_assert(REPLICATE_PAGES * REPLICATE_WORDS * 4 <= REPLICATE_MEMORY_PAGES * PAGE_BYTES, "memory");

/* Content of a word: its address and the number of its write. */
static uint32_t content(uint32_t page, uint32_t word)
{
	return page << 24 | word << 8 | versions[page][word];
}

/* The first page whose cumulative weight exceeds a random number. */
static uint32_t draw_page(void)
{
	uint32_t wanted = random_next(&state), page = 0;

	while (replicate_cumulative[page] <= wanted && page < REPLICATE_PAGES - 1)
		page++;
	return page;
}

static void refer(void)
{
	uint32_t page = draw_page(), random = random_next(&state);
	uint32_t word = random >> 8 & (REPLICATE_WORDS - 1);

	if (random >> 24 < replicate_writes[page]) {
		versions[page][word]++;
		replication_write(page, word, content(page, word));
	} else if (replication_read(page, word) != content(page, word)) {
		replication_note_damage();
	}
}

/* Initialises all pages through the remote window, before the counters start. */
static void write_all(uint8_t *memory)
{
	volatile uint32_t *home = (volatile uint32_t *)(memory - MAIN_RAM_BASE + REMOTE_BASE);

	for (uint32_t page = 0; page < REPLICATE_PAGES; page++)
		for (uint32_t word = 0; word < REPLICATE_WORDS; word++) {
			versions[page][word] = 0;
			home[page * REPLICATE_WORDS + word] = content(page, word);
		}
}

void replicate_run(uint8_t *memory, uint32_t repeats)
{
	uint32_t shift = traffic_word_shift();
	uint32_t first_byte = (uint32_t)memory - MAIN_RAM_BASE + REPLICATE_HOME_FIRST_PAGE * REPLICATE_WORDS * 4;
	const struct traffic_stream written = {
		.base = first_byte >> shift,
		.words_log2 = REPLICATE_HOME_BYTES_LOG2 - shift,
		.random = true,
		.writes = REPLICATE_HOME_WRITES,
		.gap = REPLICATE_HOME_GAP,
		.seed = REPLICATE_HOME_SEED,
	};

	state = REPLICATE_SEED;
	flush_l2_cache();	/* dirty lines of earlier programs must not overwrite these pages */
	write_all(memory);
	traffic_begin(&written);
	replication_begin(memory, REPLICATE_PAGES, REPLICATE_DELAY, REPLICATE_UPDATE, monitor_read(LITEMRC_CONTEXT));
	for (uint32_t round = 0; round < repeats * REPLICATE_ROUNDS; round++) {
		replication_run_home(REPLICATE_HOME_ACCESSES);
		for (uint32_t reference = 0; reference < REPLICATE_REFERENCES; reference++)
			refer();
		while (traffic_left())
			;
	}
	replication_end();
}

#endif
