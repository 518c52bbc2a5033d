// SPDX-License-Identifier: BSD-2-Clause
#include "monitor.h"

#define CAPABILITY(word, name) \
	(((word) & LITEMRC_CAPABILITIES_##name) >> LITEMRC_CAPABILITIES_##name##_SHIFT)

struct monitor_parameters monitor_parameters(void)
{
	uint32_t word = monitor_read(LITEMRC_CAPABILITIES);

	return (struct monitor_parameters){
		.version = monitor_read(LITEMRC_VERSION),
		.page_shift = CAPABILITY(word, PAGE_SHIFT),
		.frames = 1u << CAPABILITY(word, FRAMES_LOG2),
		.groups = 1u << CAPABILITY(word, GROUPS_LOG2),
		.contexts = 1u << CAPABILITY(word, CONTEXTS_LOG2),
		.queue_depth = 1u << CAPABILITY(word, QUEUE_LOG2),
		.engine = CAPABILITY(word, ENGINE),
		.ranks = CAPABILITY(word, RANKS),
	};
}

void monitor_control(uint32_t mask, uint32_t value)
{
	monitor_write(LITEMRC_CONTROL, (monitor_read(LITEMRC_CONTROL) & ~mask) | (value & mask));
}

static void wait_taken(void)
{
	while (monitor_status(LITEMRC_STATUS_COMMAND_PENDING))
		;
}

void monitor_invalidate(uint32_t frame)
{
	monitor_write(LITEMRC_INVALIDATE, frame);
	wait_taken();
}

void monitor_clear(void)
{
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_CLEAR);
	wait_taken();
}
