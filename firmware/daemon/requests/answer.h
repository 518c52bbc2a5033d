/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer to a request, under construction. */
#ifndef LITEMRCD_ANSWER_H
#define LITEMRCD_ANSWER_H

#include <stdint.h>

#include "frame.h"

struct answer {
	struct ack_body ack;
	uint8_t payload[128];
	const char *reason;	/* of a refusal; may be empty */
};

static inline void acknowledge(struct answer *answer, size_t count, uint32_t first, uint32_t second, uint32_t third)
{
	answer->ack.values[0] = first;
	answer->ack.values[1] = second;
	answer->ack.values[2] = third;
	answer->ack.values_count = count;
}

/* Returns the error code, for callers to return. */
static inline int refuse(struct answer *answer, int error, const char *reason)
{
	answer->reason = reason;
	return error;
}

/* Returns the link's error code for the kernel's -errno; 0 for 0. */
int refuse_errno(struct answer *answer, int error);

#endif
