/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends each finished epoch from the monitor's window, one message per context, and then releases the window. */
#ifndef LITEMRC_EPOCHS_H
#define LITEMRC_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor.h"

/* on_ready is called from the monitor's interrupt and must call epochs_progress(). */
void epochs_init(void (*on_ready)(void));

/* Sends messages of the finished epoch while the link has room. Interrupts are off. */
void epochs_progress(const struct device_parameters *parameters);

/*
 * Call before scale_log2, split or hot pages change, and before a clear: the epoch in the window was counted with the
 * present settings.
 */
void epochs_keep_settings(void);

/* Ends the running epoch and returns its number. Call with interrupts off. */
uint32_t epochs_end(void);

/* Whether all epochs up to `last` are sent. */
bool epochs_are_sent(uint32_t last);

/* Whether an epoch is partly sent. */
bool epochs_halfway(void);

/* Epoch messages sent since boot. */
uint32_t epochs_sent(void);

#endif
