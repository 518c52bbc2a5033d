/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends each finished epoch from the monitor's window, a message a context, and then releases the window. */
#ifndef LITEMRC_EPOCHS_H
#define LITEMRC_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

/* on_ready is called from the monitor's interrupt, which must lead to epochs_progress(). */
void epochs_init(void (*on_ready)(void));

/* Sends what there is and fits; interrupts are off. */
void epochs_progress(uint32_t groups, uint32_t contexts);

/* Call before scale_log2 changes: an epoch in the window was counted with the one still in force. */
void epochs_keep_scale(void);

/* Whether some messages of an epoch are sent and some are not. */
bool epochs_halfway(void);

/* Epoch messages sent since boot. */
uint32_t epochs_sent(void);

#endif
