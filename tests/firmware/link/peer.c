/*
 * A device on a TCP port of the loopback interface, for the tests of Device, Collector and the command line: the same
 * frames and codec as the firmware, with counters that follow from the numbers of epoch and context.
 *
 * peer [epochs=N] [period_ms=N] [noise=N] [seed=N] [fault=FAULT]
 *   epochs      without a request, send this many epochs after hello (default 0)
 *   period_ms   between two epochs (default 0)
 *   system      1: under an operating system: programs run together, each in a process that its context follows
 *   ranks       1: four power domains, and a message of each behind every epoch
 *   tasks       1: a program is two tasks, in its context and the next, which budgets hold down
 *   refs        1: reference counters, and a program keeps copies of pages
 *   noise       bytes in a million that are flipped, dropped or doubled on their way to the host
 *   fault       silent: never answers; version: another protocol version; vanish: hangs up in the middle of a frame
 *               after the 5th epoch; restart: counts anew after the 5th epoch; nonsense: the 5th epoch contradicts itself;
 *               endless: has no epoch length
 * Prints "port N"; after the host hung up, "sent N" (epoch messages), and ends.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"

#include "peer.h"

#define FRAMES 8192
#define GROUPS 64
#define FAULT_EPOCH 5
#define BOOT_US 500000 /* pyserial throws away what comes while it opens a port */
#define EPOCHS_OF_RUN 3 /* times scale */

#define WORKLOADS 2

static const char *const workloads[WORKLOADS] = {"zipf", "loop"};

struct peer_option option = {.seed = 1, .fault = ""};


static int host;
static struct litemrc_sender sender;
static struct litemrc_receiver rx;
static uint8_t rx_buffer[LITEMRC_REQUEST_BUFFER];
static struct device_message message, reply;
static uint8_t reply_payload[128];
static uint32_t last_request, epoch_number, total;
uint32_t epoch_messages;
static uint32_t range_lower, range_upper = FRAMES - 1, sampling;
static bool frozen, single_shot, monitoring = true;
const char *reason;
static uint32_t epoch_values[2] = {epoch_unit_accesses_c, 1000}, engine = stack_engine_group_stack_c, context;
static struct {
	struct run_body order;
	uint32_t epochs_left;
} runs[WORKLOADS];
static bool greeted;

static bool fault(const char *name)
{
	return !strcmp(option.fault, name);
}

static void hang_up(void)
{
	printf("sent %u\n", total);
	exit(0);
}

/* Sends a byte, or what the line makes of it. */
static void send_noisy(const uint8_t *bytes, int length)
{
	uint8_t line[2 * LITEMRC_FRAME_MAX];
	int count = 0;

	for (int i = 0; i < length; i++) {
		bool hit = random() % 1000000 < option.noise;
		int kind = hit ? random() % 3 : 3;

		if (kind == 0)
			line[count++] = bytes[i] ^ (1 << random() % 8);
		if (kind == 2)
			line[count++] = bytes[i];
		if (kind >= 2)
			line[count++] = bytes[i];
	}
	if (write(host, line, count) != count)
		hang_up();
}

void send_message(struct device_message *m)
{
	uint8_t out[LITEMRC_FRAME_MAX];
	int length = litemrc_frame_encode(&sender, m, out, sizeof(out));

	if (length < 0)
		abort();
	if (fault("vanish") && epoch_number == FAULT_EPOCH && m->type_choice == device_message_type_epoch_c) {
		send_noisy(out, length / 2);
		hang_up();
	}
	send_noisy(out, length);
}

/* A bit for each program that runs. */
static uint32_t running(void)
{
	uint32_t mask = 0;

	for (int i = 0; i < WORKLOADS; i++)
		mask |= (runs[i].epochs_left != 0) << i;
	return mask;
}

bool runs_in(uint32_t in_context)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left && runs[i].order.context == in_context)
			return true;
	return false;
}

