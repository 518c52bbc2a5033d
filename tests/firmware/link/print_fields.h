/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a field by its name. */
#ifndef LITEMRC_PRINT_FIELDS_H
#define LITEMRC_PRINT_FIELDS_H

#include <inttypes.h>
#include <stdio.h>

#include "litemrc_types.h"

#define U(name, value) printf(" " name "=%" PRIu64, (uint64_t)(value))

static inline void print_string(const char *name, const struct zcbor_string *s)
{
	printf(" %s=", name);
	for (size_t i = 0; i < s->len; i++)
		printf("%02x", s->value[i]);
}

static inline void print_numbers(const char *name, const uint32_t *values, size_t count)
{
	printf(" %s=", name);
	for (size_t i = 0; i < count; i++)
		printf("%s%" PRIu32, i ? "," : "", values[i]);
}

#endif
