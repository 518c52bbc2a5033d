/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's files of single pages (firmware/linux/ABI.md): the bits of the frames, and S/hot/. */
#ifndef LITEMRCD_DRIVER_PAGES_H
#define LITEMRCD_DRIVER_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "litemrc_regs.h"

#define QUEUE_PAGES 2048	/* lines of a file of sysfs at most */

/* Settings of hot pages, in the order of DEVICE_HOT. */
enum hot_setting {
	HOT_ENABLE, HOT_READS, HOT_WRITES, HOT_ALWAYS_ON, HOT_SAMPLING, HOT_THRESHOLD, HOT_WANTED, HOT_LOWER, HOT_UPPER,
	HOT_WATERMARK, HOT_SETTINGS
};

/* The frames of an epoch: bit n % 32 of word n / 32 is frame n. */
struct bitmap {
	const uint32_t *accessed, *written;
	uint32_t words;	/* of each */
};

/* The hot pages of an epoch, the largest count first; pages[2 * n] is a frame, pages[2 * n + 1] its count. */
struct hot_list {
	uint32_t accesses, count;
	bool more, saturated;
	const uint32_t *pages;
};

/* Opens the files that the gateware has, in the monitor's folder; exits if one is missing. Call after the parameters. */
void pages_open(int monitor);

/* All return 0 or -errno; -ENODEV: the gateware has no such pages; -EPROTO: a file is malformed. */
int bitmap_keep(bool on);
int hot_setting(enum hot_setting setting, uint32_t *value);
/* All HOT_SETTINGS of them. */
int hot_settings(uint32_t *settings);
/* If the driver refuses one of them, those before stay. */
int hot_set(const uint32_t *settings);

/*
 * Read what an epoch has whose record was read, valid until the next call. The driver has the last epoch only. It stores
 * these a few milliseconds after the record, so both may wait as long. -ESTALE: a later epoch is there; -ENODATA: none.
 */
int bitmap_of(uint32_t epoch, struct bitmap *bitmap);
int hot_list_of(uint32_t epoch, struct hot_list *list);

/*
 * Takes the frames that became hot, at most QUEUE_PAGES. `*lost` counts since the driver was loaded: pages lost by its
 * queue or taken out of it by another process, and times that the gateware's queue was full. Returns their number or
 * -errno.
 */
int hot_queue(uint32_t *frames, uint32_t *lost);

#endif
