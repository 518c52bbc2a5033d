// SPDX-License-Identifier: BSD-2-Clause
#include "register_messages.h"

#include "register_access.h"

#define PIECE 512u	/* bytes for which there must be room */
#define TRIES 4		/* to read an epoch that the next one may overwrite */
#define USED_BITS 32u
#define ROW_HEAD (sizeof(struct litemrc_row) / sizeof(uint32_t))

static uint32_t monitor(struct register_messages *m, uint32_t offset)
{
	return register_read(m->registers, BLOCK_MRC, offset);
}

static const struct device_parameters *parameters(const struct register_messages *m)
{
	return &m->registers->device.parameters;
}

static const volatile uint32_t *window(struct register_messages *m, uint32_t first, uint32_t words)
{
	return register_words(m->registers, BLOCK_MRC_WINDOW, 4 * first, words);
}

static struct epoch_settings present_settings(struct register_messages *m)
{
	uint32_t control = monitor(m, LITEMRC_CONTROL);
	bool has_hot = device_has_hot_pages(&m->registers->device);
	uint32_t hot = has_hot ? monitor(m, LITEMRC_HOT_CONTROL) : 0;

	return (struct epoch_settings){
		.scale_log2 = monitor(m, LITEMRC_SCALE) & LITEMRC_SCALE_SCALE_LOG2,
		.split = control & LITEMRC_CONTROL_SPLIT,
		.hold = control & LITEMRC_CONTROL_HOLD,
		.hot = hot & LITEMRC_HOT_CONTROL_ENABLE,
		.hot_rows = hot & LITEMRC_HOT_CONTROL_ROWS,
		.hot_status = has_hot ? monitor(m, LITEMRC_HOT_STATUS) : 0,
	};
}

/* ------------------------------------------------------------------------------------------- the record */

static uint32_t counts_of(const struct register_messages *m, uint32_t context)
{
	return context * LITEMRC_WINDOW_ROW(parameters(m)->groups);
}

static bool has_accesses(struct register_messages *m, uint32_t context)
{
	return *window(m, counts_of(m, context) + LITEMRC_WINDOW_ACCESSES(parameters(m)->groups), 1);
}

static uint32_t rows(struct register_messages *m)
{
	uint32_t contexts = parameters(m)->contexts, used = 0;

	m->used = 0;
	for (uint32_t context = 0; context < contexts; context++)
		if (has_accesses(m, context)) {
			used++;
			m->used |= context < USED_BITS ? 1u << context : 0;
		}
	return used;
}

/* The first context from this one on that has a row. */
static uint32_t next_row(struct register_messages *m, uint32_t context)
{
	while (context < parameters(m)->contexts &&
	       !(context < USED_BITS ? m->used >> context & 1 : has_accesses(m, context)))
		context++;
	return context;
}

static uint32_t port_items(const struct register_messages *m, uint32_t kind)
{
	return m->items ? m->items(kind) : 0;
}

static void add_part(struct register_messages *m, uint32_t kind, uint32_t item_bytes, uint32_t items)
{
	m->table[m->parts++] = (struct litemrc_part){.kind = kind, .item_bytes = item_bytes, .items = items};
}

static void list_parts(struct register_messages *m)
{
	const struct register_device *r = m->registers;
	uint32_t bitmap_words = parameters(m)->frames / LITEMRC_BITMAP_FRAMES;

	m->parts = 0;
	add_part(m, LITEMRC_PART_ROWS, 4 * (ROW_HEAD + parameters(m)->groups + LITEMRC_ROW_WORDS), rows(m));
	if (device_has(&r->device, LITEMRC_FEATURE_RANK_POWER))
		add_part(m, LITEMRC_PART_RANKS, sizeof(struct litemrc_rank), parameters(m)->ranks);
	if (port_items(m, LITEMRC_PART_TASKS))
		add_part(m, LITEMRC_PART_TASKS, sizeof(struct litemrc_task), port_items(m, LITEMRC_PART_TASKS));
	if (port_items(m, LITEMRC_PART_COPIES))
		add_part(m, LITEMRC_PART_COPIES, sizeof(struct litemrc_copies), 1);
	if (r->accessed_messages) {
		add_part(m, LITEMRC_PART_ACCESSED, 4, bitmap_words);
		add_part(m, LITEMRC_PART_WRITTEN, 4, bitmap_words);
	}
	if (parameters(m)->banks)
		add_part(m, LITEMRC_PART_BANKS, sizeof(struct litemrc_bank), parameters(m)->banks);
	if (r->hot_messages && m->settings.hot)
		add_part(m, LITEMRC_PART_HOT, sizeof(struct litemrc_hot_page), FIELD(m->settings.hot_status, HOT_STATUS_LISTED));
}

