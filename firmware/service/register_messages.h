/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages of a device by its registers: the record of each finished epoch (litemrc_uapi.h), read from the window piece
 * by piece, pages that the gateware queued as they became hot, and events of reference counters.
 */
#ifndef LITEMRC_REGISTER_MESSAGES_H
#define LITEMRC_REGISTER_MESSAGES_H

#include "litemrc_uapi.h"
#include "registers.h"

/* Where messages go, in pieces. */
struct outlet {
	bool (*has_room)(struct outlet *outlet, size_t bytes);	/* for a piece, or for a message with such a body */
	void (*begin)(struct outlet *outlet, uint32_t type);	/* one that was begun and not ended is dropped */
	/* Aligned words may be those of a device: each is read once. */
	void (*put)(struct outlet *outlet, const volatile void *bytes, size_t length);
	void (*end)(struct outlet *outlet);
};

/* What an epoch was counted with. A later clear changes LITEMRC_HOT_STATUS. */
struct epoch_settings {
	uint32_t scale_log2, hot_status;
	bool split, hot, hot_rows, hold;
};

#define RECORD_PARTS_MAX 8

struct register_messages {
	struct register_device *registers;
	struct outlet *outlet;
	/* Parts of a record that the registers do not have: how many items, and an item. NULL: none. */
	uint32_t (*items)(uint32_t kind);
	void (*fill)(uint32_t kind, uint32_t item, void *to);

	uint32_t next;	/* number of the first epoch that was not sent */

	/* Their own: */
	struct epoch_settings kept;	/* of the epoch in the window, if changed since */
	bool settings_kept;
	uint32_t seen;			/* over a bridge: LITEMRC_EPOCH when the window was not ready */
	uint32_t queued, counts;	/* messages sent */
	/* The record that is being sent, up to a word of an item of a part. */
	bool begun;
	uint32_t epoch;
	uint32_t used;	/* bit c, of the first 32: context c has accesses */
	struct epoch_settings settings;
	uint32_t parts, part, item, word;
	struct litemrc_part table[RECORD_PARTS_MAX];
	union {
		struct litemrc_row row;
		struct litemrc_rank rank;
		struct litemrc_task task;
		struct litemrc_copies copies;
		uint32_t words[24];
	} found;	/* the item, or what is before the counts of a row */
};

enum epoch_sent {
	EPOCH_NONE, EPOCH_SENT,
	EPOCH_NO_ROOM,		/* it is partly sent: call again, and send nothing else before */
	/* Over a bridge, where software of the SoC may release the window, and without control.hold: */
	EPOCH_OVERWRITTEN,	/* number `epoch`, while it was read */
	EPOCH_RESTARTED,	/* the monitor counts its epochs anew: number `epoch` was behind it */
};

/* After registers_open(). Over a bridge epochs that ended before are not sent. */
void messages_open(struct register_messages *m);

/* Sends the epoch in the window, if it was not yet, and releases it. */
enum epoch_sent messages_send_epoch(struct register_messages *m);

/* Call before scale_log2, split or hot pages change, and before a clear, if the epoch in the window stays there. */
void messages_keep_settings(struct register_messages *m);

/* Send what is there. False: there is no room. */
bool messages_send_queued(struct register_messages *m);
bool messages_send_counts(struct register_messages *m);

#endif
