/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of single pages: the frames accessed in an epoch and its hot pages, behind the other messages of the epoch, and
 * pages queued as they became hot.
 */
#ifndef LITEMRCD_PAGE_MESSAGES_H
#define LITEMRCD_PAGE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

struct page_messages {
	bool accessed, hot;
};

/* Selects neither; the driver keeps no bitmap from the end of the daemon on. Call after privileges_drop(). */
void pages_init(void);

/* Messages of an epoch at most. */
uint32_t pages_most(void);

/* Which messages follow those of each epoch, from the running one on. pages_select() returns 0 or -errno. */
int pages_select(struct page_messages wanted);
struct page_messages pages_selected(void);

/* Call when hot pages may have been turned on or off: the settings hold from the running epoch on. */
void pages_note_hot(void);

/* Drops the pages queued so far: they were counted with other settings. */
void pages_empty_queue(void);

/*
 * Queues the messages of an epoch, directly behind its others. If the driver has a later epoch by now, or if there is no
 * room, all messages of one kind are dropped; a host sees the gap in their indices.
 */
void pages_send(uint32_t epoch);

/* Counts the messages of the `count` epochs before `end` as lost, at least one of each kind that an epoch has. */
void pages_lose(uint32_t end, uint32_t count);

/* Sends queued pages when they are due; pages_timeout_ms(): the time until then, in ms, or -1. */
void pages_progress(void);
int pages_timeout_ms(void);

#endif
