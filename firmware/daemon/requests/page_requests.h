/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about hot pages, and which messages of single pages are sent. */
#ifndef LITEMRCD_PAGE_REQUESTS_H
#define LITEMRCD_PAGE_REQUESTS_H

#include "requests/answer.h"

/* Executes the request and fills in the ack. Returns 0 or an error code. */
int pages_perform(const struct host_request *request, struct answer *answer);

#endif
