// SPDX-License-Identifier: BSD-2-Clause
/*
 * hotset PATTERN PAGES MS FILE: touches pages by a known distribution for MS milliseconds. Prints
 * "ready" once all pages are there.
 *
 * zipf      weight 1/k for page k
 * shuffled  the same weights, in a random order of pages
 * spot      1 of 128 pages, side by side, get half of the touches, and all pages the other half
 * cached    as many get 23 of 32 touches, in a line each that stays in a cache of 4 KB, as no other
 *           touch displaces it. As many others get 8 of 32, in all their even lines, and all pages
 *           the rest
 * phases    1 of 10 pages, side by side, get 90 %, and all pages the others; these move on by 3/8
 *           of PAGES, three times
 * sweep     128 touches to a page, then the next one
 * uniform   all pages alike
 *
 * Every MARK touches it reads the time, and then a line that it has not read for long. FILE has the
 * time, and an observer of the DRAM sees the access: so the times of both can be compared. FILE
 * gets lines "first ADDRESS", "page FRAME" of each page in order, "mark FRAME NS", "move NS PAGES".
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "../programs/program.h"

#define DRAWS 65536u		    /* entries of the table from which a page is drawn */
#define MARK 512u		    /* touches */
#define MARKED_PAGES 64u	    /* a line is read again after 4,096 marks */
#define LINES (PAGE_BYTES / LINE_BYTES)
#define MOST_MARKS (1u << 17)
#define MOST_PAGES 32768u
#define MOVES 3u
#define WEIGHT_OF_FIRST (1u << 24)
#define TOUCHES_PER_SWEPT_PAGE 128u
#define COMPUTED 8u /* random numbers between two touches, to compute something */

static uint16_t draws[DRAWS];
static struct mark {
	uint64_t ns;
	uint32_t page; /* of the marked ones */
} marks[MOST_MARKS];
static uint32_t mark_count;
static uint64_t moved_ns[MOVES];

/* Marsaglia, "Xorshift RNGs", 2003. */
static inline uint32_t next_random(uint32_t state)
{
	state ^= state << 13;
	state ^= state >> 17;
	return state ^ state << 5;
}

static void draw_by_zipf(uint32_t pages)
{
	uint64_t total = 0, sum = 0;
	uint32_t entry = 0;

	for (uint32_t page = 0; page < pages; page++)
		total += WEIGHT_OF_FIRST / (page + 1);
	for (uint32_t page = 0; page < pages; page++) {
		uint32_t end;

		sum += WEIGHT_OF_FIRST / (page + 1);
		end = sum * DRAWS / total;
		while (entry < end)
			draws[entry++] = page;
	}
}

static void shuffle(uint32_t pages)
{
	uint16_t *order = allocate(pages * sizeof(*order));
	uint32_t random = 1;

	for (uint32_t page = 0; page < pages; page++) {
		uint32_t other = (uint64_t)(random = next_random(random)) * (page + 1) >> 32;

		order[page] = order[other];
		order[other] = page;
	}
	for (uint32_t entry = 0; entry < DRAWS; entry++)
		draws[entry] = order[draws[entry]];
}

/* `hot` pages from `first` share `share` of 256 draws, all pages the others. */
static void draw_by_sets(uint32_t pages, uint32_t first, uint32_t hot, uint32_t share)
{
	uint32_t of_hot = 0, of_all = 0;

	for (uint32_t entry = 0; entry < DRAWS; entry++)
		draws[entry] = entry % 256 < share ? first + of_hot++ % hot : of_all++ % pages;
}

