// SPDX-License-Identifier: BSD-2-Clause
/*
 * A device whose operations are those of its parent process (served.py).
 *
 * service_port [PARAMETER=VALUE] ...
 * reads a line at a time: bytes of a host; or "hello", which it says unasked; or "end_lease". It writes what that causes, a line
 * each: "refused LINE" (of requests.c), "reply TYPE BYTES", and at the end "done"; and before, "OPERATION VALUE ...", whose
 * answer is the next line that it reads: "ERROR TEXT VALUE ...". Bytes and texts are hexadecimal, behind an x.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service.h"

static void refused_at(int line)
{
	printf("refused %d\n", line);
}

/* The tested file, each refusal of which reports its line. */
#define refuse(answer, error, reason) (refused_at(__LINE__), refuse(answer, error, reason))
#include "requests.c"
#undef refuse

/* How many values a setting is read by, and set to. */
static const struct {
	uint8_t read, set;
} counts[] = {
	[DEVICE_EPOCH_LENGTH] = {0, 2}, [DEVICE_CONTEXT] = {0, 1}, [DEVICE_ENABLE] = {0, 1}, [DEVICE_RANGE] = {0, 2},
	[DEVICE_SAMPLING] = {0, 1}, [DEVICE_FREEZE] = {0, 1}, [DEVICE_SINGLE_SHOT] = {0, 1}, [DEVICE_SPLIT] = {0, 1},
	[DEVICE_HOT] = {0, 10}, [DEVICE_PAGE_MESSAGES] = {0, 2}, [DEVICE_RANK_POLICY] = {0, 6}, [DEVICE_RANK_STATE] = {0, 2},
	[DEVICE_RANK_LOSS] = {1, 3}, [DEVICE_WORKING_SET] = {0, 3}, [DEVICE_COUNTER] = {1, 7}, [DEVICE_COUNTING] = {0, 1},
	[DEVICE_COUNT] = {2, 3}, [DEVICE_TRAFFIC] = {0, 8}, [DEVICE_PROCESS] = {1, 2}, [DEVICE_BUDGET] = {1, 2},
	[DEVICE_RECLAIM] = {0, 2}, [DEVICE_FAULT_COST] = {0, 0},
};

static void print_bytes(const void *bytes, size_t length)
{
	printf(" x");
	for (size_t i = 0; i < length; i++)
		printf("%02x", ((const uint8_t *)bytes)[i]);
}

static size_t parse_bytes(const char *digits, char *bytes, size_t most)
{
	size_t length = 0;

	for (unsigned int byte; length < most && sscanf(digits + 2 * length, "%2x", &byte) == 1; length++)
		bytes[length] = byte;
	return length;
}

static char *read_line(void)
{
	static char line[1 << 16];

	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(0);
	return line;
}

static int perform(const char *operation, size_t count, const uint32_t *values, const char *text, struct answer *answer)
{
	static char reason[LITEMRC_PAYLOAD_MAX + 1];
	const char *word;
	int error;

	if (answer->ack.values_count || answer->ack.payload_bytes || !answer->reason || *answer->reason)
		abort();	/* ports append to the answer */
	printf("%s", operation);
	for (size_t i = 0; i < count; i++)
		printf(" %u", values[i]);
	if (text)
		print_bytes(text, strlen(text));
	printf("\n");
	word = strtok(read_line(), " \n");
	error = atoi(word);
	word = strtok(NULL, " \n");
	reason[parse_bytes(word + 1, reason, LITEMRC_PAYLOAD_MAX)] = 0;
	if (error)
		return refuse(answer, error, reason);
	answer_text(answer, reason);
	while ((word = strtok(NULL, " \n")))
		answer->ack.values[answer->ack.values_count++] = strtoul(word, NULL, 10);
	return 0;
}

#define PERFORM(answer, operation, text, ...) \
	perform(operation, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__}, text, answer)

