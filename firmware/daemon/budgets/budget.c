// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "litemrc_limits.h"
#include "system/sysfs.h"
#include "system/text.h"

bool budget_exists(int group)
{
	return !faccessat(group, "memory.high", R_OK, 0);
}

static int pages_in(int group, const char *file, uint32_t *pages)
{
	char text[32];
	uint64_t bytes;
	int got = sysfs_read_at(group, file, text, sizeof(text));

	if (got < 0)
		return got;
	if (!strncmp(text, "max", 3)) {
		*pages = LITEMRC_NO_BUDGET;
		return 0;
	}
	if (!whole_number(text, INT64_MAX, &bytes))
		return -EPROTO;
	bytes >>= parameters.page_shift;
	*pages = bytes < LITEMRC_NO_BUDGET ? bytes : LITEMRC_NO_BUDGET;
	return 0;
}

static int write_pages(int group, const char *file, uint32_t pages)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", (uint64_t)pages << parameters.page_shift);
	return sysfs_write_at(group, file, text);
}

int budget_get(int group, struct budget *budget)
{
	int error = pages_in(group, "memory.high", &budget->allowed);

	return error ? error : pages_in(group, "memory.current", &budget->used);
}

int budget_set(int group, uint32_t pages)
{
	if (pages == LITEMRC_NO_BUDGET)
		return sysfs_write_at(group, "memory.high", "max\n");
	return write_pages(group, "memory.high", pages);
}

int budget_reclaim(int group, uint32_t pages)
{
	int error = write_pages(group, "memory.reclaim", pages);

	return error == -EAGAIN ? 0 : error;	/* fewer were reclaimed than requested */
}
