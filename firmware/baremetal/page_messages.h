/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of single pages: the frames accessed in an epoch and its hot pages, behind the other messages of the epoch, and
 * pages that the gateware queued as they became hot.
 */
#ifndef LITEMRC_PAGE_MESSAGES_H
#define LITEMRC_PAGE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "monitor.h"

/* What an epoch in the window was counted with. A later clear changes LITEMRC_HOT_STATUS. */
struct epoch_settings {
	uint32_t scale_log2, hot_status;
	bool split, hot;
};

/* The present settings. */
struct epoch_settings page_messages_settings(void);

/*
 * Sends messages of the pages of the epoch in the window while the link has room. Returns whether all that the host
 * selected are queued; if not, the next call goes on.
 */
bool page_messages_send(const struct device_parameters *parameters, struct epoch_settings settings);

/* Sends the pages that the gateware queued, between epochs, while the link has room. Interrupts are off. */
void page_messages_drain(const struct device_parameters *parameters, bool between_epochs);

#endif
