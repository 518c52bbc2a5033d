/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qemu-system-riscv32 -machine virt -cpu rv32,sstc=off, or the same of 64 bits: the shim is its -bios. Addresses: hw/riscv/virt.c
 * of qemu.
 */
#ifndef CONFIG_H
#define CONFIG_H

#define CODE_BASE 0x80000000
#define CODE_BYTES 0x10000
#define RAM_BASE 0x80010000
#define RAM_BYTES 0x10000

/* The first multiple of 4 MiB behind the shim, on 64 bits of 2 MiB, where qemu loads a kernel. */
#define KERNEL_ADDRESS (__riscv_xlen == 64 ? 0x80200000 : 0x80400000)
#define DTB_ADDRESS 0

/* The CLINT. */
#define TIMECMP_LOW 0x02004000
#define TIMECMP_HIGH 0x02004004
#define TIME_LOW 0x0200bff8
#define TIME_HIGH 0x0200bffc
#define TIMER_LATCH 0
#define MSIP 0x02000000
#ifndef HARTS /* qemu's option -smp */
#define HARTS 1
#endif

#endif
