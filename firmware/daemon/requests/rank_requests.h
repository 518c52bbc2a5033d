/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about the power states of the ranks, their policy and the working set. */
#ifndef LITEMRCD_RANK_REQUESTS_H
#define LITEMRCD_RANK_REQUESTS_H

#include "requests/answer.h"

/* Executes the request and fills in the ack. Returns 0 or an error code. */
int ranks_perform(const struct host_request *request, struct answer *answer);

#endif
