/* SPDX-License-Identifier: BSD-2-Clause */
/* The peer program: interfaces of its files. */
#ifndef PEER_H
#define PEER_H

#include "device.h"
#include "frame.h"

#define FRAMES 8192
#define GROUPS 64
#define CONTEXTS 8
#define HOT_PAGES 128
#define TASKS 2u
#define WORKLOADS 2
#define DOMAINS 4
#define FAULT_EPOCH 5

struct peer_option {
	long epochs, period_ms, noise, seed, system, ranks, tasks, refs, pages;
	const char *fault;
};

extern struct peer_option option;
bool fault(const char *name);

/* Accepts one host and returns its socket. */
int line_open(void);
/* Sends a message; type 0: the body is all. */
void send_message(uint32_t type, const void *body, size_t bytes);
/* Reads what the host sent; calls on_frame for each frame. Ends the peer when the host hung up. */
void line_receive(struct litemrc_receiver *receiver, void (*on_frame)(void));
/* Drops a message: its number is missing. */
void line_skip(void);
/* Sequence numbers begin anew. */
void line_restart(void);

extern uint32_t epoch_number;	/* of the running epoch */
/* Ends the epoch: these contexts counted in it, if the monitor is on. */
void send_epoch(uint32_t contexts);
/* Adds a part to the record of the epoch that ends, and returns its items, all zeros. */
void *epoch_part(uint32_t kind, uint32_t item_bytes, uint32_t items);
/* Its header. */
extern struct litemrc_epoch epoch_head;

/* The device that the service executes requests with; the values of settings without arguments. */
extern struct device device;
extern struct setting {
	size_t count;
	uint32_t values[LITEMRC_VALUES_MAX];
} settings[DEVICE_FAULT_COST + 1];
void peer_begin(void);
/* Says hello unasked, as at boot. */
void peer_boot(void);
void peer_receive(void);
/* Whether the host said hello. */
bool peer_greeted(void);

/* A bit for each program that runs. */
uint32_t runs_running(struct device *device);
bool runs_in(uint32_t context);
/* A bit for each context that counts. */
uint32_t runs_contexts(void);
/* The context of the program that runs, if only one can; -1: none runs. */
int runs_context(void);
int runs_start(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer);
/* One epoch of the programs that run. */
void runs_proceed(void);

/* Starts a program's process, still without its name. Returns whether the context could follow it. */
bool processes_start(uint32_t context);
void processes_name(uint32_t context, const char *name);
void processes_end(uint32_t context);
/* Fills in what a row tells of its context; returns whether there is anything. */
bool processes_fill(struct litemrc_row *row);
int processes_get(uint32_t context, struct answer *answer);
int processes_follow(uint32_t context, uint32_t pid, struct answer *answer);
int processes_get_budget(uint32_t context, struct answer *answer);
int processes_set_budget(enum device_setting setting, const uint32_t *values, struct answer *answer);

/* Add the parts of ranks, copies, single pages and tasks to the record; context: of the running program, -1 if none. */
void ranks_add(bool program_runs);
void refs_add(int context);
void pages_add(void);
void tasks_add(int context);

void ranks_get_dram(struct answer *answer);
int ranks_set_state(uint32_t domain, uint32_t state, struct answer *answer);
int ranks_set_loss(const uint32_t *values, bool program_runs, struct answer *answer);
bool ranks_may_lose(uint32_t domain);

void refs_describe(struct device_parameters *parameters);
/* Settings of reference counters and traffic. */
void refs_get(enum device_setting setting, const uint32_t *arguments, struct answer *answer);
void refs_set(enum device_setting setting, const uint32_t *values);

/* Sends the pages queued in the epoch. */
void pages_send_queued(void);

/* An epoch of a lease is over. */
void tasks_count_lease(void);
void tasks_lease(struct device *device, uint32_t cycles);
void tasks_lift_budgets(struct device *device);
int tasks_get_budget(uint32_t context, struct answer *answer);
int tasks_set_budget(enum device_setting setting, const uint32_t *values, struct answer *answer);

#endif
