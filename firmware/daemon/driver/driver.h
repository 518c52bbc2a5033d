/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel driver as firmware/linux/ABI.md describes it: parameters, settings and the files of the contexts. */
#ifndef LITEMRCD_DRIVER_H
#define LITEMRCD_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "device.h"
#include "litemrc_uapi.h"

/* Settings: files of the monitor. */
enum setting {
	SETTING_ENGINE, SETTING_ENABLE, SETTING_EPOCH_LENGTH, SETTING_EPOCH_UNIT, SETTING_END_EPOCH, SETTING_CLEAR, SETTING_ARM,
	SETTING_FREEZE, SETTING_SINGLE_SHOT, SETTING_FROZEN, SETTING_RANGE_LOWER, SETTING_RANGE_UPPER, SETTING_SAMPLING, SETTING_SCALE,
	SETTING_INVALIDATE, SETTING_EPOCH, SETTING_SPLIT, SETTINGS
};

/* Opens the folder of a device (/dev/litemrcN) below the mount point of sysfs; exits if there is none. */
int driver_folder(const char *sysfs, const char *device);

/*
 * Opens all files of the device and reads the parameters; clock_hz 0: from the device tree. Exits if there is no driver,
 * or one with another ABI.
 */
void driver_open(const char *sysfs, const char *device, uint32_t clock_hz);

/* Without what only the daemon knows: programs, and the names of system and board. */
extern struct device_parameters parameters;
extern uint32_t driver_record_bytes;

static inline bool driver_has(unsigned int feature)
{
	return parameters.features >> feature & 1;
}

/* Return 0 or -errno; -EPROTO: the file's text is malformed. */
int driver_write_setting(enum setting setting, const char *format, ...) __attribute__((format(printf, 2, 3)));
int driver_number(enum setting setting, uint32_t *number);
int driver_epoch_length(bool *cycles, uint32_t *length);
/* If the driver refuses one of the two, those before stay. */
int driver_set_epoch_length(bool cycles, uint32_t length);
int driver_set_range(uint32_t lower, uint32_t upper);

/* The process that a context (below parameters.contexts) follows now. */
int driver_followed(uint32_t context, struct litemrc_row *followed);
int driver_follow(uint32_t context, pid_t pid);
int driver_followed_cgroup(uint32_t context, char *path, size_t size);
int driver_follow_cgroup(uint32_t context, const char *path);

#endif