_Static_assert(sizeof(struct litemrc_bank) == LITEMRC_DRAM_BANK_WORDS * sizeof(uint32_t), "struct litemrc_bank");

/* The first word of the counts of DRAM commands in the window. */
static uint32_t dram_counts(const struct register_messages *m)
{
	const struct device_parameters *p = parameters(m);
	uint32_t bitmap = p->features >> LITEMRC_FEATURE_PAGE_BITMAP & 1 ? LITEMRC_BITMAP_WORDS(p->frames) : 0;

	return LITEMRC_WINDOW_DRAM(p->groups, p->contexts, bitmap, LITEMRC_HOT_PAGE_WORDS * p->hot_pages);
}

static void fill_dram(struct register_messages *m, struct litemrc_epoch *head)
{
	const volatile uint32_t *found = window(m, dram_counts(m), LITEMRC_DRAM_HEAD_WORDS);

	head->access_bytes = parameters(m)->access_bytes;
	if (!m->registers->rows_observed)
		return;
	head->flags |= LITEMRC_EPOCH_DRAM_ROWS;
	head->cycles = found[LITEMRC_DRAM_CYCLES] | (uint64_t)found[LITEMRC_DRAM_CYCLES_HIGH] << 32;
	head->refreshes = found[LITEMRC_DRAM_REFRESHES];
	head->refresh_cycles = m->registers->refresh_cycles;
	head->queue_peak = found[LITEMRC_DRAM_QUEUE_PEAK];
}

static uint32_t flags(struct register_messages *m, uint32_t status)
{
	const struct epoch_settings *settings = &m->settings;

	return (status & LITEMRC_STATUS_OVERFLOW ? LITEMRC_EPOCH_OVERFLOW : 0) |
	       (settings->split ? LITEMRC_EPOCH_SPLIT : 0) |
	       (settings->hot && settings->hot_status & LITEMRC_HOT_STATUS_MORE ? LITEMRC_EPOCH_HOT_MORE : 0) |
	       (settings->hot && settings->hot_status & LITEMRC_HOT_STATUS_SATURATED ? LITEMRC_EPOCH_HOT_SATURATED : 0);
}

/* Registers that follow each other: a bridge reads them at once. */
enum { HEAD_STATUS, HEAD_EPOCH, HEAD_DROPPED, HEAD_OUTSIDE, HEAD_UNSAMPLED, HEAD_WORDS };
_Static_assert(LITEMRC_EPOCH == LITEMRC_STATUS + 4 * HEAD_EPOCH, "epoch");
_Static_assert(LITEMRC_EPOCH_DROPPED == LITEMRC_STATUS + 4 * HEAD_DROPPED, "epoch_dropped");
_Static_assert(LITEMRC_EPOCH_OUTSIDE == LITEMRC_STATUS + 4 * HEAD_OUTSIDE, "epoch_outside");
_Static_assert(LITEMRC_EPOCH_UNSAMPLED == LITEMRC_STATUS + 4 * HEAD_UNSAMPLED, "epoch_unsampled");

static void read_head(struct register_messages *m, uint32_t *words, uint32_t count)
{
	const volatile uint32_t *found = register_words(m->registers, BLOCK_MRC, LITEMRC_STATUS, count);

	for (uint32_t i = 0; i < count; i++)
		words[i] = found[i];
}

static void begin_record(struct register_messages *m)
{
	uint32_t words[HEAD_WORDS];
	struct litemrc_epoch head;

	m->settings = m->settings_kept ? m->kept : present_settings(m);
	read_head(m, words, HEAD_WORDS);
	m->epoch = words[HEAD_EPOCH] - 1;
	list_parts(m);
	head = (struct litemrc_epoch){
		.bytes = sizeof(head) + m->parts * sizeof(m->table[0]),
		.header_bytes = sizeof(head),
		.parts = m->parts,
		.epoch = m->epoch,
		.flags = flags(m, words[HEAD_STATUS]),
		.dropped = words[HEAD_DROPPED],
		.outside = words[HEAD_OUTSIDE],
		.unsampled = words[HEAD_UNSAMPLED],
		.scale_log2 = m->settings.scale_log2,
		.groups = parameters(m)->groups,
		.hot_accesses = m->settings.hot ? monitor(m, LITEMRC_HOT_ACCESSES) : 0,
		.row_bytes = m->settings.hot && m->settings.hot_rows ? parameters(m)->row_bytes : 0,
	};
	if (parameters(m)->banks)
		fill_dram(m, &head);
	for (uint32_t part = 0; part < m->parts; part++)
		head.bytes += litemrc_part_bytes(&m->table[part]);
	m->part = m->item = m->word = 0;
	m->begun = true;
	m->outlet->begin(m->outlet, LITEMRC_MESSAGE_EPOCH);
	m->outlet->put(m->outlet, &head, sizeof(head));
	m->outlet->put(m->outlet, m->table, m->parts * sizeof(m->table[0]));
}

