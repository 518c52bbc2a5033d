/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about the budgets of the pager's tasks; refuses all requests that the bare-metal firmware does not know. */
#ifndef LITEMRC_BUDGETS_H
#define LITEMRC_BUDGETS_H

#include "frame.h"

/* As settings_perform(). */
int budgets_perform(const struct host_request *request, struct ack_body *ack, const char **reason);

/* Removes the budgets of all tasks. */
void budgets_lift(void);

#endif
