/* SPDX-License-Identifier: BSD-2-Clause */
/* A device by its registers (litemrc_regs.h): the operations of a SoC's blocks, over any bus that reaches them. */
#ifndef LITEMRC_REGISTERS_H
#define LITEMRC_REGISTERS_H

#include "device.h"
#include "litemrc_regs.h"

enum register_block {
	BLOCK_MRC, BLOCK_MRC_WINDOW, BLOCK_RANKS, BLOCK_RANKS_WINDOW, BLOCK_REFS, BLOCK_REFS_WINDOW,
	BLOCK_TAPS,	/* one word: accesses lost before the reference counters */
	BLOCK_TRAFFIC, REGISTER_BLOCKS
};

/*
 * Registers behind a bridge: writes can be lost and are read back, software of the SoC may write the same registers, and
 * there are no interrupts.
 */
struct register_bus {
	/* Words of a block from a byte offset on, until the next call. */
	const uint32_t *(*read)(struct register_bus *bus, enum register_block block, uint32_t offset, uint32_t words);
	void (*write)(struct register_bus *bus, enum register_block block, uint32_t offset, uint32_t value);
	/* Between two reads of a register that is waited for, before the n-th repetition; false: it was long enough. */
	bool (*wait)(struct register_bus *bus, uint32_t n);
};

struct register_device {
	struct device device;	/* the first member */
	struct register_bus *bus;	/* NULL with DEVICE_BASES */
	/* Before settings change or a clear: the epoch in the window was counted with the present ones. */
	void (*settle)(struct register_device *registers);
	/* Only with rank power. Of a domain: pages whose data may be needed, and whether it holds the program that serves. */
	uint32_t (*live_pages)(struct register_device *registers, uint32_t domain);
	bool (*runs_from)(struct register_device *registers, uint32_t domain);
	uint32_t dram_chips, dram_phases;
	const char *dram_part;

	/* The operations' own. */
	bool accessed_messages, hot_messages;	/* selected by the host */
	bool always_on;		/* set by the host: the gateware queues hot pages */
	bool rows_observed;	/* of the DRAM, not only its reads and writes */
	uint32_t refresh_cycles;	/* that a REFRESH takes */
	bool counters_asked;	/* for their state or events */
	const char *failure;	/* why the present request cannot be executed */
};

/* The accesses that a counter (LITEMRC_COUNTER_*) of all pages counts. */
struct counter_selection {
	uint32_t initial, accesses;	/* accesses: 1 reads, 2 writes, 3 both */
	uint32_t masters, contexts;	/* one bit each; LITEMRC_REFS_MASTER_* */
	uint32_t lower, upper;		/* pages */
};

/*
 * Fills in the operations, and the parameters that registers tell. Blocks are read whose features are set: those of rank
 * power, reference counters and traffic must be.
 */
void registers_open(struct register_device *registers);

/* As the operations of a device, for ports that add to them. */
int registers_get(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer);
int registers_set(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer);
int registers_order(struct device *device, enum device_order order, uint32_t value, struct answer *answer);

void registers_select(struct register_device *registers, uint32_t counter, const struct counter_selection *selection);
/* Loads all counters with their initial values, and enables or disables counting. */
void registers_restart_counters(struct register_device *registers, bool on);

/* Restarts the stream of the traffic generator; the values are those of DEVICE_TRAFFIC. */
void registers_set_traffic(struct register_device *registers, const uint32_t *values);

#endif
