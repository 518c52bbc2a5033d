/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's registers and window, as functions; the device that the service serves. */
#ifndef LITEMRC_MONITOR_H
#define LITEMRC_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <hw/common.h>

#include "registers.h"

extern struct register_device registers;

#define PARAMETERS (&registers.device.parameters)

static inline uint32_t monitor_read(uint32_t offset)
{
	return csr_read_simple(CSR_MRC_BASE + offset);
}

static inline void monitor_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_MRC_BASE + offset);
}

static inline bool monitor_status(uint32_t mask)
{
	return monitor_read(LITEMRC_STATUS) & mask;
}

/* Reads the registers of the SoC's blocks. */
void monitor_init(void);

/* Sets the bits of `mask` in the control register to those of `value`. */
void monitor_control(uint32_t mask, uint32_t value);

/* Enables the interrupts of `mask` (LITEMRC_EV_ENABLE_*) that are in `on`. */
void monitor_interrupts(uint32_t mask, uint32_t on);

/* Waits until the queue has taken the commands: they precede all later accesses. */
void monitor_invalidate(uint32_t first, uint32_t count);

/* The same. The frames' pages belong to `context` from their next access on, whatever the context register is then. */
void monitor_claim(uint32_t first, uint32_t count, uint32_t context);

/*
 * Disables the monitor and waits until it is idle: what follows is not counted. Returns the control register for
 * monitor_resume().
 */
uint32_t monitor_quieten(void);
void monitor_resume(uint32_t control);

#endif
