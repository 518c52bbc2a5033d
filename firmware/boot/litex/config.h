/* SPDX-License-Identifier: BSD-2-Clause */
/* A LiteX SoC with VexRiscv `linux` and its timer, or VexRiscv-SMP or Rocket and their CLINT; all addresses come from LiteX's headers. */
#ifndef CONFIG_H
#define CONFIG_H

#define LITEX_CSR_ACCESS_FUNCTIONS 0
#define CSR_ACCESSORS_DEFINED
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>

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

#ifdef CLINT_BASE
#define TIMECMP_LOW (CLINT_BASE + 0x4000)
#define TIMECMP_HIGH (CLINT_BASE + 0x4004)
#define TIME_LOW (CLINT_BASE + 0xbff8)
#define TIME_HIGH (CLINT_BASE + 0xbffc)
#define TIMER_LATCH 0
#define MSIP CLINT_BASE
#define HARTS CONFIG_CPU_COUNT
#else
/* LiteX places the high word of a 64-bit register first. */
#define TIME_HIGH CSR_CPU_TIMER_TIME_ADDR
#define TIME_LOW (CSR_CPU_TIMER_TIME_ADDR + 4)
#define TIMECMP_HIGH CSR_CPU_TIMER_TIME_CMP_ADDR
#define TIMECMP_LOW (CSR_CPU_TIMER_TIME_CMP_ADDR + 4)
#define TIMER_LATCH CSR_CPU_TIMER_LATCH_ADDR
#define MSIP 0
#define HARTS 1
#endif

#endif
