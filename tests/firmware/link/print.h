/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints decoded messages, every field by its name, as the tests expect them from Python. */
#ifndef LITEMRC_PRINT_H
#define LITEMRC_PRINT_H

#include "litemrc_types.h"

void print_device_message(const struct device_message *m);
void print_host_request(const struct host_request *m);

#endif
