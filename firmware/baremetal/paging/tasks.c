// SPDX-License-Identifier: BSD-2-Clause
#include "paging/tasks.h"

#include <irq.h>
#include <stdio.h>

#include "monitor.h"
#include "random.h"
#include "uptime.h"

#define LINES 4u	/* accessed in one touch */

/* What is told of a task, since it began. */
struct task_counts {
	uint32_t references, faults, zero_fills, writes, iterations, damaged;
	uint64_t response;
};

static struct task {
	struct task_program program;
	enum { READY, READING, ASLEEP, ENDED } state;
	uint64_t until;		/* end of reading or sleeping */
	uint64_t due;		/* nominal start of the iteration */
	uint32_t touch, page;	/* number in the iteration, and its page */
	uint32_t iterations, references;
	uint64_t response;
	struct task_counts reported;
} tasks[PAGER_OWNERS];

/* Measured processor times, which the host's simulation needs as costs. */
enum cost { TOUCH, FAULT, ZERO_FILL, COSTS };
static struct {
	uint64_t cycles;
	uint32_t times;
} costs[COSTS];

static struct task_machine machine;
static uint32_t first_context;
static volatile bool running;
static uint64_t disk_free;	/* time when all requests are served */
static uint32_t random_state;

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void note_cost(enum cost cost, uint64_t since)
{
	costs[cost].cycles += uptime_cycles() - since;
	costs[cost].times++;
}

static void use_disk(uint32_t writes)
{
	disk_free = later(disk_free, uptime_cycles()) + writes * machine.write_cycles;
}

static uint32_t global_page(uint32_t number)
{
	return pager_owners[number].first + tasks[number].page;
}

static void choose_page(struct task *task)
{
	task->page = task->program.page(task->touch);
}

static void begin(uint32_t number, const struct task_program *program)
{
	tasks[number] = (struct task){.program = *program, .due = uptime_cycles()};
	choose_page(&tasks[number]);
}

/* Counts a touch and chooses the next page. */
static void go_on(struct task *task)
{
	const struct task_program *program = &task->program;

	task->references++;
	if (++task->touch == program->touches) {
		uint64_t now = uptime_cycles();

		task->touch = 0;
		task->iterations++;
		irq_setie(0);	/* 64 bits are two words; an interrupt reads both */
		task->response += now - task->due;
		irq_setie(1);
		task->due = now + program->sleep_cycles;
		if (task->iterations == program->iterations) {
			task->state = ENDED;
			return;
		}
		if (program->sleep_cycles) {
			task->state = ASLEEP;
			task->until = task->due;
		}
	}
	choose_page(task);
}

/* Accesses random lines of a page; a task that writes writes the first one. */
static void touch_lines(uint8_t *page, bool writes)
{
	for (uint32_t line = 0; line < LINES; line++) {
		uint32_t random = random_next(&random_state);
		volatile uint32_t *word = (volatile uint32_t *)(page + (random & (PAGER_DATA_BYTES - 1) & ~15u));

		if (writes && !line)
			*word = random;
		else
			(void)*word;
	}
}

/* Touches the page, or starts reading it from the disk. */
static void step(uint32_t number)
{
	uint64_t began = uptime_cycles();
	struct task *task = &tasks[number];
	uint32_t page = global_page(number);
	enum pager_state state = pager_state(page);

	if (state == PAGER_OUT) {
		use_disk(0);
		task->until = disk_free += machine.read_cycles;
		task->state = READING;
		return;
	}
	if (state == PAGER_FRESH) {
		use_disk(pager_bring_in(number, page));
		note_cost(ZERO_FILL, began);
		began = uptime_cycles();
	}
	touch_lines(pager_use(page, task->program.writes), task->program.writes);
	go_on(task);
	note_cost(TOUCH, began);
}

/* Makes a task ready whose wait is over. */
static void wake(uint32_t number)
{
	uint64_t began = uptime_cycles();
	struct task *task = &tasks[number];

	if ((task->state != READING && task->state != ASLEEP) || began < task->until)
		return;
	if (task->state == READING) {
		use_disk(pager_bring_in(number, global_page(number)));
		note_cost(FAULT, began);
	}
	task->state = READY;
}

/* Runs a task until it waits or ends, or its time slice is over. */
static void take_turn(uint32_t number)
{
	uint64_t end = uptime_cycles() + machine.slice_cycles;

	monitor_write(LITEMRC_CONTEXT, first_context + number);
	while (tasks[number].state == READY && uptime_cycles() < end)
		step(number);
}

static void print_costs(void)
{
	static const char *const names[COSTS] = {"touch", "fault", "zero fill"};

	for (enum cost cost = 0; cost < COSTS; cost++) {
		uint32_t times = costs[cost].times ? costs[cost].times : 1;

		printf("tasks: %s %lu cycles\n", names[cost], (unsigned long)(costs[cost].cycles / times));
		costs[cost].cycles = costs[cost].times = 0;
	}
}

void tasks_run(const struct task_machine *of, const struct task_program programs[PAGER_OWNERS], uint8_t *memory,
	       uint32_t context)
{
	uint32_t pages[PAGER_OWNERS];
	bool ended = false;

	for (uint32_t number = 0; number < PAGER_OWNERS; number++)
		pages[number] = programs[number].pages;
	pager_init(memory, pages);
	machine = *of;
	first_context = context;
	disk_free = 0;
	random_state = 1;
	for (uint32_t number = 0; number < PAGER_OWNERS; number++)
		begin(number, &programs[number]);
	running = true;
	while (!ended) {
		use_disk(pager_reclaim());
		for (uint32_t number = 0; number < PAGER_OWNERS; number++) {
			wake(number);
			take_turn(number);
			ended |= tasks[number].state == ENDED;
		}
	}
	running = false;
	print_costs();
}

static struct task_counts counts_of(uint32_t number)
{
	const struct pager_owner *owner = &pager_owners[number];
	const struct task *task = &tasks[number];

	return (struct task_counts){
		.references = task->references,
		.faults = owner->faults,
		.zero_fills = owner->zero_fills,
		.writes = owner->writes,
		.iterations = task->iterations,
		.damaged = owner->damaged,
		.response = task->response,
	};
}

uint32_t tasks_count(void)
{
	return running ? PAGER_OWNERS : 0;
}

void tasks_fill(struct litemrc_task *task, uint32_t number)
{
	struct task_counts now = counts_of(number), *last = &tasks[number].reported;

	task->context = first_context + number;
	task->memory = PAGER_MEMORY;
	task->budget = pager_owners[number].budget;
	task->resident = pager_owners[number].resident;
	task->references = now.references - last->references;
	task->faults = now.faults - last->faults;
	task->zero_fills = now.zero_fills - last->zero_fills;
	task->writes = now.writes - last->writes;
	task->iterations = now.iterations - last->iterations;
	task->response = now.response - last->response;
	task->damaged = now.damaged - last->damaged;
	*last = now;
}

struct pager_owner *tasks_owner(uint32_t context)
{
	return running && context - first_context < PAGER_OWNERS ? &pager_owners[context - first_context] : NULL;
}
