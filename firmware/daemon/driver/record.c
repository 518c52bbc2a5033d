// SPDX-License-Identifier: BSD-2-Clause
#include "driver/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "driver/ranks.h"
#include "system/log.h"

static struct litemrc_epoch *record;
static uint32_t next;
static bool has_record;	/* which has been checked */
static struct litemrc_row followers[256];	/* before the first record */

int record_open(const char *path)
{
	int device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (device < 0)
		die(1, "load the driver, or name its device with --device", "%s: %s", path, strerror(errno));
	record = malloc(driver_record_bytes);
	if (!record)
		die(1, "free memory", "no memory for the %u bytes of an epoch",
			(unsigned int)driver_record_bytes);
	driver_number(SETTING_EPOCH, &next);
	for (uint32_t context = 0; context < parameters.contexts; context++)
		if (driver_followed(context, &followers[context]))
			followers[context].state = LITEMRC_CONTEXT_FREE;
	return device;
}

/* Items of a later driver may be longer than those known here, and there may be other parts. */
static bool parts_fit(size_t length)
{
	const struct litemrc_part *parts = litemrc_parts(record);
	size_t row = sizeof(struct litemrc_row) + (record->groups + LITEMRC_ROW_WORDS + record->tail_groups) * sizeof(uint32_t);
	size_t end = record->header_bytes + record->parts * sizeof(*parts);
	uint32_t rows = 0, ranks = 0, banks = 0;

	if (record->header_bytes < sizeof(*record) || record->header_bytes % sizeof(uint64_t) || end > length)
		return false;
	for (unsigned int i = 0; i < record->parts; i++) {
		bool is_row = parts[i].kind == LITEMRC_PART_ROWS, is_rank = parts[i].kind == LITEMRC_PART_RANKS;
		bool is_bank = parts[i].kind == LITEMRC_PART_BANKS;

		if (parts[i].item_bytes % sizeof(uint32_t) || parts[i].items > length || end > length)
			return false;
		if ((is_row && parts[i].item_bytes < row) || (is_rank && parts[i].item_bytes < sizeof(struct litemrc_rank)))
			return false;
		if (is_bank && parts[i].item_bytes < sizeof(struct litemrc_bank))
			return false;
		rows += is_row ? parts[i].items : 0;
		ranks += is_rank ? parts[i].items : 0;
		banks += is_bank ? parts[i].items : 0;
		end += litemrc_part_bytes(&parts[i]);
	}
	return end == length && rows <= parameters.contexts && ranks == dram.ranks && banks == parameters.banks;
}

static bool contexts_fit(void)
{
	uint32_t rows, item_bytes = litemrc_parts(record)->item_bytes;
	const char *at = litemrc_part(record, LITEMRC_PART_ROWS, &rows);

	for (; rows; rows--, at += item_bytes)
		if (((const struct litemrc_row *)at)->context >= parameters.contexts)
			return false;
	return litemrc_parts(record)->kind == LITEMRC_PART_ROWS;
}

static void check(ssize_t length)
{
	if ((size_t)length >= sizeof(*record) && record->bytes == (size_t)length && record->parts &&
	    record->groups == parameters.groups && record->tail_groups <= LITEMRC_TAIL_GROUPS_MAX && parts_fit(length) &&
	    contexts_fit() && record->scale_log2 <= 31)
		return;
	die(1, "use driver and daemon of the same version",
		"the driver returned %zd bytes, not an epoch of %u contexts and %u groups, with %u ranks and %u banks",
		length, (unsigned int)parameters.contexts, (unsigned int)parameters.groups, (unsigned int)dram.ranks,
		(unsigned int)parameters.banks);
}

uint32_t record_next(void)
{
	return next;
}

const struct litemrc_row *follower(uint32_t context)
{
	static const struct litemrc_row free_one = {.state = LITEMRC_CONTEXT_FREE};
	uint32_t rows, item_bytes;
	const char *at;

	if (!has_record)
		return &followers[context];
	item_bytes = litemrc_parts(record)->item_bytes;
	at = litemrc_part(record, LITEMRC_PART_ROWS, &rows);
	for (; rows; rows--, at += item_bytes)
		if (((const struct litemrc_row *)at)->context == context)
			return (const struct litemrc_row *)at;
	return &free_one;	/* without a row */
}

const struct litemrc_epoch *record_read(int device)
{
	ssize_t length = read(device, record, driver_record_bytes);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	if (length < 0 && errno == EIO)
		die(1, "look into the kernel log (dmesg)", "the monitor does not complete commands");
	if (length < 0)
		die(1, "use driver and daemon of the same version", "reading an epoch: %s", strerror(errno));
	if (!length)
		die(1, "load the driver and start the daemon again", "the driver was removed");
	has_record = false;
	check(length);
	has_record = true;
	next = record->epoch + 1;
	return record;
}