/* At the first word of an item. */
static void find_item(struct register_messages *m, uint32_t kind)
{
	switch (kind) {
	case LITEMRC_PART_ROWS:	/* follows nothing, nothing is evicted */
		m->found.row = (struct litemrc_row){.context = next_row(m, m->item ? m->found.row.context + 1 : 0)};
		break;
	case LITEMRC_PART_RANKS:
		if (DEVICE_CAN(RANK_POWER))
			ranks_fill(m->registers, m->item, &m->found.rank);
		break;
	default:
		m->fill(kind, m->item, m->found.words);
	}
}

/* The items of these parts are in the window as they are sent, from this word on: each part is taken as one item. */
static bool part_in_window(const struct register_messages *m, uint32_t kind, uint32_t *first)
{
	uint32_t groups = parameters(m)->groups, contexts = parameters(m)->contexts;
	uint32_t words = parameters(m)->frames / LITEMRC_BITMAP_FRAMES;
	bool has_bitmap = device_has(&m->registers->device, LITEMRC_FEATURE_PAGE_BITMAP);

	switch (kind) {
	case LITEMRC_PART_ACCESSED:
		*first = LITEMRC_WINDOW_ACCESSED(groups, contexts);
		return true;
	case LITEMRC_PART_WRITTEN:
		*first = LITEMRC_WINDOW_ACCESSED(groups, contexts) + words;
		return true;
	case LITEMRC_PART_BANKS:
		*first = dram_counts(m) + LITEMRC_DRAM_HEAD_WORDS;
		return true;
	case LITEMRC_PART_HOT:
		*first = LITEMRC_WINDOW_HOT(groups, contexts, has_bitmap ? 2 * words : 0);
		return true;
	default:
		return false;
	}
}

/* Sends a piece of an item of so many words: of the part that begins at `first`, of a row's counts, or of what was found. */
static void send_piece(struct register_messages *m, bool in_window, uint32_t first, uint32_t words)
{
	uint32_t most = PIECE / sizeof(uint32_t), count;
	const volatile uint32_t *from;

	if (!in_window && m->table[m->part].kind == LITEMRC_PART_ROWS) {
		in_window = m->word >= ROW_HEAD;
		words = in_window ? words : ROW_HEAD;
		first = counts_of(m, m->found.row.context) - ROW_HEAD;
	}
	count = words - m->word;
	if (count > most && !REGISTERS_ARE_REMOTE)
		count = most;
	from = in_window ? window(m, first + m->word, count) : m->found.words + m->word;
	m->outlet->put(m->outlet, from, count * sizeof(*from));
	m->word += count;
}

/* Returns whether the part is queued. */
static bool send_part(struct register_messages *m, const struct litemrc_part *part)
{
	uint32_t bytes = part->items * part->item_bytes, first = 0, pad = 0;
	bool in_window = part_in_window(m, part->kind, &first);
	uint32_t items = in_window ? !!bytes : part->items;
	uint32_t words = (in_window ? bytes : part->item_bytes) / sizeof(uint32_t);

	while (m->item < items) {
		if (!m->outlet->has_room(m->outlet, PIECE))
			return false;
		if (!m->word && !in_window)
			find_item(m, part->kind);
		send_piece(m, in_window, first, words);
		if (m->word == words) {
			m->word = 0;
			m->item++;
		}
	}
	m->outlet->put(m->outlet, &pad, litemrc_part_bytes(part) - bytes);
	m->item = 0;
	return true;
}

/* Returns whether all but the end of the message is queued; false: there is no room. */
static bool send_record(struct register_messages *m)
{
	if (!m->begun) {
		if (!m->outlet->has_room(m->outlet, sizeof(struct litemrc_epoch) + sizeof(m->table)))
			return false;
		begin_record(m);
	}
	for (; m->part < m->parts; m->part++)
		if (!send_part(m, &m->table[m->part]))
			return false;
	return m->outlet->has_room(m->outlet, PIECE);
}

static void release(struct register_messages *m)
{
	register_command(m->registers, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_RELEASE);
}

static enum epoch_sent end_record(struct register_messages *m, bool in_window)
{
	m->outlet->end(m->outlet);
	m->begun = m->settings_kept = false;
	m->next = m->epoch + 1;
	if (in_window)
		release(m);
	return EPOCH_SENT;
}

/*
 * With control.hold the monitor keeps a finished epoch until the command release. Without it the next one overwrites the
 * window, and other software may release it. What was read is one epoch if the register `epoch` is the same before and
 * after, and no end of an epoch was in progress at the end: the window of the rank meter and the list of hot pages follow the
 * counters, and the bits of frames precede them.
 */
