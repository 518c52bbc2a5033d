/* SPDX-License-Identifier: BSD-2-Clause */
/* When the messages of service/register_messages.h are sent; and the ends of epochs. */
#ifndef LITEMRC_EPOCHS_H
#define LITEMRC_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

/* on_ready is called from the monitor's interrupt and must call epochs_progress(). */
void epochs_init(void (*on_ready)(void));

/* Sends what fits into the link. Interrupts are off. */
void epochs_progress(void);

/* Sends the events of reference counters; false: the link has no room. */
bool epochs_send_counts(void);

/* As messages_keep_settings(). */
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
