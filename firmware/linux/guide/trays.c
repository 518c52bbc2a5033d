// SPDX-License-Identifier: BSD-2-Clause
/*
 * Maps colors to trays, as host/litemrc_studies/jantz2013/policies/trays.py does, whose results the tests expect (Jantz et al. 2013,
 * 4.2, 6 and 8). A tray and its node have one number.
 */
#include "guide.h"

/* Trays in some order. */
struct order {
	int tray[GUIDE_TRAYS], count;
};

static bool has(const int *trays, int count, int tray)
{
	while (count--)
		if (trays[count] == tray)
			return true;
	return false;
}

static long wanted(const struct color_intent *intent, long resident_pages)
{
	long percent = intent->capacity_percent == UNSTATED ? 0 : intent->capacity_percent;

	return (percent * resident_pages + 99) / 100;
}

/* The first trays with enough free pages in all, at least one. */
static void compact(const struct tray *trays, const struct order *order, long pages, struct tray_choice *choice)
{
	long found = 0;

	choice->count = 0;
	for (int i = 0; i < order->count && (!i || found < pages); i++) {
		choice->tray[choice->count++] = order->tray[i];
		found += trays[order->tray[i]].free_pages;
	}
}

static struct order only(const struct order *order, const struct color_intent *intent)
{
	struct order here = {.count = 0};

	for (int i = 0; i < order->count; i++)
		if (intent->node == UNSTATED || intent->node == order->tray[i])
			here.tray[here.count++] = order->tray[i];
	return here;
}

/* Unused trays first, from the upper end. */
static struct order for_isolation(const struct tray *trays, const struct order *free)
{
	struct order order = {.count = 0};

	for (int used = 0; used < 2; used++)
		for (int i = free->count - 1; i >= 0; i--)
			if ((trays[free->tray[i]].used_pages > 0) == used)
				order.tray[order.count++] = free->tray[i];
	return order;
}

static void isolate(const char *path, const struct color_intent *intent, const struct tray *trays, struct order *free,
		    long resident_pages, struct tray_choice *own)
{
	struct order sorted = for_isolation(trays, free), left = {.count = 0};
	long capacity = 0;

	sorted = only(&sorted, intent);
	if (!sorted.count)
		refuse(path, intent->line, "%s: no tray of node %d is left; isolate fewer colors, or give another node",
		       intent->color, intent->node);
	compact(trays, &sorted, wanted(intent, resident_pages), own);
	for (int i = 0; i < own->count; i++)
		capacity += trays[own->tray[i]].free_pages;
	if (capacity < wanted(intent, resident_pages) || own->count == free->count)
		refuse(path, intent->line,
		       "%s needs %ld pages on trays of its own, of %d trays; isolate fewer colors or lower its MEM-CAPACITY; one tray "
		       "must remain for others",
		       intent->color, wanted(intent, resident_pages), free->count);
	own->bound = true;
	for (int i = 0; i < free->count; i++)
		if (!has(own->tray, own->count, free->tray[i]))
			left.tray[left.count++] = free->tray[i];
	*free = left;
}

/* The tray with the most free memory first; among equal ones the lower. */
static struct order by_room(const struct tray *trays, const struct order *shared)
{
	struct order order = *shared;

	for (int i = 1; i < order.count; i++)
		for (int j = i; j && trays[order.tray[j]].free_pages > trays[order.tray[j - 1]].free_pages; j--) {
			int tray = order.tray[j];

			order.tray[j] = order.tray[j - 1];
			order.tray[j - 1] = tray;
		}
	return order;
}

/* A color that is not isolated. */
static void share(const char *path, const struct color_intent *intent, const struct tray *trays, int count,
		  const struct order *shared, long resident_pages, struct tray_choice *choice)
{
	bool closed = shared->count < count;
	struct order order = {.count = 0};

	for (int i = 0; i < shared->count && intent->intensity != UNSTATED; i++)
		order.tray[order.count++] = shared->tray[intent->intensity == HOT ? i : shared->count - 1 - i];
	if (intent->node != UNSTATED) {
		order = only(shared, intent);
		if (!order.count)
			refuse(path, intent->line, "%s: node %d does not exist or is isolated; remove the affinity, or isolate fewer colors",
			       intent->color, intent->node);
	}
	if (intent->recycle == 1) {
		if (!order.count)
			order = by_room(trays, shared);
		compact(trays, &order, wanted(intent, resident_pages), choice);
	} else {
		if (closed && intent->node == UNSTATED)
			for (int i = 0; i < shared->count; i++)
				if (!has(order.tray, order.count, shared->tray[i]))
					order.tray[order.count++] = shared->tray[i];
		for (choice->count = 0; choice->count < order.count; choice->count++)
			choice->tray[choice->count] = order.tray[choice->count];
	}
	choice->bound = closed || intent->node != UNSTATED || intent->recycle == 1;
}

void map_colors(const char *path, const struct intents *intents, const struct tray *trays, int count, long resident_pages,
		struct plan *plan)
{
	struct order shared = {.count = count};

	for (int i = 0; i < count; i++)
		shared.tray[i] = i;
	for (int i = 0; i < intents->count; i++)
		if (intents->color[i].isolation == 1)
			isolate(path, &intents->color[i], trays, &shared, resident_pages, &plan->color[i]);
	for (int i = 0; i < intents->count; i++)
		if (intents->color[i].isolation != 1)
			share(path, &intents->color[i], trays, count, &shared, resident_pages, &plan->color[i]);
	plan->uncolored.bound = shared.count < count;
	plan->uncolored.count = plan->uncolored.bound ? shared.count : 0;
	for (int i = 0; i < plan->uncolored.count; i++)
		plan->uncolored.tray[i] = shared.tray[i];
}
