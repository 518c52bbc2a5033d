/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference counters: two down-counters per page, DELAY and UPDATE. Their events go to the program that takes them,
 * else to the host as messages. On a SoC without reference counters every request is refused.
 *
 * Call all but refs_init() with interrupts off, or from the program that takes the events.
 */
#ifndef LITEMRC_REFS_H
#define LITEMRC_REFS_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* The accesses that a counter (LITEMRC_COUNTER_...) of all pages counts. */
struct refs_selection {
	uint32_t initial;
	uint32_t accesses;	/* 1 reads, 2 writes, 3 both */
	uint32_t masters, contexts;	/* one bit each; LITEMRC_REFS_MASTER_... */
	uint32_t lower, upper;	/* pages */
};

/* on_event is called from the interrupt when there are events. */
void refs_init(void (*on_event)(void));

/*
 * Hands events to their consumer. Those for the host wait for room on the link, and until no epoch is half sent:
 * `between_epochs`.
 */
void refs_progress(bool between_epochs);

/* Directs events to a program, which is called in interrupts; NULL: to the host. */
void refs_give_events(void (*consumer)(uint32_t page, uint32_t counter));

void refs_select(uint32_t counter, const struct refs_selection *selection);

/* Loads all counters with their initial values, and enables or disables counting. */
void refs_restart(bool on);

uint32_t refs_page_shift(void);
uint32_t refs_value(uint32_t counter, uint32_t page);
void refs_load(uint32_t counter, uint32_t page, uint32_t value);
/* Loads the initial value of all pages. */
void refs_rearm(uint32_t counter, uint32_t page);

/* Lost events, and accesses lost before they reached the counters. */
uint32_t refs_lost(void);

/* Feature bits of the counters and of the traffic generator. */
uint32_t refs_features(void);

/* As settings_perform(). */
int refs_perform(const struct host_request *request, struct ack_body *ack, const char **reason);

#endif
