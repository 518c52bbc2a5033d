/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LITEMRC_BOOTARGS_H
#define LITEMRC_BOOTARGS_H

#include <stdbool.h>

/* Returns the boot argument "name=0" or "name=1", or `otherwise` if absent. Takes the same time for both values. */
bool bootarg(const char *name, bool otherwise);

#endif
