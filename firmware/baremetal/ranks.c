// SPDX-License-Identifier: BSD-2-Clause
#include "ranks.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <hw/common.h>

#include "monitor.h"

uint32_t ranks_domains(void)
{
	return device_has(&registers.device, LITEMRC_FEATURE_RANK_POWER) ? PARAMETERS->ranks : 0;
}

#ifdef CSR_RANKS_BASE

static uint32_t live_first, live_pages;

static uint32_t ranks_read(uint32_t offset)
{
	return csr_read_simple(CSR_RANKS_BASE + offset);
}

static void ranks_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_RANKS_BASE + offset);
}

static uint32_t domain_bytes(void)
{
	return MAIN_RAM_SIZE / ranks_domains();
}

uint32_t ranks_live_pages(struct register_device *device, uint32_t domain)
{
	uint32_t pages = domain_bytes() / (1u << PARAMETERS->page_shift);
	uint32_t first = domain * pages, end = first + pages, live_end = live_first + live_pages;

	(void)device;
	first = live_first > first ? live_first : first;
	end = live_end < end ? live_end : end;
	return end > first ? end - first : 0;
}

void ranks_set_live(uint32_t first_page, uint32_t pages)
{
	live_first = first_page;
	live_pages = pages;
	for (uint32_t domain = 0; domain < ranks_domains(); domain++)
		if (ranks_live_pages(&registers, domain))
			ranks_write(LITEMRC_RANKS_PARTIAL_ALLOWED,
				    ranks_read(LITEMRC_RANKS_PARTIAL_ALLOWED) & ~(1u << domain));
}

/* Whether an address of the firmware lies in a domain. */
static bool lies_in(const void *address, uint32_t domain)
{
	uint32_t offset = (uint32_t)address - MAIN_RAM_BASE;

	return offset < MAIN_RAM_SIZE && offset / domain_bytes() == domain;
}

bool ranks_runs_from(struct register_device *device, uint32_t domain)
{
	uint32_t on_stack;

	(void)device;
	return lies_in((const void *)ranks_runs_from, domain) || lies_in(&live_first, domain) || lies_in(&on_stack, domain);
}

#else	/* no rank power in this SoC */

void ranks_set_live(uint32_t first_page, uint32_t pages)
{
	(void)first_page;
	(void)pages;
}

#endif
