/* SPDX-License-Identifier: BSD-2-Clause */
/* The monotonic clock. */
#ifndef LITEMRCD_TIMING_H
#define LITEMRCD_TIMING_H

#include <stdint.h>
#include <time.h>

#define NS_OF_MS 1000000

int64_t now_ms(void);

/* Cycles of the SoC clock since `began`. */
uint64_t cycles_since(const struct timespec *began, uint32_t clock_hz);

#endif
