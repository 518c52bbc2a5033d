// SPDX-License-Identifier: BSD-2-Clause
#include "driver/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/driver.h"
#include "system/log.h"
#include "system/sysfs.h"
#include "system/text.h"

#define TRIES 50	/* a millisecond apart: far longer than the driver takes to read the window */

enum { BITMAP_EPOCH, BITMAP_SIZE, BITMAP_HEAD };
enum { LIST_EPOCH, LIST_ACCESSES, LIST_FLAGS, LIST_COUNT, LIST_HEAD };
#define LIST_MORE 1u
#define LIST_SATURATED 2u

/* An image has the number of its epoch in its first and in its last word. Epochs have it while the switch is on. */
struct image {
	int file, on_off;
	uint32_t *words;
	size_t count;
};

static struct image bitmap_image = {-1, -1, NULL, 0}, list_image = {-1, -1, NULL, 0};
static int queue_file = -1, queue_first = -1, lost_file = -1, overflows_file = -1;
static int setting_files[HOT_SETTINGS];

static const char *const setting_names[HOT_SETTINGS] = {
	[HOT_ENABLE] = "hot/enable", [HOT_READS] = "hot/reads", [HOT_WRITES] = "hot/writes",
	[HOT_ALWAYS_ON] = "hot/always_on", [HOT_SAMPLING] = "hot/sampling", [HOT_THRESHOLD] = "hot/threshold",
	[HOT_WANTED] = "hot/wanted", [HOT_LOWER] = "hot/lower", [HOT_UPPER] = "hot/upper",
	[HOT_WATERMARK] = "hot/watermark",
};

static int open_one(int monitor, const char *name, int access)
{
	int file = openat(monitor, name, access | O_CLOEXEC);

	if (file < 0)
		die(1, "start as root with --user, or as a user with write permission", "%s: %s", name,
			strerror(errno));
	return file;
}

static struct image open_image(int monitor, const char *name, int on_off, size_t count)
{
	struct image image = {open_one(monitor, name, O_RDONLY), on_off, calloc(count, sizeof(uint32_t)), count};

	if (!image.words)
		die(1, "free memory", "no memory for the %zu words of %s", count, name);
	return image;
}

static uint32_t bitmap_words(void)
{
	return (parameters.frames + LITEMRC_BITMAP_FRAMES - 1) / LITEMRC_BITMAP_FRAMES;
}

void pages_open(int monitor)
{
	if (driver_has(LITEMRC_FEATURE_PAGE_BITMAP))
		bitmap_image = open_image(monitor, "bitmap", open_one(monitor, "keep_bitmap", O_RDWR),
					  BITMAP_HEAD + 2 * (size_t)bitmap_words() + 1);
	for (int i = 0; i < HOT_SETTINGS; i++)
		setting_files[i] = parameters.hot_pages ? open_one(monitor, setting_names[i], O_RDWR) : -1;
	if (parameters.hot_pages) {
		list_image = open_image(monitor, "hot/list", setting_files[HOT_ENABLE],
					LIST_HEAD + 2 * (size_t)parameters.hot_pages + 1);
		queue_file = open_one(monitor, "hot/queue", O_RDONLY);
		queue_first = open_one(monitor, "hot/queue_first", O_RDWR);
		lost_file = open_one(monitor, "hot/lost", O_RDONLY);
		overflows_file = open_one(monitor, "hot/overflows", O_RDONLY);
	}
}

/* ---------------------------------------------------------------------------------------------- settings */

int bitmap_keep(bool on)
{
	return sysfs_write_number(bitmap_image.on_off, on);
}

int hot_setting(enum hot_setting setting, uint32_t *value)
{
	return sysfs_number(setting_files[setting], value);
}

int hot_settings(uint32_t *settings)
{
	int error = 0;

	for (int i = 0; i < HOT_SETTINGS && !error; i++)
		error = hot_setting(i, &settings[i]);
	return error;
}

/* Each write clears the monitor. HOT_ENABLE is the last: no list is of half the settings after hot pages were off. */
int hot_set(const uint32_t *settings)
{
	return sysfs_set_numbers(setting_files, settings, HOT_SETTINGS);
}

/* ------------------------------------------------------------------------------------------------ images */

