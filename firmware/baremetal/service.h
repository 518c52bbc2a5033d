/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The serial service: answers requests and sends finished epochs, all by interrupt, while programs run.
 */
#ifndef LITEMRC_SERVICE_H
#define LITEMRC_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

/* A program that the host asked for. */
struct run_order {
	uint32_t workload, context, scale;
};

void service_init(void);

/* Takes the host's order, if there is one. Until service_done() further orders are refused as busy. */
bool service_take_order(struct run_order *order);

/* Tells the host that a program started. */
void service_started(const struct run_order *order);

/* Ends the running epoch, waits until it is with the host, and tells that the program is done. */
void service_done(const struct run_order *order, uint64_t cycles);

#endif
