/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single pages: the frames accessed in an epoch and its hot pages, which are parts of its record, and messages of pages
 * queued as they became hot.
 */
#ifndef LITEMRCD_PAGE_MESSAGES_H
#define LITEMRCD_PAGE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/pages.h"

struct page_messages {
	bool accessed, hot;
};

/* Selects neither; the driver keeps no bitmap from the end of the daemon on. Call after privileges_drop(). */
void pages_init(void);

/* Which parts each epoch has, from the running one on. pages_select() returns 0 or -errno. */
int pages_select(struct page_messages wanted);
struct page_messages pages_selected(void);

/* Call when the settings of hot pages may have changed. */
void pages_note_hot(void);

/* Drops the pages queued so far: they were counted with other settings. */
void pages_empty_queue(void);

/* Whether the record of an epoch has these parts; fills them in. Without the driver's, which has the last epoch only, not. */
bool pages_has_bitmap(uint32_t epoch, struct bitmap *bitmap);
bool pages_has_hot(uint32_t epoch, struct hot_list *list);

/* Sends queued pages when they are due; pages_timeout_ms(): the time until then, in ms, or -1. */
void pages_progress(void);
int pages_timeout_ms(void);

#endif
