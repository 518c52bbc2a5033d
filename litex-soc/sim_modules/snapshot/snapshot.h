/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot: how the state of a simulation module gets into a snapshot of the simulation, and back.
 *
 * A module registers one function, which serves both directions: it calls bytes() for each piece of its state, in a
 * fixed order. Pads belong to the model. simulation/snapshot.cpp calls the function.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <event2/buffer.h>

struct snapshot {
	bool restoring;
	/* saves the bytes, or replaces them by those saved */
	void (*bytes)(struct snapshot *snapshot, void *data, size_t size);
};

typedef void (*snapshot_transfer)(struct snapshot *snapshot, void *session);

#ifdef __cplusplus
extern "C" {
#endif

/* Absent (NULL) in simulators that are built without snapshots. */
__attribute__((weak)) void snapshot_register(const char *name, snapshot_transfer transfer, void *session);

#ifdef __cplusplus
}
#endif

/* Restored bytes precede those that came since. */
static inline void snapshot_evbuffer(struct snapshot *snapshot, struct evbuffer *buffer)
{
	uint64_t left = evbuffer_get_length(buffer);
	struct evbuffer *restored;
	char piece[4096];

	snapshot->bytes(snapshot, &left, sizeof(left));
	if (!snapshot->restoring) {
		snapshot->bytes(snapshot, evbuffer_pullup(buffer, -1), left);
		return;
	}
	restored = evbuffer_new();
	while (left) {
		size_t size = left < sizeof(piece) ? left : sizeof(piece);

		snapshot->bytes(snapshot, piece, size);
		evbuffer_add(restored, piece, size);
		left -= size;
	}
	evbuffer_prepend_buffer(buffer, restored);
	evbuffer_free(restored);
}

/* The contents of a file opened for reading and writing, which is then at its end. */
static inline void snapshot_file(struct snapshot *snapshot, FILE *file)
{
	uint64_t left = 0;
	char piece[4096];

	if (!snapshot->restoring && (fseek(file, 0, SEEK_END) || (left = ftell(file)) == (uint64_t)-1))
		goto failed;
	snapshot->bytes(snapshot, &left, sizeof(left));
	rewind(file);
	while (left) {
		size_t size = left < sizeof(piece) ? left : sizeof(piece);

		if (!snapshot->restoring && fread(piece, size, 1, file) != 1)
			goto failed;
		snapshot->bytes(snapshot, piece, size);
		if (snapshot->restoring && fwrite(piece, size, 1, file) != 1)
			goto failed;
		left -= size;
	}
	if (!fseek(file, 0, SEEK_END))
		return;
failed:
	perror("snapshot: a file of a simulation module");
	exit(1);
}

#endif
