// SPDX-License-Identifier: BSD-2-Clause
#include "serve.h"

#include <generated/csr.h>
#include <irq.h>

#include "alarm.h"
#include "epochs.h"
#include "link.h"
#include "log.h"
#include "monitor.h"
#include "paging/tasks.h"
#include "refs.h"
#include "service.h"
#include "workloads/workload.h"

#define BOOT_EPOCH_CYCLES (1u << 22)	/* default until the host sets another: 84 ms at 50 MHz */
#define NO_TASK "the pager runs no task in that context"
#define UNIT_IS_CYCLES LITEMRC_CONTROL_EPOCH_UNIT

_Static_assert(PAGER_NO_BUDGET == LITEMRC_NO_BUDGET, "budget");

static char identifier[sizeof(((struct litemrc_hello *)0)->identifier) + 1];
static struct service service;
static struct run_order order;
static volatile enum { IDLE, ORDERED, RUNNING } state;
static bool lease_ended;	/* and the host has not been notified */

/* ---------------------------------------------------------------------------------------- the device's operations */

/* LiteX's memory of the identifier has a character in each word, and a 0 behind the last. */
static void read_identifier(void)
{
	const volatile uint32_t *memory = (const volatile uint32_t *)CSR_IDENTIFIER_MEM_BASE;

	for (size_t i = 0; i < sizeof(identifier) - 1 && memory[i]; i++)
		identifier[i] = memory[i];
}

static int get_budget(uint32_t context, struct answer *answer)
{
	const struct pager_owner *owner = tasks_owner(context);

	if (!owner)
		return refuse(answer, LITEMRC_ERROR_BUSY, NO_TASK);
	ANSWER(answer, owner->budget, owner->resident);
	return 0;
}

/* The tasks' loop evicts the pages that are reclaimed. */
static int set_budget(bool reclaim, uint32_t context, uint32_t pages, struct answer *answer)
{
	struct pager_owner *owner = tasks_owner(context);

	if (!owner)
		return refuse(answer, LITEMRC_ERROR_BUSY, NO_TASK);
	if (reclaim)
		owner->reclaim = pages < owner->resident ? pages : owner->resident;
	else
		owner->budget = pages;
	return 0;
}

static int get(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	if (setting == DEVICE_BUDGET)
		return get_budget(arguments[0], answer);
	return registers_get(device, setting, arguments, answer);
}

/* What a program that runs does not allow is refused. */
static int set(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	switch (setting) {
	case DEVICE_CONTEXT:
		if (state == RUNNING)
			return refuse(answer, LITEMRC_ERROR_BUSY, "a program runs, in the context that it was given");
		break;
	case DEVICE_SPLIT:
		if (values[0] && state != IDLE &&
		    order.context + workloads[order.workload].contexts > PARAMETERS->contexts / 2)
			return refuse(answer, LITEMRC_ERROR_BUSY, "the program runs in a context that would own no pages");
		break;
	case DEVICE_COUNTER:
	case DEVICE_COUNTING:
	case DEVICE_COUNT:
		if (refs_are_taken())
			return refuse(answer, LITEMRC_ERROR_BUSY, "a program uses the counters");
		break;
	case DEVICE_TRAFFIC:
		if (refs_are_taken())
			return refuse(answer, LITEMRC_ERROR_BUSY, "a program uses the generator");
		break;
	case DEVICE_BUDGET:
	case DEVICE_RECLAIM:
		return set_budget(setting == DEVICE_RECLAIM, values[0], values[1], answer);
	default:
		break;
	}
	return registers_set(device, setting, values, answer);
}

static int run(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer)
{
	int error = device_check_owner(device, answer, context + workloads[program].contexts - 1);

	if (error)
		return error;
	if (state != IDLE)
		return refuse(answer, LITEMRC_ERROR_BUSY, "a program runs");
	order = (struct run_order){program, context, scale};
	state = ORDERED;
	return 0;
}

static uint32_t running(struct device *device)
{
	(void)device;
	return state == IDLE ? 0 : 1 << order.workload;
}

static uint32_t epoch(struct device *device)
{
	(void)device;
	return epochs_next();
}

