/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends the record of each finished epoch (litemrc_uapi.h) from the monitor's window, word by word, and then releases the
 * window; between two epochs, pages that the gateware queued as they became hot.
 */
#ifndef LITEMRC_EPOCHS_H
#define LITEMRC_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

/* on_ready is called from the monitor's interrupt and must call epochs_progress(). */
void epochs_init(void (*on_ready)(void));

/* Sends what fits into the link. Interrupts are off. */
void epochs_progress(void);

/*
 * Call before scale_log2, split or hot pages change, and before a clear: the epoch in the window was counted with the
 * present settings.
 */
void epochs_keep_settings(void);

/* Ends the running epoch and returns its number. Call with interrupts off. */
uint32_t epochs_end(void);

/* Number of the first epoch that is not sent. */
uint32_t epochs_next(void);

/* Whether all epochs up to `last` are sent. */
bool epochs_are_sent(uint32_t last);

/* Whether an epoch is partly sent: nothing else may be. */
bool epochs_halfway(void);

#endif