static int perform_setting(const char *operation, enum device_setting setting, const uint32_t *values, size_t count,
			   struct answer *answer)
{
	uint32_t words[1 + 10] = {setting};

	for (size_t i = 0; i < count; i++)
		words[1 + i] = values[i];
	return perform(operation, 1 + count, words, NULL, answer);
}

static int get_setting(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	return perform_setting("get", setting, arguments, counts[setting].read, answer);
}

static int set_setting(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	return perform_setting("set", setting, values, counts[setting].set, answer);
}

static int give_order(struct device *device, enum device_order order, uint32_t value, struct answer *answer)
{
	return PERFORM(answer, "order", NULL, order, value);
}

static int run_program(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer)
{
	return PERFORM(answer, "run", NULL, program, context, scale);
}

static int follow_group(struct device *device, uint32_t context, const char *path, struct answer *answer)
{
	return PERFORM(answer, "follow_cgroup", path, context);
}

static uint32_t number(const char *operation, size_t count, const uint32_t *values)
{
	struct answer answer = {.reason = ""};

	perform(operation, count, values, NULL, &answer);
	return answer.ack.values[0];
}

static uint32_t running(struct device *device)
{
	return number("running", 0, NULL);
}

static void lease(struct device *device, uint32_t cycles)
{
	number("lease", 1, &cycles);
}

static void end_lease(struct device *device)
{
	number("end_lease", 0, NULL);
}

static uint32_t epoch(struct device *device)
{
	return number("epoch", 0, NULL);
}

static struct device device = {
	.get = get_setting, .set = set_setting, .order = give_order, .running = running, .follow_cgroup = follow_group,
	.lease = lease, .end_lease = end_lease, .epoch = epoch,
};
static uint32_t read_only;

static void parse(char *argument)
{
#define NUMBER(name) {#name, &device.parameters.name}
	static const struct {
		const char *name;
		uint32_t *value;
	} numbers[] = {
		NUMBER(features), NUMBER(version), NUMBER(clock_hz), NUMBER(page_shift), NUMBER(frames), NUMBER(groups),
		NUMBER(contexts), NUMBER(engine), NUMBER(pages), NUMBER(recent_pages), NUMBER(queue_depth), NUMBER(abi),
		NUMBER(epoch_least), NUMBER(ranks), NUMBER(power_states), NUMBER(hot_pages), NUMBER(counter_pages),
		NUMBER(counter_width), NUMBER(counter_masters), NUMBER(counter_contexts), NUMBER(traffic_words_log2),
		{"read_only", &read_only},
	};
	struct device_parameters *p = &device.parameters;
	char *name = strtok(argument, "="), *value = strtok(NULL, "");

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(numbers[i].name, name)) {
			*numbers[i].value = strtoul(value, NULL, 0);
			return;
		}
	if (!strcmp(name, "first_page"))
		p->first_page = strtoull(value, NULL, 0);
	else if (!strcmp(name, "system"))
		p->system = value;
	else if (!strcmp(name, "driver"))
		p->driver = value;
	else if (!strcmp(name, "program"))
		p->program_names[p->programs++] = value;
	else
		abort();
}

static void reply(struct reply reply)
{
	if (!reply.body)
		return;
	printf("reply %u", reply.type);
	print_bytes(reply.body, reply.bytes);
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct service service;
	static char bytes[1 << 15];
	struct litemrc_hello hello;

	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	device.run = device.parameters.programs ? run_program : NULL;
	service_begin(&service, &device, read_only);
	for (char *line = read_line();; printf("done\n"), line = read_line()) {
		size_t count = *line == 'x' ? parse_bytes(line + 1, bytes, sizeof(bytes)) : 0;

		if (*line == 'h')
			reply(service_hello(&service, 0, &hello));
		else if (*line == 'e')
			device_end_lease(&device);
		for (size_t i = 0; i < count; i++)
			if (litemrc_receiver_push(&service.receiver, bytes[i]))
				reply(service_answer(&service, &hello));
	}
}