/* Returns 0 or -errno; -EAGAIN: the epoch changed meanwhile. */
static int read_image(struct image *image)
{
	size_t bytes = image->count * sizeof(uint32_t), at = 0;

	if (image->file < 0)
		return -ENODEV;
	while (at < bytes) {
		ssize_t got = pread(image->file, (char *)image->words + at, bytes - at, at);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			return -EPROTO;
		at += got < 0 ? 0 : got;
	}
	return image->words[0] == image->words[image->count - 1] ? 0 : -EAGAIN;
}

static int read_image_of(uint32_t epoch, struct image *image)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};
	uint32_t on = 1;

	for (int tries = 0; tries < TRIES && on; tries++) {
		int error = read_image(image);

		if (!error && image->words[0] == epoch)
			return 0;
		if (!error && (int32_t)(image->words[0] - epoch) > 0)
			return -ESTALE;
		if (error && error != -EAGAIN && error != -ENODATA)
			return error;
		if (error == -ENODATA && sysfs_number(image->on_off, &on))
			on = 0;
		if (on)
			nanosleep(&millisecond, NULL);
	}
	return -ENODATA;
}

int bitmap_of(uint32_t epoch, struct bitmap *bitmap)
{
	const uint32_t *words = bitmap_image.words;
	int error = read_image_of(epoch, &bitmap_image);

	if (error)
		return error;
	if (words[BITMAP_SIZE] != parameters.frames)
		return -EPROTO;
	bitmap->words = bitmap_words();
	bitmap->accessed = words + BITMAP_HEAD;
	bitmap->written = bitmap->accessed + bitmap->words;
	return 0;
}

int hot_list_of(uint32_t epoch, struct hot_list *list)
{
	const uint32_t *words = list_image.words;
	int error = read_image_of(epoch, &list_image);

	if (error)
		return error;
	if (words[LIST_COUNT] > parameters.hot_pages)
		return -EPROTO;
	list->accesses = words[LIST_ACCESSES];
	list->count = words[LIST_COUNT];
	list->more = words[LIST_FLAGS] & LIST_MORE;
	list->saturated = words[LIST_FLAGS] & LIST_SATURATED;
	list->pages = words + LIST_HEAD;
	return 0;
}

/* ------------------------------------------------------------------------------------------------- queue */

/* Frames that another process took out of the queue, by their numbers. */
static uint32_t taken_by_others;

/* Has the frames leave the queue. */
static int acknowledge(uint32_t first, uint32_t count)
{
	static uint32_t next;	/* number of the frame that comes after those acknowledged */
	static bool known;
	int error = count ? sysfs_write_number(queue_first, first + count) : 0;

	if (error && error != -EINVAL)	/* that is: another process did so, and maybe took more */
		return error;
	if (known && (int32_t)(first - next) > 0)
		taken_by_others += first - next;
	next = first + count;
	known = true;
	return 0;
}

/* One frame a line. Returns their number or -errno. */
static int take_frames(const char *text, uint32_t *frames)
{
	int count = 0;

	for (; *text; text++) {
		uint64_t frame;

		if (count == QUEUE_PAGES || !take_number(&text, UINT32_MAX, &frame) || *text != '\n')
			return -EPROTO;
		frames[count++] = frame;
	}
	return count;
}

/* Only a write to queue_first takes frames away: if another process did so meanwhile, the number has changed. */
int hot_queue(uint32_t *frames, uint32_t *lost)
{
	char text[4097];	/* a whole file of sysfs */
	uint32_t first = 0, again = 0, overflows = 0;
	int got, error;

	for (int tries = 0; tries < TRIES; tries++) {
		error = sysfs_number(queue_first, &first);
		got = error ? error : sysfs_read(queue_file, text, sizeof(text));
		error = got < 0 ? got : sysfs_number(queue_first, &again);
		if (error || first == again)
			break;
	}
	if (!error)
		error = sysfs_number(lost_file, lost);
	if (!error)
		error = sysfs_number(overflows_file, &overflows);
	if (error)
		return error;
	got = take_frames(text, frames);
	if (got < 0)
		return got;
	error = acknowledge(first, got);
	*lost += overflows + taken_by_others;
	return error ? error : got;
}
