// SPDX-License-Identifier: BSD-2-Clause
#include "port/port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "budgets/fault_cost.h"
#include "budgets/lease.h"
#include "driver/driver.h"
#include "driver/pages.h"
#include "driver/ranks.h"
#include "driver/record.h"
#include "messages/page_messages.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "system/text.h"

_Static_assert(PROGRAMS_MAX <= LITEMRC_PROGRAMS_MAX, "hello has all programs");

int refuse_errno(struct answer *answer, int error)
{
	const char *reason = answer->reason ? answer->reason : "";

	switch (-error) {
	case 0:
		return 0;
	case EBUSY:
	case EAGAIN:
		return refuse(answer, LITEMRC_ERROR_BUSY, reason);
	case EINVAL:
	case ERANGE:
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, reason);
	case ESRCH:
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, "there is no such process");
	default:
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, *reason ? reason : strerror(-error));
	}
}

/* --------------------------------------------------------------------------------------------------- get */

/* Appends the number of a setting to the answer. */
static int add(struct answer *answer, enum setting setting)
{
	return driver_number(setting, answer->ack.values + answer->ack.values_count++);
}

/* Appends values that were read into the answer. */
static int added(struct answer *answer, unsigned int count, int error)
{
	answer->ack.values_count += count;
	return error;
}

static int get_epoch_length(struct answer *answer)
{
	uint32_t length = 0;
	bool cycles = false;
	int error = driver_epoch_length(&cycles, &length);

	ANSWER(answer, cycles ? LITEMRC_EPOCH_UNIT_CYCLES : LITEMRC_EPOCH_UNIT_ACCESSES, length);
	return error;
}

static int get_fault_cost(struct answer *answer)
{
	struct fault_cost cost = {0};
	int error = fault_cost_get(&cost, &answer->reason);

	ANSWER(answer, cost.blocks, cost.faults, cost.low, cost.median, cost.high);
	return error;
}

/* Returns 0 or -errno. */
static int get_value(enum device_setting setting, struct answer *answer)
{
	struct page_messages selected;
	int error;

	switch (setting) {
	case DEVICE_EPOCH_LENGTH:
		return get_epoch_length(answer);
	case DEVICE_CONTEXT:
		ANSWER(answer, 0);	/* pages have owners, whoever runs */
		return 0;
	case DEVICE_RANGE:
		error = add(answer, SETTING_RANGE_LOWER);
		return error ? error : add(answer, SETTING_RANGE_UPPER);
	case DEVICE_SAMPLING:
		error = add(answer, SETTING_SAMPLING);
		return error ? error : add(answer, SETTING_SCALE);
	case DEVICE_FREEZE:
		error = add(answer, SETTING_FREEZE);
		if (!error)
			error = add(answer, SETTING_SINGLE_SHOT);
		return error ? error : add(answer, SETTING_FROZEN);
	case DEVICE_SPLIT:
		return add(answer, SETTING_SPLIT);
	case DEVICE_HOT:
		return added(answer, HOT_SETTINGS, hot_settings(answer->ack.values));
	case DEVICE_PAGE_MESSAGES:
		selected = pages_selected();
		ANSWER(answer, selected.accessed, selected.hot);
		return 0;
	case DEVICE_DRAM:
		ANSWER(answer, dram.ranks, dram.virtual, parameters.power_states, dram.chips, dram.phases, 0);
		answer_text(answer, dram.part);
		return 0;
	case DEVICE_RANK_POLICY:
		return added(answer, POLICY_VALUES, ranks_policy(answer->ack.values));
	case DEVICE_RANK_LOSS:	/* no domain may lose data */
		ANSWER(answer, false);
		return 0;
	case DEVICE_WORKING_SET:
		return added(answer, WORKING_SET_VALUES, ranks_working_set(answer->ack.values));
	case DEVICE_FAULT_COST:
		return get_fault_cost(answer);
	default:
		return -EOPNOTSUPP;
	}
}

static int get(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	(void)device;
	answer->ack.values_count = 0;
	if (setting == DEVICE_PROCESS)
		return process_get(arguments[0], answer);
	if (setting == DEVICE_BUDGET)
		return context_budget(arguments[0], answer);
	return refuse_errno(answer, get_value(setting, answer));
}

/* --------------------------------------------------------------------------------------------------- set */

static int write_number(enum setting setting, uint32_t number)
{
	return driver_write_setting(setting, "%u\n", (unsigned int)number);
}

/* Frees the contexts of writes whose process has ended. Returns whether nothing uses these contexts. */
static bool free_upper_half(void)
{
	for (uint32_t context = parameters.contexts / 2; context < parameters.contexts; context++) {
		struct litemrc_row now;

		if (runs_in(context) || driver_followed(context, &now) || now.state == LITEMRC_CONTEXT_FOLLOWING)
			return false;
		if (now.state == LITEMRC_CONTEXT_ENDED)
			driver_follow(context, 0);
	}
	return true;
}

static int set_split(bool on, struct answer *answer)
{
	int error;

	answer->reason = "a context of the upper half, where writes would count, is in use";
	if (on && !free_upper_half())
		return LITEMRC_ERROR_BUSY;
	error = write_number(SETTING_SPLIT, on);
	if (error == -ENODEV)
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, DEVICE_NO_SPLIT);
	return refuse_errno(answer, error);
}

