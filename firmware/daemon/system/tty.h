/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port: exclusive, raw, non-blocking. */
#ifndef LITEMRCD_TTY_H
#define LITEMRCD_TTY_H

#include <stdbool.h>
#include <stdint.h>

/* Exits if it cannot be opened or is not a serial port. */
int tty_open(const char *path, uint32_t baud);

/* Whether serial ports support this speed, in bit/s. */
bool tty_knows_baud(uint32_t baud);

#endif
