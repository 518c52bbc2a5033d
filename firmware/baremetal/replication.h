/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of remote pages in local memory, made and dropped as the reference counters say ("Reference counters": DELAY
 * and UPDATE). A program refers to pages through it; each access goes to the page's copy if there is one, else through
 * the remote window, and is charged what it costs in the paper's machine.
 *
 * A page is at home in the DRAM, with the traffic generator. Writes of the processor go home, and to the copy, too;
 * what the generator writes is counted and charged as updates that a network would bring, but no hardware brings
 * its data.
 */
#ifndef LITEMRC_REPLICATION_H
#define LITEMRC_REPLICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

#define REPLICATION_PAGES 32u	/* at most */

/* Takes pages from `memory`, an address of DRAM, on, and the reference counters, with their initial values. */
void replication_begin(uint8_t *memory, uint32_t pages, uint32_t delay, uint32_t update, uint32_t context);

uint32_t replication_read(uint32_t page, uint32_t word);
void replication_write(uint32_t page, uint32_t word, uint32_t value);

/* Has the page's home make so many accesses, beside the processor's. */
void replication_run_home(uint32_t accesses);

/* A word was not what was written. */
void replication_note_damage(void);

/* Gives the counters back and compares all copies with their pages. */
void replication_end(void);

/* Whether there is something to tell that was not told; what. */
bool replication_tells(void);
void replication_fill(struct pages_body *message);

#endif
