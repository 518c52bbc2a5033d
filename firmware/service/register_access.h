/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a register_device share. */
#ifndef LITEMRC_REGISTER_ACCESS_H
#define LITEMRC_REGISTER_ACCESS_H

#include "litemrc_uapi.h"
#include "registers.h"

#define FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)
#define PUT(name, value) ((uint32_t)(value) << LITEMRC_##name##_SHIFT & LITEMRC_##name)

#ifdef DEVICE_BASES

#include <hw/common.h>

#define REGISTERS_ARE_REMOTE false
static const unsigned long register_bases[REGISTER_BLOCKS] = DEVICE_BASES;

static inline uint32_t register_read(struct register_device *r, enum register_block block, uint32_t offset)
{
	(void)r;
	return csr_read_simple(register_bases[block] + offset);
}

static inline void register_write_once(struct register_device *r, enum register_block block, uint32_t offset,
				       uint32_t value)
{
	(void)r;
	csr_write_simple(value, register_bases[block] + offset);
}

/* Consecutive words of a block, each to be read once, until the next call. */
static inline const volatile uint32_t *register_words(struct register_device *r, enum register_block block,
						      uint32_t offset, uint32_t words)
{
	(void)r;
	(void)words;
	return (const volatile uint32_t *)(register_bases[block] + offset);
}

#else

#define REGISTERS_ARE_REMOTE true

static inline void register_write_once(struct register_device *r, enum register_block block, uint32_t offset,
				       uint32_t value)
{
	r->bus->write(r->bus, block, offset, value);
}

static inline const volatile uint32_t *register_words(struct register_device *r, enum register_block block,
						      uint32_t offset, uint32_t words)
{
	return r->bus->read(r->bus, block, offset, words);
}

static inline uint32_t register_read(struct register_device *r, enum register_block block, uint32_t offset)
{
	return *register_words(r, block, offset, 1);
}

#endif

/*
 * Gives a command, or writes what may read otherwise. Over a bridge a read keeps the packets of writes apart, whose rate
 * nothing else limits.
 */
void register_command(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value);

/* Returns whether the register then reads the value; on a processor's bus it is not asked. */
bool register_try_write(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value);

/* The request fails if the register then reads otherwise. */
void register_write(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value);

/* Waits until the bits of a status are `value`, and returns the status. Else the request fails, for this reason. */
uint32_t register_wait(struct register_device *r, enum register_block block, uint32_t offset, uint32_t bits,
		       uint32_t value, const char *failure);

/* The settings of ranks, and those of reference counters and traffic. */
void ranks_get(struct register_device *r, enum device_setting setting, const uint32_t *arguments, struct answer *answer);
int ranks_set(struct register_device *r, enum device_setting setting, const uint32_t *values, struct answer *answer);
/* What the meter counted for a domain up to the epoch in the window. */
void ranks_fill(struct register_device *r, uint32_t domain, struct litemrc_rank *rank);
void counters_get(struct register_device *r, enum device_setting setting, const uint32_t *arguments,
		  struct answer *answer);
void counters_set(struct register_device *r, enum device_setting setting, const uint32_t *values);

#endif
