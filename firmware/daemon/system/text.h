/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and names in untrusted text. */
#ifndef LITEMRCD_TEXT_H
#define LITEMRCD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a decimal number up to `most` at *text and moves *text past it. Returns false, and does not move *text, if
 * there is no number or a larger one.
 */
bool take_number(const char **text, uint64_t most, uint64_t *number);

/* Reads the whole text as a number up to `most`; a final newline is allowed. */
bool whole_number(const char *text, uint64_t most, uint64_t *number);

/*
 * Copies up to size - 1 bytes of a name and terminates the copy with a zero. Bytes that are not printable ASCII become
 * '?', so the copy is valid UTF-8. A newline or zero ends the name. Returns the length of the copy.
 */
size_t copy_name(char *copy, size_t size, const char *name, size_t length);

#endif
