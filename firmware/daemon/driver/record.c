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

int record_open(const char *path)
{
	int device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (device < 0)
		die(1, "load the driver, or name its device with --device", "%s: %s", path, strerror(errno));
	record = malloc(driver_record_bytes);
	if (!record)
		die(1, "free memory", "no memory for the %u bytes of an epoch",
			(unsigned int)driver_record_bytes);
	return device;
}

/* The parts of a later driver's record may be longer than those known here. */
static bool parts_fit(void)
{
	size_t context_bytes = record->context_bytes + record->row_words * sizeof(uint32_t);

	return record->header_bytes >= sizeof(*record) && record->context_bytes >= sizeof(struct litemrc_context) &&
	       record->row_words >= record->groups + LITEMRC_ROW_WORDS + record->tail_groups &&
	       record->tail_groups <= LITEMRC_TAIL_GROUPS_MAX &&
	       !(record->header_bytes % sizeof(uint64_t)) && !(record->context_bytes % sizeof(uint32_t)) &&
	       record->header_bytes + record->contexts * context_bytes + record->ranks * record->rank_bytes <=
		       record->bytes;
}

/* Later drivers' ranks may be longer, too. */
static bool ranks_fit(void)
{
	return record->ranks == dram.ranks && !(record->rank_bytes % sizeof(uint32_t)) &&
	       (!record->ranks || record->rank_bytes >= sizeof(struct litemrc_rank));
}

static void check(ssize_t length)
{
	if ((size_t)length >= sizeof(*record) && record->bytes == (size_t)length &&
	    record->contexts == parameters.contexts && record->groups == parameters.groups && parts_fit() && ranks_fit() &&
	    record->scale_log2 <= 31)
		return;
	die(1, "use driver and daemon of the same version",
		"the driver returned %zd bytes, not an epoch of %u contexts and %u groups, with %u ranks", length,
		(unsigned int)parameters.contexts, (unsigned int)parameters.groups, (unsigned int)dram.ranks);
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
	check(length);
	return record;
}