/* The context of the program that runs, where only one can; -1: none does. */
static int running_context(void)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left)
			return runs[i].order.context;
	return -1;
}

static void send_hello(uint32_t request)
{
	struct hello_body *hello = &message.hello;

	message.type_choice = device_message_type_hello_c;
	*hello = (struct hello_body){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION + fault("version"),
		.gateware = 2,
		.clock_hz = 1000000,
		.page_shift = 12,
		.frames = FRAMES,
		.groups = GROUPS,
		.contexts = CONTEXTS,
		.engine.stack_engine_choice = stack_engine_group_stack_c,
		.pages = FRAMES,
		.recent_pages = 4,
		.queue_depth = 512,
		.running = running(),
		.epoch_messages = epoch_messages,
		.workloads_count = 2,
	};
	for (int i = 0; i < 2; i++) {
		hello->workloads[i].value = (const uint8_t *)workloads[i];
		hello->workloads[i].len = strlen(workloads[i]);
	}
	processes_describe(hello);
	ranks_describe(hello);
	send_message(&message);
}

/* The counters the tests expect: see counters_of() in link_messages.py. */
static void send_epoch_message(uint32_t of_context, uint32_t remaining)
{
	struct epoch_body *epoch = &message.epoch;

	message.type_choice = device_message_type_epoch_c;
	*epoch = (struct epoch_body){
		.index = epoch_messages++,
		.epoch = epoch_number,
		.remaining = remaining,
		.context = of_context,
		.misses = epoch_number + of_context,
		.touched = epoch_number % 7 + of_context,
		.dropped = epoch_number % 3,
		.outside = 10 * epoch_number,
		.unsampled = epoch_number % 11,
		.scale_log2 = sampling,
		.hits_count = GROUPS,
	};
	if (!monitoring)
		epoch->misses = epoch->touched = epoch->dropped = epoch->outside = epoch->unsampled = 0;
	epoch->accesses = epoch->misses;
	for (uint32_t g = 0; g < GROUPS && monitoring; g++) {
		epoch->hits[g] = (epoch_number * 7919 + of_context * 104729 + g * g) % 70001;
		epoch->accesses += epoch->hits[g];
	}
	if (fault("nonsense") && epoch_number == FAULT_EPOCH)
		epoch->accesses++;
	total++;
	send_message(&message);
}

/* A message for each context of the mask; of a monitor that is off a single one of zeros. */
static void send_epoch(uint32_t contexts)
{
	if (!monitoring)
		contexts = 1;
	for (uint32_t of_context = 0; contexts >> of_context; of_context++)
		if (contexts >> of_context & 1)
			send_epoch_message(of_context, __builtin_popcount(contexts >> of_context) - 1);
	ranks_send(epoch_number, running());
	tasks_send(epoch_number, running_context());
	refs_send(epoch_number, running_context());
	epoch_number++;
	if (fault("restart") && epoch_number == FAULT_EPOCH) {
		epoch_messages = 0;
		sender.sequence = 0;
	}
}

static void send_event(int kind, const struct run_body *run, uint64_t cycles)
{
	message.type_choice = device_message_type_event_c;
	message.event = (struct event_body){
		.kind.event_kind_choice = kind,
		.workload = run->workload,
		.context = run->context,
		.cycles = cycles,
		.epoch_messages = epoch_messages,
	};
	send_message(&message);
}

static int start(const struct run_body *order)
{
	if (order->workload >= WORKLOADS || order->context >= CONTEXTS || !order->scale)
		return error_code_bad_argument_c;
	if (option.system ? runs[order->workload].epochs_left || !processes_start(order->context) : running())
		return error_code_busy_c;
	tasks_begin();
	runs[order->workload].order = *order;
	runs[order->workload].epochs_left = EPOCHS_OF_RUN * order->scale;
	send_event(event_kind_workload_started_c, order, 0);
	return 0;
}

