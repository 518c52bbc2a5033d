/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of firmware/service: what the driver, cgroups and the list of programs can do. */
#ifndef LITEMRCD_PORT_H
#define LITEMRCD_PORT_H

#include "device.h"

extern struct device linux_device;

/* Fills in the device; call after driver_open() and programs_read(). */
void port_init(void);

/* Parts of the device's operations. `error` is the kernel's -errno or 0; all return 0 or refuse(). */
int refuse_errno(struct answer *answer, int error);
int process_get(uint32_t context, struct answer *answer);
int process_follow(uint32_t context, uint32_t pid, struct answer *answer);
int process_follow_cgroup(struct device *device, uint32_t context, const char *path, struct answer *answer);
int context_budget(uint32_t context, struct answer *answer);
int context_set_budget(uint32_t context, uint32_t pages, struct answer *answer);
int context_reclaim(uint32_t context, uint32_t pages, struct answer *answer);

#endif
