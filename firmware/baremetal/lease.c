// SPDX-License-Identifier: BSD-2-Clause
#include "lease.h"

#include <generated/csr.h>
#include <generated/soc.h>
#include <irq.h>

#include "budgets.h"
#include "ranks.h"

static bool held;
static void (*ended)(void);

static void stop_timer(void)
{
	timer0_en_write(0);
	timer0_ev_pending_write(1);
}

static void give_back(void)
{
	if (held) {
		ranks_restore();
		budgets_lift();
	}
	held = false;
}

static void lease_isr(void)
{
	stop_timer();
	give_back();
	ended();
}

void lease_init(void (*on_end)(void))
{
	ended = on_end;
	stop_timer();
	timer0_ev_enable_write(1);
	irq_attach(TIMER0_INTERRUPT, lease_isr);
	irq_setmask(irq_getmask() | (1 << TIMER0_INTERRUPT));
}

void lease_set(uint32_t cycles)
{
	stop_timer();
	if (!cycles) {
		give_back();
		return;
	}
	if (!held)
		ranks_save();
	held = true;
	timer0_reload_write(0);
	timer0_load_write(cycles);
	timer0_en_write(1);
}
