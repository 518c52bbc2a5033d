/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port: opened for us alone, raw, never waiting. */
#ifndef LITEMRCD_TTY_H
#define LITEMRCD_TTY_H

#include <stdbool.h>
#include <stdint.h>

/* Gives up when it cannot be opened or is no serial port. */
int tty_open(const char *path, uint32_t baud);

/* Whether a serial port can have this many bit/s. */
bool tty_knows_baud(uint32_t baud);

#endif