void answer_values(uint32_t first, uint32_t second, uint32_t third, size_t count)
{
	reply.ack.values[0] = first;
	reply.ack.values[1] = second;
	reply.ack.values[2] = third;
	reply.ack.values_count = count;
}

static int perform(const struct host_request *request)
{
	switch (request->type_choice) {
	case host_request_type_echo_c:
		reply.ack.payload.len = request->echo.payload.len;
		memcpy(reply_payload, request->echo.payload.value, request->echo.payload.len);
		return 0;
	case host_request_type_set_epoch_c:
		if (!request->set_epoch.length)
			return error_code_bad_argument_c;
		epoch_values[0] = request->set_epoch.unit.epoch_unit_choice;
		epoch_values[1] = request->set_epoch.length;
		/* fall through */
	case host_request_type_get_epoch_c:
		answer_values(epoch_values[0], epoch_values[1], 0, 2);
		return 0;
	case host_request_type_set_engine_c:
		if (request->set_engine.engine.stack_engine_choice != engine)
			return error_code_bad_argument_c;
		/* fall through */
	case host_request_type_get_engine_c:
		answer_values(engine, 0, 0, 1);
		return 0;
	case host_request_type_set_context_c:
		if (request->set_context.context >= CONTEXTS)
			return error_code_bad_argument_c;
		context = request->set_context.context;
		/* fall through */
	case host_request_type_get_context_c:
		answer_values(context, 0, 0, 1);
		return 0;
	case host_request_type_end_epoch_c:
		send_epoch(1);
		return 0;
	case host_request_type_run_c:
		return start(&request->run);
	case host_request_type_set_range_c:
		if (request->set_range.lower > request->set_range.upper || request->set_range.upper >= FRAMES) {
			reason = "no such range";
			return error_code_bad_argument_c;
		}
		range_lower = request->set_range.lower;
		range_upper = request->set_range.upper;
		/* fall through */
	case host_request_type_get_range_c:
		answer_values(range_lower, range_upper, 0, 2);
		return 0;
	case host_request_type_set_sampling_c:
		if (request->set_sampling.sampling > 13)
			return error_code_bad_argument_c;
		sampling = request->set_sampling.sampling;
		/* fall through */
	case host_request_type_get_sampling_c:
		answer_values(sampling, sampling, 0, 2);
		return 0;
	case host_request_type_freeze_c:
		frozen = request->freeze.on;
		answer_values(frozen, single_shot, frozen, 3);
		return 0;
	case host_request_type_single_shot_c:
		single_shot = request->single_shot.on;
		/* fall through */
	case host_request_type_arm_c:
	case host_request_type_get_freeze_c:
		answer_values(frozen, single_shot, frozen, 3);
		return 0;
	case host_request_type_monitor_c:
		monitoring = request->monitor.on;
		return 0;
	case host_request_type_clear_c:
	case host_request_type_invalidate_c:
		return 0;
	case host_request_type_get_dram_c:
	case host_request_type_get_rank_policy_c:
	case host_request_type_set_rank_policy_c:
	case host_request_type_set_rank_state_c:
	case host_request_type_set_rank_loss_c:
	case host_request_type_get_working_set_c:
	case host_request_type_set_working_set_c:
		return ranks_perform(request, &reply.ack, running());
	case host_request_type_get_ref_counters_c:
	case host_request_type_get_counter_c:
	case host_request_type_arm_counter_c:
	case host_request_type_count_requests_c:
	case host_request_type_get_count_c:
	case host_request_type_set_count_c:
	case host_request_type_get_traffic_c:
	case host_request_type_set_traffic_c:
		return refs_perform(request, &reply.ack);
	case host_request_type_set_lease_c:
		tasks_lease(request->set_lease.cycles);
		return 0;
	default:
		return option.tasks ? tasks_perform(request, running_context()) :
				      processes_perform(request, &reply.ack);
	}
}

