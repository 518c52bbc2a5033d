/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the host and their answers, one at a time. */
#ifndef LITEMRCD_SERVICE_H
#define LITEMRCD_SERVICE_H

#include <stdbool.h>

/* Says hello; the driver's parameters and the programs must be known. */
void service_init(int tty);

/* Whether another byte of the host's may be read: not while a request waits for room for its answer. */
bool service_can_read(void);

/* Reads what the host sent. Returns 0, or -errno when the port is gone. */
int service_read(void);

/* Answers what was read and can be answered now. */
void service_progress(void);

/* Frames that were damaged or too long, and requests answered. */
unsigned int service_damaged(void);
unsigned int service_answered(void);

#endif
