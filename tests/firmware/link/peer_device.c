// SPDX-License-Identifier: BSD-2-Clause
/* The peer as a port of firmware/service: its parameters, and operations that keep what they are given. */
#include <string.h>

#include "peer.h"
#include "service.h"

#define THRESHOLD_BITS 20

struct setting settings[DEVICE_FAULT_COST + 1] = {
	[DEVICE_EPOCH_LENGTH] = {2, {LITEMRC_EPOCH_UNIT_ACCESSES, 1000}},
	[DEVICE_CONTEXT] = {1},
	[DEVICE_ENABLE] = {1, {true}},
	[DEVICE_RANGE] = {2, {0, FRAMES - 1}},
	[DEVICE_SAMPLING] = {1},
	[DEVICE_FREEZE] = {1},
	[DEVICE_SINGLE_SHOT] = {1},
	[DEVICE_SPLIT] = {1},
	[DEVICE_HOT] = {10, {false, true, true, false, 0, 2, HOT_PAGES, 0, FRAMES - 1, 1}},
	[DEVICE_PAGE_MESSAGES] = {2},
	[DEVICE_RANK_POLICY] = {6, {LITEMRC_RANK_POLICY_NONE, LITEMRC_POWER_STATE_POWER_DOWN, LITEMRC_POWER_STATE_SELF_REFRESH}},
	[DEVICE_WORKING_SET] = {3, {false, GROUPS}},
	[DEVICE_COUNTING] = {1},
};

static struct service service;
static bool greeted;

static int get(struct device *of, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	const uint32_t *values = settings[setting].values;

	switch (setting) {
	case DEVICE_SAMPLING:
		ANSWER(answer, values[0], values[0]);
		return 0;
	case DEVICE_FREEZE:
		ANSWER(answer, values[0], settings[DEVICE_SINGLE_SHOT].values[0], values[0]);
		return 0;
	case DEVICE_DRAM:
		ranks_get_dram(answer);
		return 0;
	case DEVICE_RANK_LOSS:
		ANSWER(answer, ranks_may_lose(arguments[0]));
		return 0;
	case DEVICE_REF_COUNTERS:
	case DEVICE_COUNTER:
	case DEVICE_COUNT:
	case DEVICE_TRAFFIC:
		refs_get(setting, arguments, answer);
		return 0;
	case DEVICE_PROCESS:
		return processes_get(arguments[0], answer);
	case DEVICE_BUDGET:
		return option.tasks ? tasks_get_budget(arguments[0], answer) : processes_get_budget(arguments[0], answer);
	case DEVICE_FAULT_COST:
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, "there is no swap");
	default:
		answer_values(answer, settings[setting].count, values);
		return 0;
	}
}

static int set(struct device *of, enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	switch (setting) {
	case DEVICE_HOT:
		if (values[5] >> THRESHOLD_BITS)
			return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, "the threshold exceeds the counters");
		break;
	case DEVICE_RANK_STATE:
		return ranks_set_state(values[0], values[1], answer);
	case DEVICE_RANK_LOSS:
		return ranks_set_loss(values, runs_running(of), answer);
	case DEVICE_COUNTER:
	case DEVICE_COUNT:
	case DEVICE_TRAFFIC:
		refs_set(setting, values);
		return 0;
	case DEVICE_PROCESS:
		return processes_follow(values[0], values[1], answer);
	case DEVICE_BUDGET:
	case DEVICE_RECLAIM:
		return option.tasks ? tasks_set_budget(setting, values, answer) :
				      processes_set_budget(setting, values, answer);
	case DEVICE_FAULT_COST:
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, "there is no swap");
	default:
		break;
	}
	memcpy(settings[setting].values, values, settings[setting].count * sizeof(values[0]));
	return 0;
}

static int order(struct device *of, enum device_order order, uint32_t value, struct answer *answer)
{
	if (order == DEVICE_END_EPOCH)
		send_epoch(1);
	return 0;
}

static int follow_cgroup(struct device *of, uint32_t context, const char *path, struct answer *answer)
{
	return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, "no cgroup is listed");
}

static uint32_t epoch(struct device *of)
{
	return epoch_number;
}

struct device device = {
	.parameters = {
		.features = 1 << LITEMRC_FEATURE_LEASE,
		.version = 2,
		.clock_hz = 1000000,
		.page_shift = 12,
		.frames = FRAMES,
		.groups = GROUPS,
		.contexts = CONTEXTS,
		.engine = LITEMRC_STACK_ENGINE_GROUP_STACK,
		.pages = FRAMES,
		.recent_pages = 4,
		.queue_depth = 512,
		.ranks = 1,
		.first_page = 0x40000,	/* the memory begins at 1 GiB */
		.programs = WORKLOADS,
		.program_names = {"zipf", "loop"},
	},
	.get = get,
	.set = set,
	.order = order,
	.run = runs_start,
	.running = runs_running,
	.follow_cgroup = follow_cgroup,
	.lease = tasks_lease,
	.end_lease = tasks_lift_budgets,
	.epoch = epoch,
};

void peer_begin(void)
{
	struct device_parameters *p = &device.parameters;

	if (option.pages) {
		p->features |= 1 << LITEMRC_FEATURE_PAGE_BITMAP;
		p->hot_pages = HOT_PAGES;
	}
	if (option.ranks) {
		p->features |= 1 << LITEMRC_FEATURE_RANK_POWER;
		p->ranks = DOMAINS;
		p->power_states = 0x1f;
	}
	if (option.refs)
		refs_describe(p);
	if (option.system) {
		p->features |= 1 << LITEMRC_FEATURE_PROCESSES;
		p->system = "Linux 6.1.0";
		p->driver = "0.1";
		p->abi = 1;
	}
	if (option.tasks || option.system)
		p->features |= 1 << LITEMRC_FEATURE_BUDGETS;
	if (fault("endless"))
		settings[DEVICE_EPOCH_LENGTH].values[1] = 0;
	service_begin(&service, &device, false);
}

static void send_hello(struct litemrc_hello *hello)
{
	hello->protocol += 1000 * fault("version");
	send_message(LITEMRC_MESSAGE_HELLO, hello, sizeof(*hello));
}

void peer_boot(void)
{
	static struct litemrc_hello hello;

	service_hello(&service, 0, &hello);
	send_hello(&hello);
}

static void answer(void)
{
	static struct litemrc_hello hello;
	struct reply reply;

	if (fault("silent"))
		return;
	reply = service_answer(&service, &hello);
	if (reply.body == &hello) {
		greeted = true;
		send_hello(&hello);
	} else if (reply.body) {
		send_message(reply.type, reply.body, reply.bytes);
	}
}

void peer_receive(void)
{
	line_receive(&service.receiver, answer);
}

bool peer_greeted(void)
{
	return greeted;
}
