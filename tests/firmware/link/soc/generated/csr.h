/* SPDX-License-Identifier: BSD-2-Clause */
/* A SoC for tests of firmware/baremetal: its registers are an array, and the test places its DRAM. */
#include <stdint.h>

#define CSR_RANKS_BASE 0
#define CSR_MRC_BASE 0x1000
