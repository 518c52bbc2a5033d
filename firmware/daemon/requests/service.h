/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the host and their answers, one at a time. */
#ifndef LITEMRCD_SERVICE_H
#define LITEMRCD_SERVICE_H

#include <stdbool.h>

/* Sends hello; call after driver_open() and programs_read(). */
void service_init(int tty);

/* Whether more bytes may be read: not while a request waits for room for its answer. */
bool service_can_read(void);

/* Reads bytes from the host. Returns 0, or -errno if the port is gone. */
int service_read(void);

/* Processes the bytes read, as far as the outbox has room for answers. */
void service_progress(void);

/* Damaged or oversized frames, and answered requests. */
unsigned int service_damaged(void);
unsigned int service_answered(void);

#endif
