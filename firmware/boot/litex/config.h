/* SPDX-License-Identifier: BSD-2-Clause */
/* A LiteX SoC with VexRiscv `linux` and its timer; all addresses come from the headers that LiteX generates. */
#ifndef CONFIG_H
#define CONFIG_H

#define LITEX_CSR_ACCESS_FUNCTIONS 0
#define CSR_ACCESSORS_DEFINED
#include <generated/csr.h>
#include <generated/mem.h>

#ifdef CODE_IN_DRAM
/* A board's BIOS is in the ROM, and loads the shim behind kernel and device tree. */
#define CODE_BASE (MAIN_RAM_BASE + 0x7f0000)
#define CODE_BYTES 0x10000
#else
#define CODE_BASE ROM_BASE
#define CODE_BYTES ROM_SIZE
#endif
#define RAM_BASE SRAM_BASE
#define RAM_BYTES SRAM_SIZE

#define KERNEL_ADDRESS MAIN_RAM_BASE
#define DTB_ADDRESS (MAIN_RAM_BASE + 0x700000)

/* LiteX places the high word of a 64-bit register first. */
#define TIME_HIGH CSR_CPU_TIMER_TIME_ADDR
#define TIME_LOW (CSR_CPU_TIMER_TIME_ADDR + 4)
#define TIMECMP_HIGH CSR_CPU_TIMER_TIME_CMP_ADDR
#define TIMECMP_LOW (CSR_CPU_TIMER_TIME_CMP_ADDR + 4)
#define TIMER_LATCH CSR_CPU_TIMER_LATCH_ADDR

#endif
