/* SPDX-License-Identifier: BSD-2-Clause */
/* The peer program: interfaces of its files. */
#ifndef PEER_H
#define PEER_H

#include "frame.h"

#define FRAMES 8192
#define GROUPS 64
#define CONTEXTS 8
#define HOT_PAGES 128
#define TASKS 2u
#define WORKLOADS 2
#define FAULT_EPOCH 5

struct peer_option {
	long epochs, period_ms, noise, seed, system, ranks, tasks, refs, pages;
	const char *fault;
};

extern struct peer_option option;
bool fault(const char *name);

/* Accepts one host and returns its socket. */
int line_open(void);
void send_message(struct device_message *m);
/* Reads what the host sent; calls on_frame for each frame. Ends the peer when the host hung up. */
void line_receive(struct litemrc_receiver *receiver, void (*on_frame)(void));
/* Sequence numbers begin anew. */
void line_restart(void);

extern uint32_t epoch_messages;	/* sent */
extern uint32_t epoch_number;
/* A message for each context of the mask; a single one of zeros if the monitor is off. */
void send_epoch(uint32_t contexts);

/* What requests have set. */
extern struct peer_monitor {
	uint32_t epoch[2], lower, upper, sampling;
	bool frozen, single_shot, on, split;
} monitor;
extern const char *reason;	/* of the refusal */

void requests_init(void);
void requests_receive(void);
/* Whether the host said hello. */
bool requests_greeted(void);
void send_hello(uint32_t request);
void answer_values(uint32_t first, uint32_t second, uint32_t third, size_t count);

extern const char *const workloads[WORKLOADS];
/* A bit for each program that runs. */
uint32_t runs_running(void);
bool runs_in(uint32_t context);
/* The context of the program that runs, if only one can; -1: none runs. */
int runs_context(void);
/* Returns 0 or an error code. */
int runs_start(const struct run_body *order);
/* One epoch of the programs that run. */
void runs_proceed(void);

void processes_describe(struct hello_body *hello);
/* Starts a program's process, still without its name. Returns whether the context could follow it. */
bool processes_start(uint32_t context);
void processes_name(uint32_t context, const char *name);
void processes_end(uint32_t context);
/* Requests about processes and budgets. Returns 0 or an error code. */
int processes_perform(const struct host_request *request, struct ack_body *ack);

void ranks_describe(struct hello_body *hello);
/* Sends the rank messages of an epoch. */
void ranks_send(uint32_t epoch, bool program_runs);
/* Save and restore what a lease restores. */
void ranks_keep(void);
void ranks_restore(void);
/* Requests about ranks. Returns 0 or an error code. */
int ranks_perform(const struct host_request *request, struct ack_body *ack, bool program_runs);

/* Sends the pages message of an epoch; context: of the running program, -1 if none. */
void refs_send(uint32_t epoch, int context);
/* Requests about reference counters and traffic. Returns 0 or an error code. */
int refs_perform(const struct host_request *request, struct ack_body *ack);

/* Sends the accessed and hot messages of an epoch, and the pages queued in it. */
void pages_send(uint32_t epoch);
/* Requests about hot pages and these messages. Returns 0 or an error code. */
int pages_perform(const struct host_request *request, struct ack_body *ack);

/* Sends the task messages of an epoch, and the end of a lease; context: of the running program, -1 if none. */
void tasks_send(uint32_t epoch, int context);
void tasks_begin(void);
void tasks_lease(uint32_t cycles);
/* Requests about budgets. Returns 0 or an error code. */
int tasks_perform(const struct host_request *request, int running_context);

#endif
