// SPDX-License-Identifier: BSD-2-Clause
#include "driver/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "system/say.h"

static struct litemrc_epoch *record;
static size_t record_bytes;

int record_open(const char *path)
{
	int device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (device < 0)
		give_up(1, "load the driver, or name its device with --device", "%s: %s", path, strerror(errno));
	record_bytes = sizeof(*record) + parameters.contexts * sizeof(record->followed[0]) +
		       parameters.contexts * (parameters.groups + LITEMRC_ROW_WORDS) * sizeof(uint32_t);
	record = malloc(record_bytes);
	if (!record)
		give_up(1, "free memory", "no memory for the %zu bytes of an epoch", record_bytes);
	return device;
}

static void check(ssize_t length)
{
	if ((size_t)length == record_bytes && record->bytes == record_bytes &&
	    record->contexts == parameters.contexts && record->groups == parameters.groups &&
	    record->scale_log2 <= 31)
		return;
	give_up(1, "use driver and daemon of the same version",
		"the driver returned %zd bytes, not an epoch of %u contexts and %u groups", length,
		(unsigned int)parameters.contexts, (unsigned int)parameters.groups);
}

const struct litemrc_epoch *record_read(int device)
{
	ssize_t length = read(device, record, record_bytes);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	if (length < 0)
		give_up(1, "use driver and daemon of the same version", "reading an epoch: %s", strerror(errno));
	if (!length)
		give_up(1, "load the driver and start the daemon again", "the driver was removed");
	check(length);
	return record;
}

const uint32_t *record_row(const struct litemrc_epoch *of, uint32_t context)
{
	const uint32_t *rows = (const uint32_t *)(of->followed + of->contexts);

	return rows + context * (of->groups + LITEMRC_ROW_WORDS);
}
