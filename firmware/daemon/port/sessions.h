/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the hosts and their answers, one of each host at a time. */
#ifndef LITEMRCD_SESSIONS_H
#define LITEMRCD_SESSIONS_H

#include <stdbool.h>

/* Fills in the device and sends hello to the serial host; call after driver_open() and programs_read(). */
void sessions_init(int tty);

/* Begins with a host at this port. Of hosts other than the serial one, only requests that read are executed. */
void session_open(unsigned int host, int port);

/* Whether more bytes may be read: not while a request waits for room for its answer. */
bool session_can_read(unsigned int host);

/* What to poll the host's port for. A request that waits goes on when there is room, also if that came unnoticed. */
short session_events(unsigned int host);

/* Reads bytes from the host. Returns 0, or -errno if the port is gone. */
int session_read(unsigned int host);

/* Processes the bytes read, as far as the outbox has room for answers. */
void session_progress(unsigned int host);

/* Damaged or oversized frames, and answered requests, of all hosts. */
unsigned int sessions_damaged(void);
unsigned int sessions_answered(void);

#endif