static enum epoch_sent send_remote(struct register_messages *m)
{
	uint32_t head[HEAD_EPOCH + 1], epoch;

	read_head(m, head, HEAD_EPOCH + 1);
	epoch = head[HEAD_EPOCH];
	if (epoch == m->next) {
		if (head[HEAD_STATUS] & LITEMRC_STATUS_EPOCH_READY)	/* of a time before this session */
			release(m);
		return EPOCH_NONE;
	}
	/* Somebody else released it, or it is not complete: the rank meter takes its snapshot a little later. */
	if (!(head[HEAD_STATUS] & LITEMRC_STATUS_EPOCH_READY) && epoch != m->seen) {
		m->seen = epoch;
		return EPOCH_NONE;
	}
	for (int i = 0; i < TRIES; i++) {
		m->begun = false;
		if (!send_record(m))
			return EPOCH_NO_ROOM;
		if ((int32_t)(m->epoch - m->next) < 0) {
			m->begun = false;
			return EPOCH_RESTARTED;
		}
		read_head(m, head, HEAD_EPOCH + 1);
		if (head[HEAD_EPOCH] == m->epoch + 1 && (m->settings.hold || !(head[HEAD_STATUS] & LITEMRC_STATUS_EPOCH_DUE)))
			return end_record(m, head[HEAD_STATUS] & LITEMRC_STATUS_EPOCH_READY);
	}
	m->begun = false;
	return EPOCH_OVERWRITTEN;
}

enum epoch_sent messages_send_epoch(struct register_messages *m)
{
	if (REGISTERS_ARE_REMOTE)
		return send_remote(m);
	if (!(monitor(m, LITEMRC_STATUS) & LITEMRC_STATUS_EPOCH_READY))
		return EPOCH_NONE;
	return send_record(m) ? end_record(m, true) : EPOCH_NO_ROOM;
}

void messages_keep_settings(struct register_messages *m)
{
	if (m->settings_kept || !(monitor(m, LITEMRC_STATUS) & LITEMRC_STATUS_EPOCH_READY))
		return;
	m->kept = present_settings(m);
	m->settings_kept = true;
}

void messages_open(struct register_messages *m)
{
	if (REGISTERS_ARE_REMOTE)
		m->next = m->seen = monitor(m, LITEMRC_EPOCH);
}

/* ------------------------------------------------------------------------------------- between two epochs */

static bool may_send(struct register_messages *m, size_t bytes)
{
	return !m->begun && m->outlet->has_room(m->outlet, bytes);
}

static void send(struct register_messages *m, uint32_t type, const void *body, size_t bytes)
{
	m->outlet->begin(m->outlet, type);
	m->outlet->put(m->outlet, body, bytes);
	m->outlet->end(m->outlet);
}

/* A page is removed by a command. If a bridge loses it, the page is reported twice. */
static void send_pages(struct register_messages *m)
{
	struct litemrc_queued queued = {
		.index = m->queued++,
		.overflow = !!(monitor(m, LITEMRC_HOT_STATUS) & LITEMRC_HOT_STATUS_QUEUE_OVERFLOW),
	};
	uint32_t acknowledge = queued.overflow ? LITEMRC_HOT_COMMAND_ACKNOWLEDGE : 0, page;

	while (queued.frames_count < LITEMRC_HOT_QUEUED_MAX &&
	       (page = monitor(m, LITEMRC_HOT_QUEUE)) & LITEMRC_HOT_QUEUE_VALID) {
		queued.frames[queued.frames_count++] = page & LITEMRC_HOT_QUEUE_FRAME;
		register_command(m->registers, BLOCK_MRC, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE | acknowledge);
		acknowledge = 0;
	}
	send(m, LITEMRC_MESSAGE_QUEUED, &queued, sizeof(queued));
}

bool messages_send_queued(struct register_messages *m)
{
	while (m->registers->always_on && monitor(m, LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID) {
		if (!may_send(m, sizeof(struct litemrc_queued)))
			return false;
		send_pages(m);
	}
	return true;
}

bool messages_send_counts(struct register_messages *m)
{
	uint32_t event;

	while ((event = register_read(m->registers, BLOCK_REFS, LITEMRC_REFS_EVENT)) & LITEMRC_REFS_EVENT_VALID) {
		struct litemrc_count count = {
			.index = m->counts, .counter = FIELD(event, REFS_EVENT_COUNTER), .page = FIELD(event, REFS_EVENT_PAGE),
		};

		if (!may_send(m, sizeof(count)))
			return false;
		register_command(m->registers, BLOCK_REFS, LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_NEXT);
		count.lost = register_read(m->registers, BLOCK_REFS, LITEMRC_REFS_LOST);
		m->counts++;
		send(m, LITEMRC_MESSAGE_COUNT, &count, sizeof(count));
	}
	return true;
}
