/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LITEMRC_BOOTARGS_H
#define LITEMRC_BOOTARGS_H

#include <stdbool.h>

/* Whether the word stands in the boot arguments. */
bool bootarg(const char *word);

#endif
