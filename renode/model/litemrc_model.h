/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblitemrc_model: the monitor behind the caches of the SoC, for functional simulators (P/Invoke, ctypes, C).
 *
 * The arithmetic is that of hls/, compiled from its very sources; here are the caches in front of it and what the
 * gateware's intake does: epochs, freezing, commands. There is no queue, so nothing is ever dropped or pending.
 *
 * One thread at a time may use a model.
 */
#ifndef LITEMRC_MODEL_H
#define LITEMRC_MODEL_H

#include <stdint.h>

#define LITEMRC_MODEL_VERSION 1

#define LITEMRC_MODEL_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

struct litemrc_model;

/* Version of this interface: to be compared with LITEMRC_MODEL_VERSION. */
LITEMRC_MODEL_API uint32_t litemrc_model_version(void);

/* The sizes that were compiled, one a line, as `make -C renode/model SIZES=...` takes them. */
LITEMRC_MODEL_API const char *litemrc_model_sizes(void);

/*
 * A monitor that is disabled, with registers as after reset. `engine` is that of the register capabilities, `pages` are
 * those of the stack engine, `domains` 0 for no rank meter. NULL if these sizes were not compiled.
 */
LITEMRC_MODEL_API struct litemrc_model *litemrc_model_create(uint32_t engine, uint32_t frames, uint32_t pages,
							       uint32_t groups, uint32_t contexts,
							       uint32_t recent_pages, uint32_t domains);
LITEMRC_MODEL_API void litemrc_model_destroy(struct litemrc_model *model);

/* Everything as after create, but the memory, the caches and the log: they stay. */
LITEMRC_MODEL_API void litemrc_model_reset(struct litemrc_model *model);

/*
 * The DRAM: the frame of an address is (address - base) >> page_shift; a column access moves `access_bytes`. Returns 0,
 * or -1 if it is not of so many frames as the model.
 */
LITEMRC_MODEL_API int litemrc_model_set_memory(struct litemrc_model *model, uint64_t base, uint64_t bytes,
					       uint32_t page_shift, uint32_t access_bytes);

/*
 * The data cache of the processor: LRU, write-through, no allocation by stores, `line_bytes` read at once; and the L2
 * behind it: of one way, write-back, allocating, in front of the DRAM alone. 0 bytes: there is none. Empties both.
 * Returns -1 if sizes are no powers of two.
 */
LITEMRC_MODEL_API int litemrc_model_set_caches(struct litemrc_model *model, uint32_t l1_bytes, uint32_t l1_ways,
					       uint32_t l1_line_bytes, uint32_t l2_bytes, uint32_t l2_line_bytes);

/*
 * A load or store of the processor, of at most a word, at a physical address of cached memory. Returns the number of
 * epochs that ended.
 */
LITEMRC_MODEL_API uint32_t litemrc_model_access(struct litemrc_model *model, uint64_t address, int write);

/* The same for an access that already is one of the DRAM, to a frame: the caches are left out. */
LITEMRC_MODEL_API uint32_t litemrc_model_access_frame(struct litemrc_model *model, uint32_t frame, int write);

/* Column accesses of the DRAM since create. */
LITEMRC_MODEL_API uint64_t litemrc_model_dram_accesses(const struct litemrc_model *model);

/* The register control; when the monitor is enabled the caches are emptied: what they held is not known. */
LITEMRC_MODEL_API void litemrc_model_control(struct litemrc_model *model, int enable, int hold, int by_cycles,
					     int freeze, int single_shot);
LITEMRC_MODEL_API void litemrc_model_set_context(struct litemrc_model *model, uint32_t context);
LITEMRC_MODEL_API void litemrc_model_set_epoch_length(struct litemrc_model *model, uint32_t length);
LITEMRC_MODEL_API void litemrc_model_set_filter(struct litemrc_model *model, uint32_t lower, uint32_t upper,
						uint32_t sampling);

/* Clocks passed; they make an epoch long if it is measured in cycles. */
LITEMRC_MODEL_API void litemrc_model_elapse(struct litemrc_model *model, uint32_t cycles);

LITEMRC_MODEL_API void litemrc_model_clear(struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_invalidate(struct litemrc_model *model, uint32_t frame);
LITEMRC_MODEL_API void litemrc_model_end_epoch(struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_release(struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_arm(struct litemrc_model *model);

/* What the registers of the same names show. */
LITEMRC_MODEL_API int litemrc_model_epoch_ready(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_epoch_due(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_overflow(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_frozen(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_epoch(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_epoch_outside(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_epoch_unsampled(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_scale_log2(const struct litemrc_model *model);

/* A word of the window, [context][2 * groups]; 0 behind its end. */
LITEMRC_MODEL_API uint32_t litemrc_model_window(const struct litemrc_model *model, uint32_t word);

/*
 * Power domains, where the model was compiled with them: equal slices of the memory. A domain sleeps by command
 * (state: 0 awake, else a low PowerState) until an access wakes it. At the end of an epoch the meter's window shows
 * what was counted since the last one: as the gateware's, but that no row is ever open, nothing refreshed, and waking
 * takes no time. set_time tells the clocks since reset; before, they stand still.
 */
LITEMRC_MODEL_API uint32_t litemrc_model_domains(const struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_set_time(struct litemrc_model *model, uint64_t cycles);
LITEMRC_MODEL_API void litemrc_model_command(struct litemrc_model *model, uint32_t domain, uint32_t state);
LITEMRC_MODEL_API uint32_t litemrc_model_state(const struct litemrc_model *model, uint32_t domain);
LITEMRC_MODEL_API uint32_t litemrc_model_working(const struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_set_n_mrc(struct litemrc_model *model, uint32_t size);
LITEMRC_MODEL_API void litemrc_model_set_n_mrc_auto(struct litemrc_model *model, int enable, uint32_t epsilon);
LITEMRC_MODEL_API uint32_t litemrc_model_meter_window(const struct litemrc_model *model, uint32_t word);
LITEMRC_MODEL_API uint32_t litemrc_model_snapshot_clocks(const struct litemrc_model *model);

/*
 * From now on writes down what the monitor takes, in the format of litex-soc/sim_modules/recorder, so that the same
 * golden model checks it; an event a clock. NULL ends the log and completes the file. Returns -1 and errno if the file
 * cannot be written; an error while writing is found when it ends.
 */
LITEMRC_MODEL_API int litemrc_model_log(struct litemrc_model *model, const char *path);

#ifdef __cplusplus
}
#endif

#endif
