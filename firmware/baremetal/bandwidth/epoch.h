/* SPDX-License-Identifier: BSD-2-Clause */
/* An epoch of the monitor around a piece of code. */
#ifndef LITEMRC_BANDWIDTH_EPOCH_H
#define LITEMRC_BANDWIDTH_EPOCH_H

#include <stdint.h>

#include "litemrc_uapi.h"

/* The DRAM commands of an epoch, of all banks; `banks` is their sum. */
struct epoch {
	uint32_t cycles, refreshes;
	struct litemrc_bank banks;
};

/* Enables the monitor; its epochs end by command, and are held until they are read. */
void epoch_init(void);

/* Waits until the console's buffer is empty, as its interrupts take time, and begins an epoch. */
void epoch_begin(void);

/* Ends the epoch and reads it. */
struct epoch epoch_end(void);

/* Prints the counts, and the end of the line. */
void epoch_print(const struct epoch *epoch);

#endif
