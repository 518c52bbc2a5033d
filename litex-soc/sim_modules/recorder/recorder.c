// SPDX-License-Identifier: BSD-2-Clause
/*
 * recorder: writes the events of the DRAM model and of the monitor's queue, with their cycles, to a NumPy file.
 *
 * One record an event; the file describes itself (NumPy's .npy format, structured). Sources: 'D', the observer in
 * the DRAM model (value: byte address, context: bank); 'Q', the input of the monitor's queue (value: frame); 'E', a
 * change of the monitor's enable bit, 'L' and 'U' of the range's first and last frame, 'S' of the sampling, 'W' of the
 * split of writes (value: the new one; before the first change each is 0); 'A', an ACTIVATE (value: row, context:
 * bank), 'C', all banks are closed (value: requests that wait in the controller), 'F', a REFRESH; 'R', requests that
 * the controller accepted (value) and issued (write) in this cycle. SIGTERM and SIGINT end the simulation with the
 * file complete.
 *
 * Events of the DRAM before the monitor is first enabled are left out, because a boot of Linux would fill a disk.
 * Those from the last time on that all banks were closed are kept: the tap reports them late, and the state of rows
 * depends on them.
 *
 * A snapshot holds the events so far: the file of a restored simulation begins with them.
 *
 * Argument: "file".
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <json-c/json.h>

#include "../snapshot/snapshot.h"
#include "error.h"
#include "modules.h"

struct record {
	uint64_t cycle;
	uint32_t value;
	char source;
	uint8_t kind, context, write, dropped, epoch_end, frozen;
} __attribute__((packed));

#define NPY_HEADER_BYTES 256
#define NPY_DESCR \
	"[('cycle','<u8'),('value','<u4'),('source','S1'),('kind','u1'),('context','u1')," \
	"('write','?'),('dropped','?'),('epoch_end','?'),('frozen','?')]"

#define EARLY_EVENTS 4096	/* more than between two refreshes */

struct recorder {
	char *sys_clk;
	uint8_t *dram_read, *dram_write, *valid, *dropped, *kind, *write, *context, *epoch_end, *frozen;
	uint8_t *enable, *sampling, *split;
	uint32_t *dram_address, *frame, *range_lower, *range_upper;
	uint8_t *activate, *bank, *close_all, *refresh, *accepted, *issued;
	uint32_t *row;
	struct {
		clk_edge_state_t edge;
		uint64_t cycle;
		uint32_t enable_before, lower_before, upper_before, sampling_before, split_before;
		bool ever_enabled;
		uint32_t level;			/* requests accepted and not issued */
		uint32_t early_count;
		struct record early[EARLY_EVENTS];
	} now;
};

static FILE *file;
static uint64_t records;

static int write_header(void)
{
	char header[NPY_HEADER_BYTES];
	int n;

	memset(header, ' ', sizeof(header));
	memcpy(header, "\x93NUMPY\x01\x00", 8);
	header[8] = (char)((NPY_HEADER_BYTES - 10) & 0xff);
	header[9] = (char)((NPY_HEADER_BYTES - 10) >> 8);
	n = snprintf(header + 10, sizeof(header) - 10,
		     "{'descr': " NPY_DESCR ", 'fortran_order': False, 'shape': (%llu,), }",
		     (unsigned long long)records);
	header[10 + n] = ' ';
	header[NPY_HEADER_BYTES - 1] = '\n';
	return fseek(file, 0, SEEK_SET) || fwrite(header, sizeof(header), 1, file) != 1;
}

static void finish(void)
{
	if (write_header() || fclose(file))
		perror("recorder: the record is incomplete");
}

static void stop(evutil_socket_t signal, short what, void *base)
{
	(void)signal; (void)what;
	event_base_loopbreak(base);
}

static int recorder_start(void *base)
{
	evsignal_add(evsignal_new(base, SIGTERM, stop, base), NULL);
	evsignal_add(evsignal_new(base, SIGINT, stop, base), NULL);
	return RC_OK;
}

static void recorder_transfer(struct snapshot *snapshot, void *session)
{
	struct recorder *r = session;

	snapshot->bytes(snapshot, &r->now, sizeof(r->now));
	snapshot->bytes(snapshot, &records, sizeof(records));
	snapshot_file(snapshot, file);
}

static int recorder_new(void **session, char *args)
{
	struct json_object *json = json_tokener_parse(args), *name;
	int ret = RC_ERROR;

	if (!json || !json_object_object_get_ex(json, "file", &name)) {
		fprintf(stderr, "recorder: the argument file is missing (got %s)\n", args);
		goto out;
	}
	file = fopen(json_object_get_string(name), "w+b");
	if (!file) {
		perror(json_object_get_string(name));
		goto out;
	}
	setvbuf(file, NULL, _IOFBF, 1 << 20);
	if (write_header())
		goto out;
	atexit(finish);
	*session = calloc(1, sizeof(struct recorder));
	ret = *session ? RC_OK : RC_NOENMEM;
	if (snapshot_register)
		snapshot_register("recorder", recorder_transfer, *session);
out:
	json_object_put(json);
	return ret;
}