static void fill_draws(const char *pattern, uint32_t pages)
{
	if (!strcmp(pattern, "zipf") || !strcmp(pattern, "shuffled"))
		draw_by_zipf(pages);
	if (!strcmp(pattern, "shuffled"))
		shuffle(pages);
	if (!strcmp(pattern, "spot"))
		draw_by_sets(pages, pages * 5 / 8, pages / 128, 128);
	if (!strcmp(pattern, "phases"))
		draw_by_sets(pages, pages / 8, pages / 10, 230);
	if (!strcmp(pattern, "uniform"))
		draw_by_sets(pages, 0, 1, 0);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Returns the time. */
static uint64_t mark(const uint8_t *marked)
{
	uint32_t line = mark_count % (MARKED_PAGES * LINES), page = line / LINES;

	marks[mark_count] = (struct mark){now_ns(), page};
	(void)*(const volatile uint8_t *)(marked + (size_t)line * LINE_BYTES);
	return marks[mark_count++].ns;
}

/* Odd lines are those of cached pages, another one for each of 32; the others have even ones. */
static inline void touch_cached(uint8_t *data, uint32_t pages, uint32_t random)
{
	uint32_t page = (random >> 5) & (pages - 1), of_set = page % (pages / 128), line = 2 * random;

	if (random >> 27 > 8) {
		page = pages * 5 / 8 + of_set;
		line = 2 * page + 1;
	} else if (random >> 27) {
		page = pages / 8 + of_set;
	}
	touch(data, page, line - page); /* touch() adds the page to the number of the line */
}

static void touch_for(uint64_t ns, const char *pattern, uint8_t *data, uint32_t pages,
		      const uint8_t *marked)
{
	const bool sweeps = !strcmp(pattern, "sweep"), cached = !strcmp(pattern, "cached");
	const bool moves = !strcmp(pattern, "phases");
	uint32_t offset = 0, phase = 0, random = 2463534242u;
	uint64_t begin_ns = mark(marked);

	for (uint32_t turn = 0;; turn++) {
		uint32_t page;

		if (turn % MARK == MARK - 1) {
			uint64_t now = mark(marked);

			if (now - begin_ns >= ns || mark_count == MOST_MARKS)
				return;
			if (moves && phase < MOVES && now - begin_ns >= ns * (phase + 1) / (MOVES + 1)) {
				moved_ns[phase++] = now;
				offset = (offset + pages * 3 / 8) & (pages - 1);
			}
		}
		for (uint32_t i = 0; i < COMPUTED; i++)
			random = next_random(random);
		if (cached) {
			touch_cached(data, pages, random);
			continue;
		}
		page = sweeps ? turn / TOUCHES_PER_SWEPT_PAGE : draws[random >> 16];
		touch(data, (page + offset) & (pages - 1), turn);
	}
}

/* Returns the frames of pages of this process; exits if one has none. */
static uint64_t *frames_of(const void *first, uint32_t pages)
{
	const size_t bytes = pages * sizeof(uint64_t);
	uint64_t *entries = allocate(bytes);
	off_t offset = (off_t)((uintptr_t)first / PAGE_BYTES * sizeof(*entries));
	int pagemap = open("/proc/self/pagemap", O_RDONLY);

	if (pagemap < 0 || pread(pagemap, entries, bytes, offset) != (ssize_t)bytes) {
		perror("/proc/self/pagemap");
		exit(1);
	}
	close(pagemap);
	for (uint32_t page = 0; page < pages; page++) {
		/* admin-guide/mm/pagemap.rst: bits 0 to 54 are the frame, if bit 63 is set */
		if (!(entries[page] >> 63) || !(entries[page] << 9)) {
			fprintf(stderr, "hotset: /proc/self/pagemap has no frame: are you root?\n");
			exit(1);
		}
		entries[page] &= (1ull << 55) - 1;
	}
	return entries;
}

static void write_log(const char *path, const uint8_t *data, uint32_t pages, const uint8_t *marked)
{
	const uint64_t *frames = frames_of(data, pages);
	const uint64_t *marked_frames = frames_of(marked, MARKED_PAGES);
	FILE *file = fopen(path, "w");

	if (!file) {
		perror(path);
		exit(1);
	}
	fprintf(file, "first %lu\n", (unsigned long)(uintptr_t)data);
	for (uint32_t page = 0; page < pages; page++)
		fprintf(file, "page %lu\n", (unsigned long)frames[page]);
	for (uint32_t i = 0; i < mark_count; i++)
		fprintf(file, "mark %lu %llu\n", (unsigned long)marked_frames[marks[i].page],
			(unsigned long long)marks[i].ns);
	for (uint32_t i = 0; i < MOVES && moved_ns[i]; i++)
		fprintf(file, "move %llu %u\n", (unsigned long long)moved_ns[i],
			pages * 3 / 8 * (i + 1) % pages);
	if (fclose(file)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const char *const patterns[] = {"zipf",	 "shuffled", "spot",   "cached",
					       "phases", "sweep",    "uniform"};
	uint32_t pages = number(argc, argv, 2, 0, 128, MOST_PAGES);
	uint32_t ms = number(argc, argv, 3, 0, 1, 1000000);
	uint8_t *data, *marked;
	bool known = false;

	for (size_t i = 0; argc == 5 && i < sizeof(patterns) / sizeof(*patterns); i++)
		known |= !strcmp(argv[1], patterns[i]);
	if (!known || pages & (pages - 1)) {
		fprintf(stderr, "usage: hotset PATTERN PAGES MS FILE; PAGES is a power of two, PATTERN zipf, "
				"shuffled, spot, cached, phases, sweep or uniform\n");
		return 2;
	}
	fill_draws(argv[1], pages);
	marked = allocate_pages(MARKED_PAGES);
	data = allocate_pages(pages);
	for (uint32_t page = 0; page < MARKED_PAGES; page++)
		marked[page * PAGE_BYTES] = 1;
	for (uint32_t page = 0; page < pages; page++)
		touch(data, page, 0);
	puts("ready");
	fflush(stdout);
	touch_for(ms * 1000000ull, argv[1], data, pages, marked);
	printf("marks %u\n", mark_count);
	write_log(argv[4], data, pages, marked);
	return 0;
}
