// SPDX-License-Identifier: GPL-2.0
/*
 * contexts/N/: what a context follows, and its counters of the last finished
 * epoch.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "litemrc.h"

static const char *const states[] = {
	[LITEMRC_CONTEXT_FREE] = "free",
	[LITEMRC_CONTEXT_FOLLOWING] = "following",
	[LITEMRC_CONTEXT_ENDED] = "ended",
};

/*
 * Returns the context's follower with @settings held; litemrc_context_unlock()
 * releases it.
 */
static struct litemrc_follower *litemrc_context_lock(struct kobject *kobj,
						     struct litemrc **mon,
						     unsigned int *context)
{
	*mon = litemrc_of_folder(kobj, context);
	mutex_lock(&(*mon)->settings);
	litemrc_check_removed(*mon, *context);
	return &(*mon)->follower[*context];
}

static ssize_t litemrc_context_unlock(struct litemrc *mon, ssize_t bytes)
{
	mutex_unlock(&mon->settings);
	return bytes;
}

static ssize_t pid_show(struct kobject *kobj, struct kobj_attribute *attribute,
			char *text)
{
	struct litemrc_follower *follower;
	unsigned int context;
	struct litemrc *mon;

	follower = litemrc_context_lock(kobj, &mon, &context);
	return litemrc_context_unlock(mon, sysfs_emit(text, "%d\n",
						      pid_vnr(follower->pid)));
}

static ssize_t pid_store(struct kobject *kobj, struct kobj_attribute *attribute,
			 const char *text, size_t bytes)
{
	unsigned int context;
	struct litemrc *mon;
	u32 nr;
	int ret;

	ret = litemrc_parse_number(text, &nr);
	if (ret)
		return ret;
	if (nr > INT_MAX)
		return -EINVAL;
	litemrc_context_lock(kobj, &mon, &context);
	ret = nr ? litemrc_follow_pid(mon, context, nr) :
		   litemrc_free_context(mon, context);
	return litemrc_context_unlock(mon, ret ?: bytes);
}

static ssize_t cgroup_show(struct kobject *kobj,
			   struct kobj_attribute *attribute, char *text)
{
	struct litemrc_follower *follower;
	unsigned int context;
	struct litemrc *mon;
	int length = 0;

	follower = litemrc_context_lock(kobj, &mon, &context);
	if (follower->cgroup)
		length = litemrc_cgroup_path(follower->cgroup, text,
					     PAGE_SIZE - 1);
	if (length >= 0)
		length += sysfs_emit_at(text, length, "\n");
	return litemrc_context_unlock(mon, length);
}

