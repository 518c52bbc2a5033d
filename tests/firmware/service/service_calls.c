// SPDX-License-Identifier: BSD-2-Clause
/*
 * A device whose operations keep what they are given and report each call that may change something.
 *
 * service_calls [PARAMETER=N] ...
 * reads frames of a host from the standard input and writes to the standard output the frames of answers and, before an
 * answer, of log messages: at level debug "OPERATION VALUES ..." of an operation, at level info the line of requests.c
 * that refused. parameters[] has the parameters; busy=1: operations refuse; loss_busy=1: whether a domain
 * may lose data cannot be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service.h"

#define LONG_REASON "01234567890123456789012345678901234567890123456789012345678901234567890123456789 and more"
#define RING_BYTES 4096u

/* The number of values of a setting. */
static const size_t counts[] = {
	[DEVICE_EPOCH_LENGTH] = 2, [DEVICE_CONTEXT] = 1, [DEVICE_ENABLE] = 1, [DEVICE_RANGE] = 2, [DEVICE_SAMPLING] = 1,
	[DEVICE_FREEZE] = 1, [DEVICE_SINGLE_SHOT] = 1, [DEVICE_SPLIT] = 1, [DEVICE_HOT] = 10, [DEVICE_PAGE_MESSAGES] = 2,
	[DEVICE_RANK_POLICY] = 6, [DEVICE_RANK_STATE] = 2, [DEVICE_RANK_LOSS] = 3, [DEVICE_WORKING_SET] = 3,
	[DEVICE_COUNTER] = 7, [DEVICE_COUNTING] = 1, [DEVICE_COUNT] = 3, [DEVICE_TRAFFIC] = 8, [DEVICE_PROCESS] = 2,
	[DEVICE_BUDGET] = 2, [DEVICE_RECLAIM] = 2, [DEVICE_FAULT_COST] = 0,
};
static uint32_t in_force[DEVICE_FAULT_COST + 1][10];
static uint32_t busy, loss_busy;

static void send(uint32_t type, const void *body, size_t bytes)
{
	static uint8_t ring[RING_BYTES];
	static struct litemrc_writer writer = {.ring = ring, .mask = RING_BYTES - 1};
	static uint32_t sequence;
	const struct litemrc_message message = {.type = type, .sequence = ++sequence};
	size_t sent = writer.end;

	litemrc_frame_begin(&writer);
	if (type)
		litemrc_frame_put(&writer, &message, sizeof(message));
	litemrc_frame_put(&writer, body, bytes);
	litemrc_frame_end(&writer);
	while (sent != writer.end)
		putchar(ring[sent++ & writer.mask]);
}

static void report(int level, const char *operation, const uint32_t *values, size_t count)
{
	struct litemrc_log log = {.level = level};
	int length = snprintf(log.line, sizeof(log.line), "%s", operation);

	for (size_t i = 0; i < count; i++)
		length += snprintf(log.line + length, sizeof(log.line) - length, " %u", values[i]);
	send(LITEMRC_MESSAGE_LOG, &log, sizeof(log));
}

#define REPORT(operation, ...) \
	report(LITEMRC_LOG_DEBUG, operation, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static int refuse_at(uint32_t line, struct answer *answer, int error, const char *reason)
{
	report(LITEMRC_LOG_INFO, "refused", &line, 1);
	return refuse(answer, error, reason);
}

/* The tested file, each refusal of which reports its line. */
#define refuse(answer, error, reason) refuse_at(__LINE__, answer, error, reason)
#include "requests.c"
#undef refuse

static int done(struct answer *answer)
{
	return busy ? refuse(answer, LITEMRC_ERROR_BUSY, LONG_REASON) : 0;
}

static int get_kept(struct device *device, enum device_setting setting, const uint32_t *arguments,
		    struct answer *answer)
{
	if (answer->ack.values_count || answer->ack.payload_bytes || !answer->reason || *answer->reason)
		abort();	/* ports append to the answer */
	if (setting == DEVICE_RANK_LOSS && loss_busy)
		return refuse(answer, LITEMRC_ERROR_BUSY, LONG_REASON);
	answer_values(answer, sizeof(in_force[0]) / sizeof(in_force[0][0]), in_force[setting]);
	if (setting == DEVICE_RANK_LOSS) /* without the domain */
		answer->ack.values[0] = in_force[setting][1];
	return 0;
}

static int set_kept(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	uint32_t reported[1 + 10] = {setting};

	memcpy(reported + 1, values, counts[setting] * sizeof(values[0]));
	report(LITEMRC_LOG_DEBUG, "set", reported, 1 + counts[setting]);
	memcpy(in_force[setting], values, busy ? 0 : counts[setting] * sizeof(values[0]));
	return done(answer);
}

static int give_order(struct device *device, enum device_order order, uint32_t value, struct answer *answer)
{
	REPORT("order", order, value);
	return done(answer);
}

static int run_program(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer)
{
	REPORT("run", program, context, scale);
	return done(answer);
}

static int follow_group(struct device *device, uint32_t context, const char *path, struct answer *answer)
{
	REPORT(path, context);
	return done(answer);
}

static void lease(struct device *device, uint32_t cycles)
{
	REPORT("lease", cycles);
}

static void end_lease(struct device *device)
{
	report(LITEMRC_LOG_DEBUG, "end_lease", NULL, 0);
}

static uint32_t epoch(struct device *device)
{
	return 0;
}

static struct device device = {
	.parameters = {
		.features = 0xbf, .frames = 8192, .groups = 64, .contexts = 8, .engine = LITEMRC_STACK_ENGINE_GROUP_STACK,
		.pages = 8192, .epoch_least = 100, .ranks = 4, .power_states = 0x1d, .hot_pages = 128,
		.first_page = 0x123456789, .counter_pages = 1024, .counter_width = 12, .counter_masters = 3,
		.counter_contexts = 8, .traffic_words_log2 = 22, .programs = 2, .program_names = {"zipf", "loop"},
	},
	.get = get_kept, .set = set_kept, .order = give_order, .follow_cgroup = follow_group, .lease = lease,
	.end_lease = end_lease, .epoch = epoch,
};

static uint32_t programs = 1, read_only;

static const struct {
	const char *name;
	uint32_t *value;
} parameters[] = {
	{"features", &device.parameters.features}, {"contexts", &device.parameters.contexts},
	{"hot_pages", &device.parameters.hot_pages}, {"power_states", &device.parameters.power_states},
	{"programs", &programs}, {"read_only", &read_only}, {"busy", &busy},
	{"loss_busy", &loss_busy},
};

static void parse(const char *argument)
{
	size_t length = strcspn(argument, "=");

	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		if (strlen(parameters[i].name) == length && !memcmp(parameters[i].name, argument, length)) {
			*parameters[i].value = strtoul(argument + length + 1, NULL, 0);
			return;
		}
	abort();
}

int main(int argc, char **argv)
{
	static struct service service;
	struct litemrc_hello hello;
	int byte;

	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	device.run = programs ? run_program : NULL;
	service_begin(&service, &device, read_only);
	while ((byte = getchar()) != EOF)
		if (litemrc_receiver_push(&service.receiver, byte)) {
			struct reply reply = service_answer(&service, &hello);

			if (reply.body)
				send(reply.type, reply.body, reply.bytes);
		}
	return 0;
}
