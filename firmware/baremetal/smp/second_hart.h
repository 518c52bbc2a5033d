/* SPDX-License-Identifier: BSD-2-Clause */
/* Hart 1 of a SoC with two: it waits, without an access to the DRAM, until hart 0 gives it a program. */
#ifndef LITEMRC_SECOND_HART_H
#define LITEMRC_SECOND_HART_H

#include <stdint.h>

/* Starts a workload on hart 1, which must have returned from the one before. */
void second_hart_start(void (*run)(uint8_t *memory, uint32_t repeats), uint8_t *memory, uint32_t repeats);

/* Waits until hart 1 has returned. */
void second_hart_wait(void);

#endif
