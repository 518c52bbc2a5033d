// SPDX-License-Identifier: BSD-2-Clause
#include "requests/service.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "litemrc_options.h"
#include "messages/hosts.h"
#include "processes/runs.h"
#include "requests/answer.h"
#include "requests/budgets.h"
#include "requests/hello.h"
#include "requests/page_requests.h"
#include "requests/processes.h"
#include "requests/rank_requests.h"
#include "requests/setting_requests.h"

#define READ_ONLY "a socket is for reading: send this over the serial port"

/* The requests of a host. */
struct service {
	int port;
	uint8_t read_ahead[256];
	size_t read_count, read_used;
	struct litemrc_receiver receiver;
	uint8_t request_buffer[LITEMRC_REQUEST_BUFFER];
	struct device_message reply;	/* kept for a repeated request */
	struct answer answer;		/* owns the reply's strings */
	uint32_t last_request;
};

static struct service services[HOSTS];
static unsigned int answered, damaged;	/* damaged: of hosts that left */

/* Executes the request and fills in the answer, an empty ack before. Returns 0 or an error code. */
static int perform(const struct host_request *request, struct answer *answer)
{
	switch (request->type_choice) {
	case host_request_type_echo_c:
		memcpy(answer->payload, request->echo.payload.value, request->echo.payload.len);
		answer->ack.payload.payload.len = request->echo.payload.len;
		return 0;
	case host_request_type_run_c:
	case host_request_type_get_process_c:
	case host_request_type_follow_c:
	case host_request_type_follow_cgroup_c:
		return processes_perform(request, answer);
	case host_request_type_get_budget_c:
	case host_request_type_set_budget_c:
	case host_request_type_reclaim_c:
	case host_request_type_measure_fault_cost_c:
	case host_request_type_get_fault_cost_c:
		return budgets_perform(request, answer);
	case host_request_type_get_dram_c:
	case host_request_type_get_rank_policy_c:
	case host_request_type_set_rank_policy_c:
	case host_request_type_set_rank_state_c:
	case host_request_type_set_rank_loss_c:
	case host_request_type_get_working_set_c:
	case host_request_type_set_working_set_c:
		return ranks_perform(request, answer);
	case host_request_type_get_hot_c:
	case host_request_type_set_hot_c:
	case host_request_type_get_page_messages_c:
	case host_request_type_set_page_messages_c:
		return pages_perform(request, answer);
	default:
		return settings_perform(request, answer);
	}
}

/* `unreadable`: the error code of a request that was not understood, or 0. */
static int perform_for(unsigned int host, const struct host_request *request, int unreadable)
{
	struct answer *answer = &services[host].answer;

	if (unreadable == error_code_bad_argument_c)
		return refuse(answer, unreadable, "an option of the request is not known to this litemrcd");
	if (unreadable)
		return unreadable;
	if (host != SERIAL && !litemrc_request_reads(request))
		return refuse(answer, error_code_read_only_c, READ_ONLY);
	return perform(request, answer);
}

static void make_reply(unsigned int host, const struct host_request *request, int unreadable)
{
	struct service *service = &services[host];
	struct answer *answer = &service->answer;
	int error;

	*answer = (struct answer){.ack.request = request->sequence, .reason = ""};
	answer->ack.payload.payload.value = answer->payload;
	error = perform_for(host, request, unreadable);
	if (!error) {
		service->reply.type_choice = device_message_type_ack_c;
		service->reply.ack = answer->ack;
	} else {
		service->reply.type_choice = device_message_type_nak_c;
		service->reply.nak = (struct nak_body){
			.request = request->sequence,
			.error.error_code_choice = error,
			.reason.reason.value = (const uint8_t *)answer->reason,
			.reason.reason.len = strnlen(answer->reason, 80),
		};
	}
	service->last_request = request->sequence;
}

static void answer_held(unsigned int host)
{
	struct service *service = &services[host];
	struct host_request request;
	int unreadable = litemrc_request_decode(&service->receiver, &request);

	if (!unreadable && request.type_choice == host_request_type_hello_c) {
		hello_send(host, request.sequence);
		answered++;
	} else if (request.sequence) {
		if (request.sequence != service->last_request)
			make_reply(host, &request, unreadable);
		host_send(host, &service->reply);
		answered++;
		runs_release();
	}
	litemrc_receiver_release(&service->receiver);
}

void service_init(int tty)
{
	hello_init();
	service_open(SERIAL, tty);
	hello_send(SERIAL, 0);
}

void service_open(unsigned int host, int port)
{
	struct service *service = &services[host];

	damaged += service->receiver.damaged + service->receiver.oversized;
	service->port = port;
	service->read_count = service->read_used = 0;
	service->last_request = 0;
	litemrc_receiver_init(&service->receiver, service->request_buffer, sizeof(service->request_buffer));
}

bool service_can_read(unsigned int host)
{
	return services[host].read_used == services[host].read_count;
}

short service_events(unsigned int host)
{
	bool waits = services[host].receiver.held || !service_can_read(host);

	return (service_can_read(host) ? POLLIN : 0) | (waits || !host_is_idle(host) ? POLLOUT : 0);
}

int service_read(unsigned int host)
{
	struct service *service = &services[host];
	ssize_t got = read(service->port, service->read_ahead, sizeof(service->read_ahead));

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!got)
		return -EIO;	/* hung up */
	service->read_count = got;
	service->read_used = 0;
	return 0;
}

void service_progress(unsigned int host)
{
	struct service *service = &services[host];

	for (;;) {
		if (service->receiver.held) {
			if (!host_has_room(host))
				return;
			answer_held(host);
		}
		if (service->read_used == service->read_count)
			return;
		litemrc_receiver_push(&service->receiver, service->read_ahead[service->read_used++]);
	}
}

unsigned int service_damaged(void)
{
	unsigned int all = damaged;

	for (unsigned int host = 0; host < HOSTS; host++)
		all += services[host].receiver.damaged + services[host].receiver.oversized;
	return all;
}

unsigned int service_answered(void)
{
	return answered;
}
