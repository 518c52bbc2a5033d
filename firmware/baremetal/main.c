// SPDX-License-Identifier: BSD-2-Clause
/*
 * The bare-metal monitor firmware: initialises the DRAM, starts the serial service and runs the programs that the host
 * orders, each in its own memory and context.
 */
#include <irq.h>
#include <libbase/uart.h>
#include <liblitedram/sdram.h>
#include <stdio.h>

#include "bootargs.h"
#include "monitor.h"
#include "ranks.h"
#include "serve.h"
#include "uptime.h"
#include "workloads/workload.h"

/*
 * Programs are placed on the power domains in turn, so that one program does not need all of them. Within a domain
 * their pages do not overlap; a program that does not fit starts at the first page.
 */
static uint32_t first_page(uint32_t workload)
{
	uint32_t domains = ranks_domains() ? ranks_domains() : 1;
	uint32_t domain = workload % domains;
	uint32_t room = PARAMETERS->frames / domains;
	uint32_t page = 0;

	for (uint32_t i = domain; i < workload; i += domains)
		page += workloads[i].pages;
	if (page + workloads[workload].pages > room)
		page = 0;
	return domain * room + page;
}

/* Gives the program its context and unused page frames, which are live until it ends. */
static uint8_t *prepare(const struct run_order *order)
{
	uint32_t first = first_page(order->workload);

	ranks_set_live(first, workloads[order->workload].pages);
	monitor_write(LITEMRC_CONTEXT, order->context);
	monitor_invalidate(first, workloads[order->workload].pages);
	return (uint8_t *)MAIN_RAM_BASE + first * PAGE_BYTES;
}

static uint64_t run(const struct run_order *order, uint8_t *memory)
{
	uint64_t start = uptime_cycles();

	workloads[order->workload].run(memory, order->scale);
	return uptime_cycles() - start;
}

/*
 * Boot argument "measure=1": runs every workload once, without a host and without epochs, so that boots with
 * "monitor=0" and "monitor=1" can be compared cycle by cycle. Workloads of several contexts are left out: their pager
 * waits for the monitor.
 */
static void measure(void)
{
	for (uint32_t i = 0; i < workload_count; i++) {
		/* memtest, which has no pages of its own, takes two blocks: it is as long as the others then. */
		struct run_order order = {.workload = i, .context = i + 1, .scale = workloads[i].pages ? 1 : 2};
		uint64_t cycles;

		if (workloads[i].contexts > 1)
			continue;
		cycles = run(&order, prepare(&order));
		printf("measure: %s %lu cycles\n", workloads[i].name, (unsigned long)cycles);
	}
	printf("measure: done, queue peak %lu\n", (unsigned long)monitor_read(LITEMRC_QUEUE_PEAK));
}

static void serve(void)
{
	struct run_order order;
	uint8_t *memory;
	uint64_t cycles;

	for (;;) {
		if (!serve_take_order(&order))
			continue;
		printf("running %s under context %lu\n", workloads[order.workload].name,
		       (unsigned long)order.context);
		memory = prepare(&order);
		serve_started(&order);
		cycles = run(&order, memory);
		ranks_set_live(0, 0);
		serve_done(&order, cycles);
	}
}

int main(void)
{
	struct answer nobody = {.reason = ""};

	irq_setmask(0);
	irq_setie(1);
	uart_init();
	printf("\nLiteMRC bare-metal firmware\n");
	if (!sdram_init()) {
		printf("the DRAM does not work\n");
		for (;;)
			;
	}
	monitor_init();
	registers_order(&registers.device, DEVICE_CLEAR, 0, &nobody);
	monitor_control(LITEMRC_CONTROL_ENABLE, bootarg("monitor", true) ? LITEMRC_CONTROL_ENABLE : 0);
	if (bootarg("measure", false))
		measure();
	serve_init();
	serve();
}
