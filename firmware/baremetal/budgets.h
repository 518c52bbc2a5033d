/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about the budgets of the pager's tasks, and what no request of bare metal answers. */
#ifndef LITEMRC_BUDGETS_H
#define LITEMRC_BUDGETS_H

#include "frame.h"

/* As settings_perform(). */
int budgets_perform(const struct host_request *request, struct ack_body *ack, const char **reason);

/* No task has a budget any more. */
void budgets_lift(void);

#endif
