// SPDX-License-Identifier: GPL-2.0
/* ranks/N/evacuate, free_pages, and rank_governor, in a kernel that can empty ranges. */
#include <linux/device.h>

#include "evacuate.h"
#include "litemrc.h"

static const char *const memory_names[] = {
	[LITEMRC_RANK_FIXED] = "fixed",
	[LITEMRC_RANK_OPEN] = "open",
	[LITEMRC_RANK_MOVING] = "moving",
	[LITEMRC_RANK_CLOSED] = "closed",
};

static ssize_t evacuate_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	struct litemrc_evacuated last;

	litemrc_last_evacuation(mon, rank, &last);
	return sysfs_emit(text,
			  "memory %s\nmoved %u\nmicroseconds %u\npinned %u\nkernel %u\nbusy %u\n",
			  memory_names[last.memory], last.moved, last.us,
			  last.unmoved[LITEMRC_PINNED], last.unmoved[LITEMRC_KERNEL],
			  last.unmoved[LITEMRC_BUSY]);
}

static ssize_t evacuate_store(struct kobject *kobj, struct kobj_attribute *attribute,
			      const char *text, size_t bytes)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	bool on;
	int ret = litemrc_parse_switch(text, &on);

	if (!ret)
		ret = on ? litemrc_evacuate(mon, rank) : litemrc_open_rank(mon, rank);
	return ret ?: bytes;
}

static ssize_t free_pages_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);

	return sysfs_emit(text, "%u\n", litemrc_rank_free_pages(mon, rank));
}

static ssize_t rank_governor_show(struct device *device, struct device_attribute *attribute,
				  char *text)
{
	const struct litemrc_governor *governor = &litemrc_of_device(device)->evacuation->governor;

	return sysfs_emit(text,
			  "governs %u\nmargin %u\nworking_set %u\nclosed %lu\nhold %u\n"
			  "evacuations %u\nopenings %u\nbusy %u\nno_room %u\n"
			  "moved %llu\nmicroseconds %llu\n",
			  governor->governs, governor->margin, governor->working_set,
			  hweight_long(governor->closed_by_governor), governor->hold,
			  governor->evacuations, governor->openings, governor->busy,
			  governor->no_room, governor->moved,
			  governor->us);
}

/* The margin in pages; 0: no rank is emptied. */
static ssize_t rank_governor_store(struct device *device, struct device_attribute *attribute,
				   const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	u32 margin;
	int ret = litemrc_parse_numbers(text, &margin, 1, NULL);

	if (!ret)
		ret = litemrc_set_margin(mon, margin);
	return ret ?: bytes;
}
static DEVICE_ATTR_ADMIN_RW(rank_governor);

static struct kobj_attribute evacuate = __ATTR_RW_MODE(evacuate, 0600);
static struct kobj_attribute free_pages_file = __ATTR_RO_MODE(free_pages, 0400);

static const struct attribute *attributes[] = { &evacuate.attr, &free_pages_file.attr, NULL };

/* The folders exist, and their removal removes these files, too. */
int litemrc_add_evacuate_files(struct litemrc *mon)
{
	unsigned int rank;
	int ret = 0;

	if (mon->ranks.ops)
		ret = sysfs_create_file(&mon->misc.this_device->kobj, &dev_attr_rank_governor.attr);
	for (rank = 0; !ret && rank < mon->rank_folders.count; rank++)
		ret = sysfs_create_files(mon->rank_folders.child[rank], attributes);
	return ret;
}