static void *pad(struct pad_list_s *list, const char *name)
{
	for (struct pad_s *p = list->pads; p->name; p++)
		if (!strcmp(p->name, name))
			return p->signal;
	fprintf(stderr, "recorder: no pad %s\n", name);
	exit(1);
}

static int recorder_add_pads(void *session, struct pad_list_s *list)
{
	struct recorder *r = session;

	if (!strcmp(list->name, "sys_clk"))
		r->sys_clk = pad(list, "sys_clk");
	if (strcmp(list->name, "recorder"))
		return RC_OK;
	r->dram_read = pad(list, "dram_read");
	r->dram_write = pad(list, "dram_write");
	r->dram_address = pad(list, "dram_address");
	r->valid = pad(list, "valid");
	r->dropped = pad(list, "dropped");
	r->kind = pad(list, "kind");
	r->frame = pad(list, "frame");
	r->write = pad(list, "write");
	r->context = pad(list, "context");
	r->epoch_end = pad(list, "epoch_end");
	r->frozen = pad(list, "frozen");
	r->enable = pad(list, "enable");
	r->range_lower = pad(list, "range_lower");
	r->range_upper = pad(list, "range_upper");
	r->sampling = pad(list, "sampling");
	r->split = pad(list, "split");
	r->activate = pad(list, "activate");
	r->bank = pad(list, "bank");
	r->row = pad(list, "row");
	r->close_all = pad(list, "close_all");
	r->refresh = pad(list, "refresh");
	r->accepted = pad(list, "accepted");
	r->issued = pad(list, "issued");
	return RC_OK;
}

static void put(struct record record)
{
	if (fwrite(&record, sizeof(record), 1, file) != 1) {
		perror("recorder");
		exit(1);
	}
	records++;
}

static void put_change(uint64_t cycle, char source, uint32_t *before, uint32_t value)
{
	if (value == *before)
		return;
	*before = value;
	put((struct record){.cycle = cycle, .source = source, .value = value});
}

static void put_dram(struct recorder *r, struct record record)
{
	if (r->now.ever_enabled)
		put(record);
	else if (r->now.early_count < EARLY_EVENTS)
		r->now.early[r->now.early_count++] = record;
}

/* The monitor is enabled for the first time: write the events kept of the cycles before. */
static void put_early(struct recorder *r)
{
	for (uint32_t i = 0; i < r->now.early_count; i++)
		put(r->now.early[i]);
	r->now.ever_enabled = true;
}

/* The rows that are open, and what waits in the controller. */
static void tick_commands(struct recorder *r)
{
	struct record event = {.cycle = r->now.cycle};

	if (*r->close_all) {
		event.source = 'C';
		event.value = r->now.level;
		r->now.early_count = 0;
		put_dram(r, event);
	}
	if (*r->activate)
		put_dram(r, (struct record){.cycle = r->now.cycle, .source = 'A', .value = *r->row, .context = *r->bank});
	if (*r->refresh)
		put_dram(r, (struct record){.cycle = r->now.cycle, .source = 'F'});
	r->now.level += *r->accepted - *r->issued;
	if (*r->accepted || *r->issued)
		put_dram(r, (struct record){.cycle = r->now.cycle, .source = 'R', .value = *r->accepted, .write = *r->issued});
}

static int recorder_tick(void *session, uint64_t time_ps)
{
	struct recorder *r = session;

	(void)time_ps;
	if (!clk_pos_edge(&r->now.edge, *r->sys_clk))
		return RC_OK;
	r->now.cycle++;
	if (*r->dram_read || *r->dram_write)
		put_dram(r, (struct record){.cycle = r->now.cycle, .source = 'D', .value = *r->dram_address,
					    .context = *r->bank, .write = *r->dram_write});
	tick_commands(r);
	if (*r->enable && !r->now.ever_enabled)
		put_early(r);
	if (*r->valid)
		put((struct record){.cycle = r->now.cycle, .source = 'Q', .value = *r->frame, .kind = *r->kind,
				    .context = *r->context, .write = *r->write, .dropped = *r->dropped,
				    .epoch_end = *r->epoch_end, .frozen = *r->frozen});
	put_change(r->now.cycle, 'E', &r->now.enable_before, *r->enable);
	put_change(r->now.cycle, 'L', &r->now.lower_before, *r->range_lower);
	put_change(r->now.cycle, 'U', &r->now.upper_before, *r->range_upper);
	put_change(r->now.cycle, 'S', &r->now.sampling_before, *r->sampling);
	put_change(r->now.cycle, 'W', &r->now.split_before, *r->split);
	return RC_OK;
}

static struct ext_module_s module = {
	"recorder", recorder_start, recorder_new, recorder_add_pads, NULL, recorder_tick,
};

int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *))
{
	return register_module(&module);
}