static ssize_t cgroup_store(struct kobject *kobj,
			    struct kobj_attribute *attribute, const char *text,
			    size_t bytes)
{
	unsigned int context;
	struct litemrc *mon;
	char *path;
	int ret;

	/* Strip the final newline; a path with another one names no cgroup. */
	path = kstrndup(text,
			bytes && text[bytes - 1] == '\n' ? bytes - 1 : bytes,
			GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	if (path[0] == '/' || !strcmp(path, "-")) {
		litemrc_context_lock(kobj, &mon, &context);
		ret = path[0] == '/' ?
			      litemrc_follow_cgroup(mon, context, path) :
			      litemrc_free_context(mon, context);
		litemrc_context_unlock(mon, 0);
	} else {
		ret = -EINVAL;
	}
	kfree(path);
	return ret ?: bytes;
}

static ssize_t state_show(struct kobject *kobj,
			  struct kobj_attribute *attribute, char *text)
{
	struct litemrc_follower *follower;
	unsigned int context;
	struct litemrc *mon;

	follower = litemrc_context_lock(kobj, &mon, &context);
	return litemrc_context_unlock(mon, sysfs_emit(text, "%s\n",
						      states[follower->state]));
}

static ssize_t comm_show(struct kobject *kobj, struct kobj_attribute *attribute,
			 char *text)
{
	struct litemrc_follower *follower;
	struct task_struct *task = NULL;
	char comm[TASK_COMM_LEN];
	unsigned int context;
	struct litemrc *mon;

	follower = litemrc_context_lock(kobj, &mon, &context);
	if (follower->pid && follower->state == LITEMRC_CONTEXT_FOLLOWING)
		task = get_pid_task(follower->pid, PIDTYPE_TGID);
	if (task) {
		get_task_comm(comm, task);
		put_task_struct(task);
	} else {
		strscpy(comm, follower->comm, sizeof(comm));
	}
	return litemrc_context_unlock(mon, sysfs_emit(text, "%s\n", comm));
}

/* A word of the context's row behind its hits. */
static ssize_t litemrc_counter_show(struct kobject *kobj,
				    struct kobj_attribute *attribute,
				    char *text)
{
	unsigned int context, word = litemrc_place_of(attribute);
	struct litemrc *mon = litemrc_of_folder(kobj, &context);
	u32 value;

	mutex_lock(&mon->ring.lock);
	value = litemrc_ring_row(mon, context)[mon->parameters.groups + word];
	mutex_unlock(&mon->ring.lock);
	return sysfs_emit(text, "%u\n", value);
}

static ssize_t dropped_show(struct kobject *kobj,
			    struct kobj_attribute *attribute, char *text)
{
	const struct litemrc_epoch *epoch;
	unsigned int context;
	struct litemrc *mon;
	u32 value = 0;

	mon = litemrc_of_folder(kobj, &context);
	mutex_lock(&mon->ring.lock);
	epoch = litemrc_ring_last(mon);
	if (epoch)
		value = epoch->dropped;
	mutex_unlock(&mon->ring.lock);
	return sysfs_emit(text, "%u\n", value);
}

/* Prints `count` words of the context's row, from word `first` on. */
static ssize_t litemrc_show_words(struct kobject *kobj, char *text, u32 first,
				  u32 count)
{
	unsigned int context, word;
	struct litemrc *mon;
	const u32 *row;
	int length = 0;

	mon = litemrc_of_folder(kobj, &context);
	mutex_lock(&mon->ring.lock);
	row = litemrc_ring_row(mon, context) + first;
	for (word = 0; word < count; word++)
		length += sysfs_emit_at(text, length, "%s%u", word ? " " : "",
					row[word]);
	mutex_unlock(&mon->ring.lock);
	length += sysfs_emit_at(text, length, "\n");
	return length;
}

static ssize_t hits_show(struct kobject *kobj, struct kobj_attribute *attribute,
			 char *text)
{
	unsigned int context;
	struct litemrc *mon = litemrc_of_folder(kobj, &context);

	return litemrc_show_words(kobj, text, 0, mon->parameters.groups);
}

static ssize_t tail_show(struct kobject *kobj, struct kobj_attribute *attribute,
			 char *text)
{
	unsigned int context;
	struct litemrc *mon = litemrc_of_folder(kobj, &context);

	return litemrc_show_words(kobj, text,
				  LITEMRC_ROW_TAIL(mon->parameters.groups),
				  litemrc_tail_groups(mon));
}

/* A number of the last record, at an offset in struct litemrc_row. */
static ssize_t litemrc_pages_show(struct kobject *kobj,
				  struct kobj_attribute *attribute, char *text)
{
	const struct litemrc_epoch *epoch;
	unsigned int context;
	struct litemrc *mon;
	u32 value = 0;

	mon = litemrc_of_folder(kobj, &context);
	mutex_lock(&mon->ring.lock);
	epoch = litemrc_ring_last(mon);
	if (epoch)
		value = *(u32 *)((char *)litemrc_record_row(epoch, context) +
				 litemrc_place_of(attribute));
	mutex_unlock(&mon->ring.lock);
	return sysfs_emit(text, "%u\n", value);
}

#define LITEMRC_COUNTER(_name, _word) \
	LITEMRC_PLACED(counter, _name, litemrc_counter_show, _word)
#define LITEMRC_PAGES(_name)                             \
	LITEMRC_PLACED(pages, _name, litemrc_pages_show, \
		       offsetof(struct litemrc_row, _name))

LITEMRC_COUNTER(accesses, LITEMRC_ROW_ACCESSES(0));
LITEMRC_COUNTER(misses, LITEMRC_ROW_MISSES(0));
LITEMRC_COUNTER(touched, LITEMRC_ROW_TOUCHED(0));
LITEMRC_PAGES(resident);
LITEMRC_PAGES(evicted);
LITEMRC_PAGES(refaults);
LITEMRC_PAGES(unidentified);

static struct kobj_attribute pid = __ATTR_RW_MODE(pid, 0600);
static struct kobj_attribute cgroup = __ATTR_RW_MODE(cgroup, 0600);
static struct kobj_attribute state = __ATTR_RO_MODE(state, 0400);
static struct kobj_attribute comm = __ATTR_RO_MODE(comm, 0400);
static struct kobj_attribute dropped = __ATTR_RO_MODE(dropped, 0400);
static struct kobj_attribute hits = __ATTR_RO_MODE(hits, 0400);
static struct kobj_attribute tail = __ATTR_RO_MODE(tail, 0400);

static struct attribute *context_attributes[] = {
	&pid.attr, &cgroup.attr, &state.attr, &comm.attr,
	LITEMRC_FILE(counter, accesses), LITEMRC_FILE(counter, misses),
	LITEMRC_FILE(counter, touched), &dropped.attr, &hits.attr, &tail.attr,
	LITEMRC_FILE(pages, resident), LITEMRC_FILE(pages, evicted),
	LITEMRC_FILE(pages, refaults), LITEMRC_FILE(pages, unidentified), NULL
};

const struct attribute_group litemrc_context_group = {
	.attrs = context_attributes,
};
