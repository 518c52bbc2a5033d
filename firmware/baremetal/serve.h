/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port of the service: answers requests over the serial link and sends finished epochs by interrupt, while programs run.
 */
#ifndef LITEMRC_SERVE_H
#define LITEMRC_SERVE_H

#include <stdbool.h>
#include <stdint.h>

/* A program that the host requested. */
struct run_order {
	uint32_t workload, context, scale;
};

void serve_init(void);

/* Takes the host's order if there is one. Further orders are refused as busy until serve_done(). */
bool serve_take_order(struct run_order *order);

/* Reports the start of a program to the host. */
void serve_started(const struct run_order *order);

/* Ends the running epoch, waits until it is sent, and reports the end of the program to the host. */
void serve_done(const struct run_order *order, uint64_t cycles);

#endif
