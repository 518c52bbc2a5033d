/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>

extern uint32_t dram_base, remote_base, page_pool_base;
extern const uint32_t page_pool_size;

#define MAIN_RAM_BASE dram_base
#define MAIN_RAM_SIZE (1u << 24)
#define REMOTE_BASE remote_base
#define PAGE_POOL_BASE page_pool_base
#define PAGE_POOL_SIZE page_pool_size
#define RANKS_WINDOW_BASE 0
#define MRC_WINDOW_BASE 0
#define CSR_BASE 0
