// SPDX-License-Identifier: BSD-2-Clause
#include "monitor.h"

#define FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)

struct monitor_parameters monitor_parameters(void)
{
	uint32_t word = monitor_read(LITEMRC_CAPABILITIES);
	uint32_t stack = monitor_read(LITEMRC_STACK_CAPABILITIES);
	uint32_t hot_pages_log2 = FIELD(stack, STACK_CAPABILITIES_HOT_PAGES_LOG2);

	return (struct monitor_parameters){
		.version = monitor_read(LITEMRC_VERSION),
		.page_shift = FIELD(word, CAPABILITIES_PAGE_SHIFT),
		.frames_log2 = FIELD(word, CAPABILITIES_FRAMES_LOG2),
		.frames = 1u << FIELD(word, CAPABILITIES_FRAMES_LOG2),
		.pages = 1u << FIELD(stack, STACK_CAPABILITIES_PAGES_LOG2),
		.groups = 1u << FIELD(word, CAPABILITIES_GROUPS_LOG2),
		.contexts = 1u << FIELD(word, CAPABILITIES_CONTEXTS_LOG2),
		.queue_depth = 1u << FIELD(word, CAPABILITIES_QUEUE_LOG2),
		.engine = FIELD(word, CAPABILITIES_ENGINE),
		.recent_pages = FIELD(stack, STACK_CAPABILITIES_RECENT_PAGES),
		.ranks = FIELD(word, CAPABILITIES_RANKS),
		.page_bitmap = FIELD(stack, STACK_CAPABILITIES_PAGE_BITMAP),
		.hot_pages = hot_pages_log2 ? 1u << hot_pages_log2 : 0,
	};
}

void monitor_control(uint32_t mask, uint32_t value)
{
	monitor_write(LITEMRC_CONTROL, (monitor_read(LITEMRC_CONTROL) & ~mask) | (value & mask));
}

void monitor_interrupts(uint32_t mask, uint32_t on)
{
	monitor_write(LITEMRC_EV_ENABLE, (monitor_read(LITEMRC_EV_ENABLE) & ~mask) | (on & mask));
}

uint32_t monitor_owners(uint32_t contexts)
{
	return monitor_read(LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT ? contexts / 2 : contexts;
}

static void wait_taken(void)
{
	while (monitor_status(LITEMRC_STATUS_COMMAND_PENDING))
		;
}

/*
 * All but one of the places in the command queue are used between two waits: the service's interrupt may write one
 * command in between, and waits for it.
 */
void monitor_invalidate(uint32_t first, uint32_t count)
{
	uint32_t stack = monitor_read(LITEMRC_STACK_CAPABILITIES);
	uint32_t commands = 1u << FIELD(stack, STACK_CAPABILITIES_COMMANDS_LOG2);
	uint32_t places = commands > 1 ? commands - 1 : 1;

	for (uint32_t i = 0; i < count; i++) {
		if (i % places == 0)
			wait_taken();
		monitor_write(LITEMRC_INVALIDATE, first + i);
	}
	wait_taken();
}

void monitor_clear(void)
{
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_CLEAR);
	wait_taken();
}

uint32_t monitor_quieten(void)
{
	uint32_t control = monitor_read(LITEMRC_CONTROL);

	monitor_control(LITEMRC_CONTROL_ENABLE, 0);
	while (!monitor_status(LITEMRC_STATUS_IDLE))
		;
	return control;
}

void monitor_resume(uint32_t control)
{
	monitor_write(LITEMRC_CONTROL, control);
}

uint32_t monitor_scale_log2(void)
{
	return FIELD(monitor_read(LITEMRC_SCALE), SCALE_SCALE_LOG2);
}
