// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs a fuzz target without libFuzzer: TARGET [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=N] FILE-OR-FOLDER ...
 *
 * Each file is one input. Then mutations of them follow, each by its number and the seed alone. The input under way is in
 * the file "crash" of the working folder if a sanitizer ends the program.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define KEPT 4096
#define LONGEST 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void));

static struct { uint8_t *data; size_t size; } kept[KEPT];
static size_t count;
static uint8_t *input;
static size_t length;
static uint64_t state;

static void save(void)
{
	FILE *file = fopen("crash", "wb");

	if (file) {
		fwrite(input, 1, length, file);
		fclose(file);
	}
}

static uint32_t dice(uint32_t sides)	/* xorshift64 */
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 32) % sides;
}

static void try_one(const uint8_t *data, size_t size)
{
	/* Of just this size, so that the sanitizer sees the first byte read behind it. */
	input = malloc(size ? size : 1);
	memcpy(input, data, size);
	length = size;
	LLVMFuzzerTestOneInput(input, size);
	free(input);
}

static void keep(const char *path)
{
	static uint8_t data[LONGEST];
	FILE *file = fopen(path, "rb");

	if (!file || count == KEPT)
		exit(2);
	kept[count].size = fread(data, 1, sizeof(data), file);
	kept[count].data = memcpy(malloc(sizeof(data)), data, sizeof(data));
	count++;
	fclose(file);
}

static void keep_all(const char *path)
{
	struct dirent *entry;
	struct stat found;
	char name[4096];
	DIR *folder;

	if (stat(path, &found))
		exit(2);
	if (!S_ISDIR(found.st_mode)) {
		keep(path);
		return;
	}
	folder = opendir(path);
	while ((entry = readdir(folder))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			keep(name);
	}
	closedir(folder);
}

static void mutate(size_t longest)
{
	static const uint8_t odd[] = {0x00, 0x01, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x40, 0x58, 0x5f, 0x60, 0x78, 0x80, 0x9f, 0xa0, 0xbf, 0xf4,
				      0xff};
	static uint8_t data[LONGEST];
	size_t from = dice(count), size = kept[from].size < longest ? kept[from].size : longest;

	memcpy(data, kept[from].data, size);
	for (uint32_t changes = 1 + dice(4); changes--;) {
		size_t at = dice(size + 1), other = dice(count), piece;

		switch (dice(5)) {
		case 0:
			if (at < size)
				data[at] ^= 1u << dice(8);
			break;
		case 1:
			if (at < size)
				data[at] = dice(2) ? odd[dice(sizeof(odd))] : dice(256);
			break;
		case 2:	/* inserts */
			if (size < longest) {
				memmove(data + at + 1, data + at, size - at);
				data[at] = dice(256);
				size++;
			}
			break;
		case 3:	/* removes */
			piece = dice(4) + 1;
			if (at + piece <= size) {
				memmove(data + at, data + at + piece, size - at - piece);
				size -= piece;
			}
			break;
		case 4:	/* joins another input */
			piece = kept[other].size < longest - at ? kept[other].size : longest - at;
			memcpy(data + at, kept[other].data, piece);
			size = at + piece > size ? at + piece : size;
		}
	}
	try_one(data, size);
}

int main(int argc, char **argv)
{
	unsigned long runs = 0, seconds = 0, longest = 4096, seed = 1, done = 0;
	time_t begun = time(NULL);

	__sanitizer_set_death_callback(save);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		if (sscanf(argv[i], "-runs=%lu", &runs) != 1 && sscanf(argv[i], "-max_total_time=%lu", &seconds) != 1 &&
		    sscanf(argv[i], "-seed=%lu", &seed) != 1 && sscanf(argv[i], "-max_len=%lu", &longest) != 1)
			keep_all(argv[i]);
	state = seed * 0x9e3779b97f4a7c15u + 1;
	longest = longest < LONGEST ? longest : LONGEST;
	for (size_t i = 0; i < count; i++)
		try_one(kept[i].data, kept[i].size);
	while (count && (seconds ? time(NULL) - begun < (time_t)seconds : done < runs)) {
		mutate(longest);
		done++;
	}
	printf("%zu inputs and %lu mutations: nothing found\n", count, done);
	return 0;
}