static int set_sampling(uint32_t sampling, struct answer *answer)
{
	int error = write_number(SETTING_SAMPLING, sampling);

	if (error == -ENODEV)
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, DEVICE_NO_SAMPLING);
	return refuse_errno(answer, error);
}

static int set_hot(const uint32_t *values, struct answer *answer)
{
	int error = hot_set(values);

	pages_note_hot();
	if (!error)
		pages_empty_queue();
	else
		answer->reason = DEVICE_NO_HOT_SETTING;
	return refuse_errno(answer, error);
}

static int set_state(uint32_t rank, uint32_t state, struct answer *answer)
{
	int error = ranks_set_state(rank, state);

	if (error == -EBUSY)
		return refuse(answer, LITEMRC_ERROR_BUSY, "the kernel runs from this domain");
	return refuse_errno(answer, error);
}

/* Returns 0 or -errno. */
static int set_value(enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	switch (setting) {
	case DEVICE_EPOCH_LENGTH:
		return driver_set_epoch_length(values[0] == LITEMRC_EPOCH_UNIT_CYCLES, values[1]);
	case DEVICE_ENABLE:
		return write_number(SETTING_ENABLE, values[0]);
	case DEVICE_RANGE:
		return driver_set_range(values[0], values[1]);
	case DEVICE_FREEZE:
		return write_number(SETTING_FREEZE, values[0]);
	case DEVICE_SINGLE_SHOT:
		return write_number(SETTING_SINGLE_SHOT, values[0]);
	case DEVICE_PAGE_MESSAGES:
		return pages_select((struct page_messages){values[0], values[1]});
	case DEVICE_RANK_POLICY:
		return ranks_set_policy(values);
	case DEVICE_WORKING_SET:
		return ranks_set_working_set(values);
	case DEVICE_FAULT_COST:
		return fault_cost_measure(&answer->reason);
	default:
		return -EOPNOTSUPP;
	}
}

static int set(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	(void)device;
	switch (setting) {
	case DEVICE_CONTEXT:
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, "pages belong to the process that allocated them: use follow");
	case DEVICE_SAMPLING:
		return set_sampling(values[0], answer);
	case DEVICE_SPLIT:
		return set_split(values[0], answer);
	case DEVICE_HOT:
		return set_hot(values, answer);
	case DEVICE_RANK_STATE:
		return set_state(values[0], values[1], answer);
	case DEVICE_RANK_LOSS:	/* nothing may be lost, so the part that is retained has no effect */
		return values[1] ? refuse(answer, LITEMRC_ERROR_BUSY, "Linux may use every page of the domain") : 0;
	case DEVICE_PROCESS:
		return process_follow(values[0], values[1], answer);
	case DEVICE_BUDGET:
		return context_set_budget(values[0], values[1], answer);
	case DEVICE_RECLAIM:
		return context_reclaim(values[0], values[1], answer);
	default:
		return refuse_errno(answer, set_value(setting, values, answer));
	}
}

/* ----------------------------------------------------------------------------------------- orders, programs */

static int order(struct device *device, enum device_order order, uint32_t value, struct answer *answer)
{
	static const enum setting settings[] = {
		[DEVICE_END_EPOCH] = SETTING_END_EPOCH, [DEVICE_CLEAR] = SETTING_CLEAR, [DEVICE_ARM] = SETTING_ARM,
		[DEVICE_INVALIDATE] = SETTING_INVALIDATE,
	};

	(void)device;
	return refuse_errno(answer, write_number(settings[order], order == DEVICE_INVALIDATE ? value : 1));
}

static int run(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer)
{
	(void)device;
	return refuse_errno(answer, runs_start(program, context, scale, &answer->reason));
}

static uint32_t running(struct device *device)
{
	(void)device;
	return runs_running();
}

static uint32_t epoch(struct device *device)
{
	(void)device;
	return record_next();
}

/* ------------------------------------------------------------------------------------------------ device */

struct device linux_device = {
	.get = get, .set = set, .order = order, .run = run, .running = running,
	.follow_cgroup = process_follow_cgroup, .lease = lease_set, .end_lease = lease_restore,
	.epoch = epoch,
};

static char system_name[sizeof(((struct litemrc_hello *)0)->system) + 1];
static char board_name[sizeof(((struct litemrc_hello *)0)->identifier) + 1];

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

void port_init(void)
{
	struct device_parameters *p = &linux_device.parameters;
	struct utsname names;

	if (!uname(&names)) {
		char text[sizeof(names.sysname) + sizeof(names.release)];

		snprintf(text, sizeof(text), "%s %s", names.sysname, names.release);
		copy_name(system_name, sizeof(system_name), text, strlen(text));
	}
	read_board_name();
	*p = parameters;
	p->features |= 1u << LITEMRC_FEATURE_PROCESSES | 1u << LITEMRC_FEATURE_LEASE |
		       1u << LITEMRC_FEATURE_BUDGETS;
	p->system = system_name;
	p->identifier = board_name;
	p->programs = program_count;
	for (uint32_t i = 0; i < program_count; i++)
		p->program_names[i] = programs[i].name;
}
