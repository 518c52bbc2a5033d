/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of remote pages in local memory, made and dropped at events of the reference counters (DELAY and UPDATE of the
 * paper "Reference counters"). A program accesses its pages through these functions: an access goes to the page's copy
 * if there is one, else through the remote window, and is charged its cost in the paper's machine.
 *
 * The home of a page is the DRAM, where the traffic generator accesses it. Writes of the processor go to the home and
 * to the copy. Writes of the generator are counted and charged as updates over a network; no data are transferred.
 */
#ifndef LITEMRC_REPLICATION_H
#define LITEMRC_REPLICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "litemrc_uapi.h"

#define REPLICATION_PAGES 32u	/* maximum */

/* Takes `pages` pages from the DRAM address `memory` on, and the reference counters with their initial values. */
void replication_begin(uint8_t *memory, uint32_t pages, uint32_t delay, uint32_t update, uint32_t context);

uint32_t replication_read(uint32_t page, uint32_t word);
void replication_write(uint32_t page, uint32_t word, uint32_t value);

/* Makes the home access its pages `accesses` times, in parallel with the processor. */
void replication_run_home(uint32_t accesses);

/* Counts a word that differs from what was written. */
void replication_note_damage(void);

/* Releases the counters and compares all copies with their pages. */
void replication_end(void);

/* Whether an epoch has this part; fills it in. */
bool replication_reports(void);
void replication_fill(struct litemrc_copies *found);

#endif
