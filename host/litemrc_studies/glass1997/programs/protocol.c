// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for murphi (protocol verifier): all states of German's cache coherence protocol for five clients, breadth first. States
 * that differ by the order of clients are one; they are found in a hash table of 8 MiB. Run: protocol [STATES]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 5, TABLE = 1 << 20 };
enum { INVALID, SHARED, EXCLUSIVE };		/* a cache, a request, the current command */
enum { NONE, INVALIDATE, GRANT_SHARED, GRANT_EXCLUSIVE }; /* a message from home */

struct client { /* ten bits */
	unsigned int cache, request, answer, acknowledged, to_invalidate, sharer, current;
};

struct state {
	struct client client[CLIENTS];
	unsigned int command, exclusive;
};

static uint64_t table[TABLE], *queue;
static long known, taken, most;

static uint64_t packed_client(const struct client *c)
{
	return c->cache | c->request << 2 | c->answer << 4 | c->acknowledged << 6 | c->to_invalidate << 7 | c->sharer << 8 |
	       c->current << 9;
}

/* The least of the codes under all orders of clients; `from` clients have their place. */
static uint64_t least(uint64_t *codes, int from)
{
	uint64_t best = ~0ull, code = 0;

	if (from == CLIENTS - 1) {
		for (int i = 0; i < CLIENTS; i++)
			code = code << 10 | codes[i];
		return code;
	}
	for (int i = from; i < CLIENTS; i++) {
		uint64_t chosen = codes[i];

		codes[i] = codes[from];
		codes[from] = chosen;
		code = least(codes, from + 1);
		best = code < best ? code : best;
		codes[from] = codes[i];
		codes[i] = chosen;
	}
	return best;
}

static void reach(const struct state *s)
{
	uint64_t codes[CLIENTS], code;

	for (int i = 0; i < CLIENTS; i++)
		codes[i] = packed_client(&s->client[i]);
	code = least(codes, 0) << 3 | s->command << 1 | s->exclusive;
	code |= 1ull << 63; /* never 0, a free place */
	for (uint64_t at = code * 0x9e3779b97f4a7c15 >> 44;; at = (at + 1) % TABLE) {
		if (table[at] == code || known == most)
			return;
		if (!table[at]) {
			table[at] = queue[known++] = code;
			return;
		}
	}
}

static struct state unpacked(uint64_t code)
{
	struct state s = { .exclusive = code & 1, .command = code >> 1 & 3 };

	code >>= 3;
	for (int i = CLIENTS - 1; i >= 0; i--, code >>= 10)
		s.client[i] = (struct client){ code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 1, code >> 7 & 1,
					       code >> 8 & 1, code >> 9 & 1 };
	return s;
}

#define RULE(condition, ...)                \
	do {                                \
		if (condition) {            \
			next = *now;        \
			__VA_ARGS__;        \
			reach(&next);       \
		}                           \
	} while (0)

static void fire(const struct state *now)
{
	struct state next;
	int shared = 0;

	for (int i = 0; i < CLIENTS; i++)
		shared |= now->client[i].sharer;
	for (int i = 0; i < CLIENTS; i++) {
		const struct client *c = &now->client[i];
		struct client *n = &next.client[i];

		RULE(!c->request && c->cache == INVALID, n->request = SHARED);
		RULE(!c->request && c->cache != EXCLUSIVE, n->request = EXCLUSIVE);
		RULE(!now->command && c->request, next.command = c->request, n->request = 0, n->current = 1;
		     for (int j = 0; j < CLIENTS; j++) next.client[j].to_invalidate = now->client[j].sharer);
		RULE(!c->answer && c->to_invalidate &&
		     (now->command == EXCLUSIVE || (now->command == SHARED && now->exclusive)),
		     n->answer = INVALIDATE, n->to_invalidate = 0);
		RULE(c->answer == INVALIDATE && !c->acknowledged, n->answer = NONE, n->acknowledged = 1, n->cache = INVALID);
		RULE(c->acknowledged && now->command, n->acknowledged = 0, n->sharer = 0, next.exclusive = 0);
		RULE(c->current && now->command == SHARED && !now->exclusive && !c->answer,
		     n->answer = GRANT_SHARED, n->sharer = 1, n->current = 0, next.command = 0);
		RULE(c->current && now->command == EXCLUSIVE && !shared && !c->answer,
		     n->answer = GRANT_EXCLUSIVE, n->sharer = 1, n->current = 0, next.command = 0, next.exclusive = 1);
		RULE(c->answer >= GRANT_SHARED, n->cache = c->answer - 1, n->answer = NONE);
	}
}

int main(int arguments, char **values)
{
	struct state first = { 0 };

	most = arguments > 1 ? atol(values[1]) : 5000;
	queue = malloc(most * sizeof(*queue));
	reach(&first);
	while (taken < known) {
		struct state now = unpacked(queue[taken++]);

		fire(&now);
	}
	printf("%ld states\n", known);
}
