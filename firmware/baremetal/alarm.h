/* SPDX-License-Identifier: BSD-2-Clause */
/* Alarms on the one timer. All calls with interrupts off; handlers are called so, too. */
#ifndef LITEMRC_ALARM_H
#define LITEMRC_ALARM_H

#include <stdint.h>

enum alarm { ALARM_LEASE, ALARM_EPOCHS, ALARMS };

/* `handler` is called when the alarm goes off. Call before any alarm is set. */
void alarm_init(enum alarm alarm, void (*handler)(void));

/* Goes off once, after n cycles; 0: not at all. An earlier setting is forgotten. */
void alarm_set(enum alarm alarm, uint32_t cycles);

#endif
