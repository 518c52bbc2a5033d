/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and names in text that others wrote. */
#ifndef LITEMRCD_TEXT_H
#define LITEMRCD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a decimal number of at most `most` at *text, nothing before it, and moves *text behind it. Returns false, and
 * moves nothing, when there is none or a larger one.
 */
bool take_number(const char **text, uint64_t most, uint64_t *number);

/* The whole text as a number of at most `most`; one newline may end it. */
bool whole_number(const char *text, uint64_t most, uint64_t *number);

/*
 * Copies at most size - 1 bytes of a name of any origin and ends it by a zero; what is no printable ASCII becomes '?',
 * so that the copy is valid UTF-8. A newline or zero ends the name. Returns its length.
 */
size_t copy_name(char *copy, size_t size, const char *name, size_t length);

#endif
