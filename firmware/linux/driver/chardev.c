// SPDX-License-Identifier: GPL-2.0
/* /dev/litemrcN: each read() returns one finished epoch. */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "litemrc.h"

/*
 * The monitor lives until the driver and the last open file have released it.
 */
static void litemrc_free(struct kref *kref)
{
	struct litemrc *mon = container_of(kref, struct litemrc, kref);

	vfree(mon->ring.records);
	vfree(mon->ring.rows);
	litemrc_owners_free(mon);
	litemrc_bitmap_free(mon);
	litemrc_hot_free(mon);
	kfree(mon);
}

/**
 * litemrc_put() - drop a reference to the monitor; the last one frees it
 * @mon: the monitor
 */
void litemrc_put(struct litemrc *mon)
{
	kref_put(&mon->kref, litemrc_free);
}

/* misc_open() excludes misc_deregister(), so the monitor exists. */
static int litemrc_open(struct inode *inode, struct file *file)
{
	struct litemrc *mon =
		container_of(file->private_data, struct litemrc, misc);
	struct litemrc_reader *reader;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return -ENOMEM;
	reader->record = kvzalloc(mon->ring.record_bytes, GFP_KERNEL_ACCOUNT);
	if (!reader->record) {
		kfree(reader);
		return -ENOMEM;
	}
	mutex_init(&reader->lock);
	kref_get(&mon->kref);
	reader->mon = mon;
	mutex_lock(&mon->ring.lock);
	reader->next = mon->ring.head;
	list_add(&reader->node, &mon->ring.readers);
	mutex_unlock(&mon->ring.lock);
	file->private_data = reader;
	return stream_open(inode, file);
}

static int litemrc_release(struct inode *inode, struct file *file)
{
	struct litemrc_reader *reader = file->private_data;
	struct litemrc *mon = reader->mon;

	mutex_lock(&mon->ring.lock);
	list_del(&reader->node);
	mutex_unlock(&mon->ring.lock);
	kvfree(reader->record);
	kfree(reader);
	litemrc_put(mon);
	return 0;
}

/*
 * Copies the record to the user; a bad buffer leaves it for the next read().
 * Caller holds @lock.
 */
static ssize_t litemrc_copy_to_user(struct litemrc_reader *reader,
				    char __user *buffer)
{
	if (copy_to_user(buffer, reader->record, reader->record->bytes)) {
		mutex_lock(&reader->mon->ring.lock);
		reader->next--;
		mutex_unlock(&reader->mon->ring.lock);
		return -EFAULT;
	}
	reader->lost = 0;
	return reader->record->bytes;
}

static bool litemrc_has_news(struct litemrc_reader *reader)
{
	return litemrc_ring_has(reader) || READ_ONCE(reader->mon->ring.gone) ||
	       READ_ONCE(reader->mon->stuck);
}

static ssize_t litemrc_read_epoch(struct file *file, char __user *buffer,
				  size_t count, loff_t *position)
{
	struct litemrc_reader *reader = file->private_data;
	struct litemrc_ring *ring = &reader->mon->ring;
	bool wait = !(file->f_flags & O_NONBLOCK);
	ssize_t ret;

	if (count < ring->record_bytes)
		return -EINVAL;
	for (;;) {
		bool gone = READ_ONCE(ring->gone);

		ret = mutex_lock_interruptible(&reader->lock);
		if (ret)
			return ret;
		if (litemrc_ring_fetch(reader)) {
			ret = litemrc_copy_to_user(reader, buffer);
			mutex_unlock(&reader->lock);
			return ret;
		}
		mutex_unlock(&reader->lock);
		if (gone)
			return 0;
		if (READ_ONCE(reader->mon->stuck))
			return -EIO;
		if (!wait)
			return -EAGAIN;
		ret = wait_event_interruptible(ring->wait,
					       litemrc_has_news(reader));
		if (ret)
			return ret;
	}
}

static __poll_t litemrc_poll(struct file *file, struct poll_table_struct *table)
{
	struct litemrc_reader *reader = file->private_data;
	struct litemrc_ring *ring = &reader->mon->ring;
	__poll_t events = 0;

	poll_wait(file, &ring->wait, table);
	if (litemrc_ring_has(reader))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(ring->gone))
		events |= EPOLLHUP;
	if (READ_ONCE(reader->mon->stuck))
		events |= EPOLLERR;
	return events;
}

const struct file_operations litemrc_fops = {
	.owner = THIS_MODULE,
	.open = litemrc_open,
	.release = litemrc_release,
	.read = litemrc_read_epoch,
	.poll = litemrc_poll,
};
