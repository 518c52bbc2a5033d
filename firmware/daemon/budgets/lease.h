/* SPDX-License-Identifier: BSD-2-Clause */
/* A host that governs may vanish: the budgets that it set hold as long as its lease, then none does. */
#ifndef LITEMRCD_LEASE_H
#define LITEMRCD_LEASE_H

#include <stdint.h>

/* Gives or prolongs the lease, in clock cycles of the SoC; 0 ends it now. */
void lease_set(uint32_t cycles);

/* Ends the lease if it is time. */
void lease_progress(void);

/* How long that may be put off, in ms; -1: for ever. */
int lease_patience_ms(void);

#endif
