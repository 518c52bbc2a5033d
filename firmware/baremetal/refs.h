/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference counters: two down-counters per page, DELAY and UPDATE. Their events go to the program that takes them,
 * else to the host as messages.
 *
 * Call all but refs_init() with interrupts off, or from the program that takes the events.
 */
#ifndef LITEMRC_REFS_H
#define LITEMRC_REFS_H

#include <stdbool.h>
#include <stdint.h>

#include "registers.h"

/* on_event is called from the interrupt when there are events. */
void refs_init(void (*on_event)(void));

/* Hands events to their consumer. Those for the host wait for room on the link, and until no epoch is half sent. */
void refs_progress(void);

/* Directs events to a program, which is called in interrupts; NULL: to the host. */
void refs_give_events(void (*consumer)(uint32_t page, uint32_t counter));

void refs_select(uint32_t counter, const struct counter_selection *selection);

/* Loads all counters with their initial values, and enables or disables counting. */
void refs_restart(bool on);

uint32_t refs_page_shift(void);
uint32_t refs_value(uint32_t counter, uint32_t page);
void refs_load(uint32_t counter, uint32_t page, uint32_t value);
/* Loads the initial value of all pages. */
void refs_rearm(uint32_t counter, uint32_t page);

/* Lost events, and accesses lost before they reached the counters. */
uint32_t refs_lost(void);

/* Whether a program takes the events: a host may not change counters and traffic then. */
bool refs_are_taken(void);

#endif
