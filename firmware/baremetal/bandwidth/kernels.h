/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that move data between processor and DRAM, and what each loads and stores by its own account. */
#ifndef LITEMRC_BANDWIDTH_KERNELS_H
#define LITEMRC_BANDWIDTH_KERNELS_H

#include <stdint.h>

/*
 * Of each array: 4 times the L2 cache. tests/board_sim/test_bandwidth.py reads these values and follows the addresses.
 * The arrays' first bytes are in other sets of the caches, so that lines of two arrays do not evict each other.
 */
#define ARRAY_BYTES 0x8000u
#define FIRST_ARRAY 0x40100000u
#define SECOND_ARRAY 0x40120a00u
#define THIRD_ARRAY 0x40141400u
#define LINE_BYTES 32u	/* of the processor's data cache */
#define RANDOM_BYTES 0x40000u	/* from FIRST_ARRAY on */
#define RANDOM_LOADS 4096u
#define RANDOM_SEED 1u

struct kernel {
	const char *name;
	uint32_t loaded, stored;	/* bytes of all loads and stores */
	void (*prepare)(void);	/* or NULL; not counted */
	void (*run)(void);
};

extern const struct kernel kernels[];
extern const unsigned int kernel_count;

#endif
