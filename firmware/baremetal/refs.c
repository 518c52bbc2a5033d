// SPDX-License-Identifier: BSD-2-Clause
#include "refs.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <hw/common.h>
#include <irq.h>

#include "epochs.h"
#include "monitor.h"

#ifdef CSR_REFS_BASE

#define FIELD(word, name) (((word) & LITEMRC_REFS_##name) >> LITEMRC_REFS_##name##_SHIFT)

static void (*volatile consumer)(uint32_t page, uint32_t counter);

static uint32_t refs_read(uint32_t offset)
{
	return csr_read_simple(CSR_REFS_BASE + offset);
}

static void refs_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_REFS_BASE + offset);
}

static volatile uint32_t *counter_of(uint32_t counter, uint32_t page)
{
	return (volatile uint32_t *)REFS_WINDOW_BASE + page * LITEMRC_REFS_COUNTERS + counter;
}

uint32_t refs_page_shift(void)
{
	return FIELD(refs_read(LITEMRC_REFS_CAPABILITIES), CAPABILITIES_PAGE_SHIFT);
}

uint32_t refs_value(uint32_t counter, uint32_t page)
{
	return *counter_of(counter, page);
}

void refs_load(uint32_t counter, uint32_t page, uint32_t value)
{
	*counter_of(counter, page) = value;
}

void refs_rearm(uint32_t counter, uint32_t page)
{
	refs_load(counter, page, LITEMRC_REFS_LOAD_INITIAL);
}

uint32_t refs_lost(void)
{
	return refs_read(LITEMRC_REFS_LOST) + refs_taps_lost_read();
}

void refs_select(uint32_t counter, const struct counter_selection *selection)
{
	registers_select(&registers, counter, selection);
}

void refs_restart(bool on)
{
	registers_restart_counters(&registers, on);
}

bool refs_are_taken(void)
{
	return consumer;
}

void refs_init(void (*on_event)(void))
{
	irq_attach(REFS_INTERRUPT, on_event);
	irq_setmask(irq_getmask() | (1 << REFS_INTERRUPT));
	refs_write(LITEMRC_REFS_EV_ENABLE, LITEMRC_REFS_EV_ENABLE_EVENT);
}

void refs_give_events(void (*to)(uint32_t page, uint32_t counter))
{
	consumer = to;
}

static void give_events(void)
{
	uint32_t event;

	while ((event = refs_read(LITEMRC_REFS_EVENT)) & LITEMRC_REFS_EVENT_VALID) {
		refs_write(LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_NEXT);
		consumer(FIELD(event, EVENT_PAGE), FIELD(event, EVENT_COUNTER));
	}
}

void refs_progress(void)
{
	bool stuck = !consumer && !epochs_send_counts();

	if (consumer)
		give_events();
	/* Without room the link's interrupt calls again; the counters' level interrupt would be raised endlessly. */
	refs_write(LITEMRC_REFS_EV_ENABLE, stuck ? 0 : LITEMRC_REFS_EV_ENABLE_EVENT);
}

#else	/* no reference counters in this SoC */

void refs_init(void (*on_event)(void))
{
	(void)on_event;
}

void refs_progress(void)
{
}

bool refs_are_taken(void)
{
	return false;
}

#endif
