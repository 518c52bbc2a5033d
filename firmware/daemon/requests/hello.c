// SPDX-License-Identifier: BSD-2-Clause
#include "requests/hello.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "driver/driver.h"
#include "driver/ranks.h"
#include "messages/epoch_messages.h"
#include "messages/hosts.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "system/text.h"

static char system_name[LITEMRC_HELLO_SYSTEM_MAX + 1], board_name[LITEMRC_HELLO_IDENTIFIER_MAX + 1];

/* What the device tree calls the board. A board's shim has compared its own with the gateware's identifier. */
static void read_board_name(void)
{
	char text[sizeof(board_name)] = "";
	FILE *model = fopen("/proc/device-tree/model", "r");

	if (!model)
		return;
	if (fgets(text, sizeof(text), model))
		copy_name(board_name, sizeof(board_name), text, strlen(text));
	fclose(model);
}

void hello_init(void)
{
	struct utsname names;

	if (!uname(&names)) {
		char text[sizeof(names.sysname) + sizeof(names.release)];

		snprintf(text, sizeof(text), "%s %s", names.sysname, names.release);
		copy_name(system_name, sizeof(system_name), text, strlen(text));
	}
	read_board_name();
}

static uint32_t features(unsigned int host)
{
	return (host == SERIAL ? 0 : 1u << LITEMRC_FEATURE_READ_ONLY) |
	       (parameters.page_bitmap ? 1u << LITEMRC_FEATURE_PAGE_BITMAP : 0) |
	       (dram.ranks ? 1u << LITEMRC_FEATURE_RANK_POWER : 0) | 1u << LITEMRC_FEATURE_PROCESSES |
	       1u << LITEMRC_FEATURE_LEASE;
}

void hello_send(unsigned int host, uint32_t request)
{
	static struct device_message message;
	struct hello_body *hello = &message.hello;

	message.type_choice = device_message_type_hello_c;
	*hello = (struct hello_body){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION,
		.features = features(host),
		.gateware = parameters.version,
		.clock_hz = parameters.clock_hz,
		.page_shift = parameters.page_shift,
		.frames = parameters.frames,
		.groups = parameters.groups,
		.contexts = parameters.contexts,
		.engine.stack_engine_choice = parameters.engine,
		.pages = parameters.pages,
		.running = runs_running(),
		.epoch_messages = epochs_sent(),
		.recent_pages.recent_pages = parameters.recent_pages,
		.queue_depth.queue_depth = parameters.queue_depth,
		.ranks.ranks = parameters.ranks,
		.workloads.workloads_count = program_count,
		.system.system.value = (uint8_t *)system_name,
		.system.system.len = strlen(system_name),
		.driver.driver.value = (uint8_t *)parameters.driver,
		.driver.driver.len = strlen(parameters.driver),
		.identifier.identifier.value = (uint8_t *)board_name,
		.identifier.identifier.len = strlen(board_name),
		.abi.abi = LITEMRC_ABI_VERSION,
		.hot_pages.hot_pages = parameters.hot_pages,
	};
	for (uint32_t i = 0; i < program_count; i++) {
		hello->workloads.workloads[i].value = (uint8_t *)programs[i].name;
		hello->workloads.workloads[i].len = strlen(programs[i].name);
	}
	host_send(host, &message);
}
