/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about memory budgets, and the cost of a fault. */
#ifndef LITEMRCD_BUDGETS_H
#define LITEMRCD_BUDGETS_H

#include "requests/answer.h"

/* Executes the request and fills in the ack. Returns 0 or an error code. */
int budgets_perform(const struct host_request *request, struct answer *answer);

#endif
