/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about programs, and the processes and cgroups that contexts follow. */
#ifndef LITEMRCD_PROCESSES_H
#define LITEMRCD_PROCESSES_H

#include "requests/answer.h"

/* Executes the request and fills in the ack. Returns 0 or an error code. */
int processes_perform(const struct host_request *request, struct answer *answer);

#endif