static void lease(struct device *device, uint32_t cycles)
{
	(void)device;
	alarm_set(ALARM_LEASE, cycles);
}

static void lift_budgets(struct device *device)
{
	(void)device;
	for (uint32_t number = 0; number < PAGER_OWNERS; number++)
		pager_owners[number].budget = PAGER_NO_BUDGET;
}

static void describe(void)
{
	struct device *device = &registers.device;

	read_identifier();
	PARAMETERS->identifier = identifier;
	PARAMETERS->epoch_least = 1;
	PARAMETERS->features |= 1u << LITEMRC_FEATURE_BUDGETS;
	PARAMETERS->programs = workload_count;
	for (uint32_t i = 0; i < workload_count; i++)
		PARAMETERS->program_names[i] = workloads[i].name;
	device->get = get;
	device->set = set;
	device->run = run;
	device->running = running;
	device->epoch = epoch;
	device->lease = lease;
	device->end_lease = lift_budgets;
}

/* ----------------------------------------------------------------------------------------------- the link */

/* No other message is sent within the record of an epoch. */
static bool may_send(size_t bytes)
{
	return link_has_room(bytes) && !epochs_halfway();
}

static void send_lease_end(void)
{
	log_line(LITEMRC_LOG_WARNING, "the lease ended: rank policy and working set are restored, budgets lifted");
	lease_ended = false;
}

/* The gateware keeps the report until it is acknowledged. */
static void send_command_lost(void)
{
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_ACKNOWLEDGE);
	log_line(LITEMRC_LOG_ERROR, "the gateware lost an invalidation or clear; counts are wrong");
}

static void answer(void)
{
	static struct litemrc_hello hello;
	struct reply reply = service_answer(&service, &hello);

	if (reply.body)
		link_send(reply.type, reply.body, reply.bytes);
}

/* Sends what is due while the link has room. Interrupts are off. */
static void progress(void)
{
	epochs_progress();
	refs_progress();
	if (monitor_status(LITEMRC_STATUS_COMMAND_LOST) && may_send(sizeof(struct litemrc_log)))
		send_command_lost();
	if (lease_ended && may_send(sizeof(struct litemrc_log)))
		send_lease_end();
	if (service.receiver.held && may_send(sizeof(struct litemrc_hello)))
		answer();
}

static void expire(void)
{
	lease_ended = registers.device.leased;
	device_end_lease(&registers.device);
	progress();
}

static void send_event(int kind, const struct run_order *about, uint64_t cycles)
{
	struct litemrc_event event = {
		.kind = kind, .workload = about->workload, .context = about->context, .cycles = cycles,
	};

	for (bool sent = false; !sent;) {
		irq_setie(0);
		sent = may_send(sizeof(event));
		if (sent) {
			event.epoch = epochs_next();
			link_send(LITEMRC_MESSAGE_EVENT, &event, sizeof(event));
		}
		irq_setie(1);
	}
}

void serve_init(void)
{
	static struct litemrc_hello first;
	struct reply hello;

	describe();
	monitor_control(UNIT_IS_CYCLES, UNIT_IS_CYCLES);
	monitor_write(LITEMRC_EPOCH_LENGTH, BOOT_EPOCH_CYCLES);
	service_begin(&service, &registers.device, false);
	alarm_init(ALARM_LEASE, expire);
	link_init(&service.receiver, progress);
	epochs_init(progress);
	refs_init(progress);
	irq_setie(0);
	hello = service_hello(&service, 0, &first);
	link_send(hello.type, hello.body, hello.bytes);
	irq_setie(1);
}

bool serve_take_order(struct run_order *taken)
{
	if (state != ORDERED)
		return false;
	*taken = order;
	state = RUNNING;
	return true;
}

void serve_started(const struct run_order *about)
{
	send_event(LITEMRC_EVENT_KIND_WORKLOAD_STARTED, about, 0);
}

void serve_done(const struct run_order *about, uint64_t cycles)
{
	uint32_t last;

	irq_setie(0);
	last = epochs_end();
	irq_setie(1);
	while (!epochs_are_sent(last))
		;
	state = IDLE;
	send_event(LITEMRC_EVENT_KIND_WORKLOAD_DONE, about, cycles);
}
