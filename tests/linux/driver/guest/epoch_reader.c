// SPDX-License-Identifier: BSD-2-Clause
/* Reads /dev/litemrcN; polls it and files of sysfs. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "litemrc_uapi.h"

static int fd = -1;
static _Alignas(8) char buffer[1 << 20];

/* open PATH [nonblock]: one file at a time */
static long open_file(int count, char **words)
{
	if (fd >= 0)
		close(fd);
	fd = open(words[1], O_RDONLY | (count > 2 ? O_NONBLOCK : 0));
	return fd < 0 ? -errno : 0;
}

static long close_file(int count, char **words)
{
	(void)count;
	(void)words;
	close(fd);
	fd = -1;
	return 0;
}

/* The row `number` of a record, NULL behind the last. */
static const struct litemrc_row *row_of(const struct litemrc_epoch *record, __u32 number)
{
	__u32 rows;
	const char *at = litemrc_part(record, LITEMRC_PART_ROWS, &rows);

	return number < rows ? (const void *)(at + number * litemrc_parts(record)->item_bytes) : NULL;
}

static const __u32 *counts_of(const struct litemrc_row *row)
{
	return (const __u32 *)(row + 1);
}

/* Are all words those of the fake device for this epoch? */
static bool is_whole(const struct litemrc_epoch *record)
{
	const struct litemrc_row *row;

	if (record->dropped != record->epoch * 7 + 3 || record->outside != record->epoch * 3 + 1 ||
	    record->unsampled != record->epoch * 5 + 2)
		return false;
	for (__u32 number = 0; (row = row_of(record, number)); number++) {
		__u32 counted = counts_of(row)[LITEMRC_ROW_ACCESSES(record->groups)];

		for (__u32 word = 0; word < record->groups + LITEMRC_ROW_WORDS; word++) {
			__u32 id = record->epoch * 1000003 + row->context * 4099 + word;

			if (word != LITEMRC_ROW_ACCESSES(record->groups) &&
			    counts_of(row)[word] != (counted ? id : 0))
				return false;
		}
	}
	return true;
}

static __u32 sum_of_tails(const struct litemrc_epoch *record)
{
	const struct litemrc_row *row;
	__u32 sum = 0;

	for (__u32 number = 0; (row = row_of(record, number)); number++)
		for (__u32 group = 0; group < record->tail_groups; group++)
			sum += counts_of(row)[LITEMRC_ROW_TAIL(record->groups) + group];
	return sum;
}

static void describe(const struct litemrc_epoch *record)
{
	const struct litemrc_row *row;
	char text[4096];
	int length = snprintf(text, sizeof(text), "epoch %u lost %u whole %d flags %u scale %u begin %llu end %llu tail %u %u",
			      record->epoch, record->lost, is_whole(record), record->flags, record->scale_log2,
			      (unsigned long long)record->begin_ns, (unsigned long long)record->end_ns,
			      record->tail_groups, sum_of_tails(record));

	for (__u32 number = 0; (row = row_of(record, number)); number++)
		length += snprintf(text + length, sizeof(text) - length, " [%u %u %u %.16s %u]", row->context, row->state,
				   row->pid, row->comm[0] ? row->comm : "-",
				   counts_of(row)[LITEMRC_ROW_ACCESSES(record->groups)]);
	say("%s", text);
}

/* A line for each rank: its number, the members of struct litemrc_rank, the counters. */
static void describe_ranks(const struct litemrc_epoch *record)
{
	__u32 ranks;
	const struct litemrc_rank *rank = litemrc_part(record, LITEMRC_PART_RANKS, &ranks);

	for (__u32 number = 0; number < ranks; number++, rank++) {
		char text[512];
		int length = snprintf(text, sizeof(text), "rank %u state %u working %u live %u flags %u cycles %u", number,
				      rank->state, rank->working, rank->live_pages, rank->flags, rank->cycles);

		for (int word = 0; word < 16; word++)
			length += snprintf(text + length, sizeof(text) - length, " %u", rank->counters[word]);
		say("%s", text);
	}
}

/* With banks a line of the header's members, then one for each bank: its number, the words of struct litemrc_bank. */
static void describe_banks(const struct litemrc_epoch *record)
{
	__u32 banks;
	const struct litemrc_bank *bank = litemrc_part(record, LITEMRC_PART_BANKS, &banks);

	if (banks)
		say("dram flags %u access_bytes %u cycles %llu refreshes %u refresh_cycles %u queue_peak %u", record->flags,
		    record->access_bytes, (unsigned long long)record->cycles, record->refreshes, record->refresh_cycles,
		    record->queue_peak);
	for (__u32 number = 0; number < banks; number++, bank++)
		say("bank %u %u %u %u %u %u %u %u %u", number, bank->reads, bank->writes, bank->row_hits, bank->activates,
		    bank->row_conflicts, bank->reserved[0], bank->reserved[1], bank->reserved[2]);
}

/* read BYTES [TIMES]: repeats read() until it fails */
static long read_epochs(int count, char **words)
{
	long times = count > 2 ? atol(words[2]) : 1;
	ssize_t got = 0;

	while (times--) {
		const struct litemrc_epoch *record = (const void *)buffer;

		got = read(fd, buffer, strtoul(words[1], NULL, 0));
		if (got < 0)
			return -errno;
		if (!got)
			return 0;
		if (record->bytes != (size_t)got)
			return -EBADMSG;
		describe(record);
		describe_ranks(record);
		describe_banks(record);
	}
	return got;
}

/* fault BYTES: read() into unmapped memory */
static long read_nowhere(int count, char **words)
{
	(void)count;
	return read(fd, (void *)16, strtoul(words[1], NULL, 0)) < 0 ? -errno : 0;
}

/* poll MILLISECONDS [pri]: returns the events; pri: for a file of sysfs, which is read first */
static long poll_file(int count, char **words)
{
	struct pollfd polled = { .fd = fd, .events = count > 2 ? POLLPRI : POLLIN };
	int ready;

	if (count > 2 && (lseek(fd, 0, SEEK_SET) < 0 || read(fd, buffer, sizeof(buffer)) < 0))
		return -errno;
	ready = poll(&polled, 1, atoi(words[1]));
	if (ready < 0)
		return -errno;
	return ready ? polled.revents : 0;
}

const struct command epoch_commands[] = {
	{ "open", open_file },	   { "close", close_file }, { "read", read_epochs },
	{ "fault", read_nowhere }, { "poll", poll_file },   { NULL, NULL },
};
