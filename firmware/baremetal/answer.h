/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer to a request: an ack with values, or a refusal with its reason. */
#ifndef LITEMRC_ANSWER_H
#define LITEMRC_ANSWER_H

#include "frame.h"

static inline void acknowledge(struct ack_body *ack, size_t count, uint32_t first, uint32_t second, uint32_t third)
{
	ack->values[0] = first;
	ack->values[1] = second;
	ack->values[2] = third;
	ack->values_count = count;
}

/* Returns the error code, for callers to return. */
static inline int refuse(const char **reason, int error, const char *why)
{
	*reason = why;
	return error;
}

#endif