static void answer(void)
{
	struct host_request request;
	bool known = litemrc_request_decode(&rx, &request);
	int error;

	if (known && request.type_choice == host_request_type_hello_c) {
		greeted = true;
		send_hello(request.sequence);
	} else if (request.sequence) {
		if (request.sequence != last_request) {
			reply.type_choice = device_message_type_ack_c;
			reply.ack = (struct ack_body){.request = request.sequence, .payload.value = reply_payload};
			reason = "";
			error = known ? perform(&request) : error_code_unknown_c;
			if (error) {
				reply.type_choice = device_message_type_nak_c;
				reply.nak.request = request.sequence;
				reply.nak.error.error_code_choice = error;
				reply.nak.reason.value = (const uint8_t *)reason;
				reply.nak.reason.len = strlen(reason);
			}
			last_request = request.sequence;
		}
		send_message(&reply);
	}
	litemrc_receiver_release(&rx);
}

static void receive(void)
{
	uint8_t received[256];
	ssize_t count = read(host, received, sizeof(received));

	if (count <= 0)
		hang_up();
	for (ssize_t i = 0; i < count; i++)
		if (litemrc_receiver_push(&rx, received[i]) && !fault("silent"))
			answer();
}

static void proceed_runs(void)
{
	uint32_t contexts = option.system; /* the kernel's own */

	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left) {
			processes_name(runs[i].order.context, workloads[i]);
			contexts |= (option.tasks ? 3u : 1u) << runs[i].order.context;
		}
	send_epoch(contexts);
	for (int i = 0; i < WORKLOADS; i++)
		if (runs[i].epochs_left && --runs[i].epochs_left == 0) {
			processes_end(runs[i].order.context);
			send_event(event_kind_workload_done_c, &runs[i].order, 1000 * runs[i].order.scale);
		}
}

/* One epoch of whatever goes on. */
static void proceed(void)
{
	if (running()) {
		proceed_runs();
	} else if (greeted && option.epochs) {
		option.epochs--;
		send_epoch(6);
	}
}

static void parse(const char *argument)
{
	const char *value = strchr(argument, '=') + 1;

	if (!strncmp(argument, "epochs=", 7))
		option.epochs = atol(value);
	else if (!strncmp(argument, "period_ms=", 10))
		option.period_ms = atol(value);
	else if (!strncmp(argument, "noise=", 6))
		option.noise = atol(value);
	else if (!strncmp(argument, "system=", 7))
		option.system = atol(value);
	else if (!strncmp(argument, "ranks=", 6))
		option.ranks = atol(value);
	else if (!strncmp(argument, "tasks=", 6))
		option.tasks = atol(value);
	else if (!strncmp(argument, "refs=", 5))
		option.refs = atol(value);
	else if (!strncmp(argument, "seed=", 5))
		option.seed = atol(value);
	else
		option.fault = value;
}

static int listen_and_accept(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		exit(1);
	printf("port %d\n", ntohs(address.sin_port));
	fflush(stdout);
	return accept(listener, NULL, NULL);
}

int main(int argc, char **argv)
{
	struct timespec now, next = {0};

	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	if (fault("endless"))
		epoch_values[1] = 0;
	srandom(option.seed);
	signal(SIGPIPE, SIG_IGN); /* write() says it */
	litemrc_receiver_init(&rx, rx_buffer, sizeof(rx_buffer));
	host = listen_and_accept();
	if (option.system) {
		usleep(BOOT_US);
		send_hello(0);
	}
	for (;;) {
		struct pollfd ready = {.fd = host, .events = POLLIN};
		bool busy = running() || (greeted && option.epochs);

		if (poll(&ready, 1, busy ? option.period_ms : -1) > 0)
			receive();
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > next.tv_sec || (now.tv_sec == next.tv_sec && now.tv_nsec >= next.tv_nsec)) {
			proceed();
			next = now;
			next.tv_nsec += option.period_ms * 1000000;
			next.tv_sec += next.tv_nsec / 1000000000;
			next.tv_nsec %= 1000000000;
		}
	}
}
