// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "litemrc_protocol.h"
#include "system/sysfs.h"
#include "system/text.h"

int budget_open(struct budget_files *files, int folder)
{
	int error;

	files->high = openat(folder, "memory.high", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	files->low = openat(folder, "memory.low", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	files->current = openat(folder, "memory.current", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	error = errno;
	files->reclaim = openat(folder, "memory.reclaim", O_WRONLY | O_NOFOLLOW | O_CLOEXEC);	/* from Linux 5.19 on */
	if (files->high >= 0 && files->low >= 0 && files->current >= 0)
		return 0;
	budget_close(files);
	return -error;
}

void budget_close(struct budget_files *files)
{
	int *const all[] = {&files->high, &files->low, &files->current, &files->reclaim};

	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

int budget_pages(int file, uint32_t *pages)
{
	char text[32];
	uint64_t bytes;
	int got = sysfs_read(file, text, sizeof(text));

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

int budget_get(const struct budget_files *files, struct budget *budget)
{
	int error = budget_pages(files->high, &budget->allowed);

	if (!error)
		error = budget_pages(files->low, &budget->guaranteed);
	if (!error && budget->guaranteed && budget->allowed == budget->guaranteed + BUDGET_AHEAD)
		budget->allowed = budget->guaranteed;
	return error ? error : budget_pages(files->current, &budget->used);
}

int budget_keep(const struct budget_files *files, struct kept_budget *kept)
{
	int got = sysfs_read(files->high, kept->high, sizeof(kept->high));

	if (got >= 0)
		got = sysfs_read(files->low, kept->low, sizeof(kept->low));
	return got < 0 ? got : 0;
}

int budget_restore(const struct budget_files *files, const struct kept_budget *kept)
{
	int low = sysfs_write(files->low, kept->low);
	int high = sysfs_write(files->high, kept->high);

	return high ? high : low;
}

static void print_bytes(char *text, size_t size, uint64_t pages)
{
	snprintf(text, size, "%" PRIu64 "\n", pages << parameters.page_shift);
}

int budget_set(const struct budget_files *files, uint32_t pages)
{
	struct kept_budget before, wanted = {"max\n", "0\n"};
	uint64_t wanted_high = (uint64_t)pages + BUDGET_AHEAD, next = wanted_high;
	int error = budget_keep(files, &before);
	uint32_t high, used;

	if (!error)
		error = budget_pages(files->high, &high);
	if (!error)
		error = budget_pages(files->current, &used);
	if (error)
		return error;
	if (pages != LITEMRC_NO_BUDGET) {
		if (used > high)
			used = high;	/* pages that cannot be reclaimed: the limit is lowered all the same */
		if (used > wanted_high + BUDGET_STEP)
			next = used - BUDGET_STEP;
		print_bytes(wanted.high, sizeof(wanted.high), next);
		print_bytes(wanted.low, sizeof(wanted.low), pages);
	}
	error = budget_restore(files, &wanted);
	if (error)
		budget_restore(files, &before);
	return error ? error : next != wanted_high;
}

int budget_reclaim(const struct budget_files *files, uint32_t pages)
{
	char text[32];
	int error;

	print_bytes(text, sizeof(text), pages);
	error = sysfs_write(files->reclaim, text);
	return error == -EAGAIN ? 0 : error;	/* fewer were reclaimed than requested */
}
