/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity and parameters of the device, for a host. */
#ifndef LITEMRCD_HELLO_H
#define LITEMRCD_HELLO_H

#include <stdint.h>

/* Finds the name of the operating system. */
void hello_init(void);

/* Sends hello to a host: the answer to `request`, or unasked (0). Caller has checked the room. */
void hello_send(unsigned int host, uint32_t request);

#endif
