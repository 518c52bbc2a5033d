/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblitemrc_model: the monitor behind the caches of the SoC, for functional simulators (P/Invoke, ctypes, C).
 *
 * The arithmetic is compiled from the sources of hls/. This library adds the caches before it and the functions of the
 * gateware's intake: epochs, freezing, commands. There is no queue, so no access is dropped and no command is pending.
 *
 * Only one thread at a time may use a model.
 */
#ifndef LITEMRC_MODEL_H
#define LITEMRC_MODEL_H

#include <stdint.h>

#define LITEMRC_MODEL_VERSION 2

#define LITEMRC_MODEL_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

struct litemrc_model;

/* Version of this interface; compare it with LITEMRC_MODEL_VERSION. */
LITEMRC_MODEL_API uint32_t litemrc_model_version(void);

/* The compiled sizes, one per line, in the format of `make -C models SIZES=...`. */
LITEMRC_MODEL_API const char *litemrc_model_sizes(void);

/*
 * Creates a disabled monitor with registers as after reset. `engine` is the number in the register capabilities, `pages`
 * the pages of the stack engine; `domains` is 0 for no rank meter. Returns NULL if these sizes were not compiled.
 */
LITEMRC_MODEL_API struct litemrc_model *litemrc_model_create(uint32_t engine, uint32_t frames, uint32_t pages,
							       uint32_t groups, uint32_t contexts,
							       uint32_t recent_pages, uint32_t domains);
LITEMRC_MODEL_API void litemrc_model_destroy(struct litemrc_model *model);

/* Restores the state after create, except memory, caches and log. */
LITEMRC_MODEL_API void litemrc_model_reset(struct litemrc_model *model);

/*
 * The DRAM: the frame of an address is (address - base) >> page_shift; a column access transfers `access_bytes`.
 * Returns 0, or -1 if the number of frames differs from the model's.
 */
LITEMRC_MODEL_API int litemrc_model_set_memory(struct litemrc_model *model, uint64_t base, uint64_t bytes,
					       uint32_t page_shift, uint32_t access_bytes);

/*
 * The data cache of the processor: LRU, write-through, no allocation by stores, fills of `line_bytes`; and the L2 after
 * it: direct-mapped, write-back, allocating, before the DRAM only. 0 bytes: no cache. Empties both. Returns -1 if a size
 * is not a power of two.
 */
LITEMRC_MODEL_API int litemrc_model_set_caches(struct litemrc_model *model, uint32_t l1_bytes, uint32_t l1_ways,
					       uint32_t l1_line_bytes, uint32_t l2_bytes, uint32_t l2_line_bytes);

/*
 * A load or store of the processor, at most one word, at a physical address of cached memory. Returns the number of
 * epochs that ended.
 */
LITEMRC_MODEL_API uint32_t litemrc_model_access(struct litemrc_model *model, uint64_t address, int write);

/* The same for a DRAM access to a frame, without the caches. */
LITEMRC_MODEL_API uint32_t litemrc_model_access_frame(struct litemrc_model *model, uint32_t frame, int write);

/* Column accesses of the DRAM since create. */
LITEMRC_MODEL_API uint64_t litemrc_model_dram_accesses(const struct litemrc_model *model);

/* The register control. */
LITEMRC_MODEL_API void litemrc_model_control(struct litemrc_model *model, int enable, int hold, int by_cycles,
					     int freeze, int single_shot);
LITEMRC_MODEL_API void litemrc_model_set_context(struct litemrc_model *model, uint32_t context);
LITEMRC_MODEL_API void litemrc_model_set_epoch_length(struct litemrc_model *model, uint32_t length);
LITEMRC_MODEL_API void litemrc_model_set_filter(struct litemrc_model *model, uint32_t lower, uint32_t upper,
						uint32_t sampling, int split);

/* Advances the time of an epoch that is measured in cycles. */
LITEMRC_MODEL_API void litemrc_model_elapse(struct litemrc_model *model, uint32_t cycles);

LITEMRC_MODEL_API void litemrc_model_clear(struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_invalidate(struct litemrc_model *model, uint32_t frame);
LITEMRC_MODEL_API void litemrc_model_end_epoch(struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_release(struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_arm(struct litemrc_model *model);

/* The values of the registers with the same names. */
LITEMRC_MODEL_API int litemrc_model_epoch_ready(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_epoch_due(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_overflow(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_frozen(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_epoch(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_epoch_outside(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_epoch_unsampled(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_scale_log2(const struct litemrc_model *model);

/* A word of the window, [context][2 * groups]; 0 beyond its end. */
LITEMRC_MODEL_API uint32_t litemrc_model_window(const struct litemrc_model *model, uint32_t word);

/*
 * Power domains, if compiled in: equal slices of the memory. The policies of litex-soc/litemrc_gateware/ranks and commands
 * put them to sleep; an access or a command wakes them. At the end of an epoch the meter's window shows the counts since
 * the last one, as in the gateware, except that no row is ever open, nothing is refreshed, and no access waits for a domain
 * that wakes. set_time sets the cycles since reset; until its first call the time is 0. It is to be called before
 * every other function, if time has passed.
 */
LITEMRC_MODEL_API uint32_t litemrc_model_domains(const struct litemrc_model *model);
LITEMRC_MODEL_API void litemrc_model_set_time(struct litemrc_model *model, uint64_t cycles);

/*
 * Before the first access: whether the domains are slices of a single rank, which sleeps only if all of them may, and the
 * cycles from a wake-up until the rank serves requests, after power-down and after self-refresh. All are 0 without a call.
 */
LITEMRC_MODEL_API void litemrc_model_set_ranks(struct litemrc_model *model, int slices, uint32_t power_down_exit,
					       uint32_t self_refresh_exit);

/* The registers policy, threshold_*, partial and partial_allowed, command, n_mrc and n_mrc_auto. */
LITEMRC_MODEL_API void litemrc_model_set_policy(struct litemrc_model *model, uint32_t kind, uint32_t static_state,
						uint32_t mrc_state, uint32_t mrc_base);
LITEMRC_MODEL_API void litemrc_model_set_thresholds(struct litemrc_model *model, uint32_t power_down,
						    uint32_t self_refresh);
LITEMRC_MODEL_API void litemrc_model_set_partial(struct litemrc_model *model, uint32_t part, uint32_t allowed);
LITEMRC_MODEL_API void litemrc_model_command(struct litemrc_model *model, uint32_t domain, uint32_t state);
LITEMRC_MODEL_API void litemrc_model_set_n_mrc(struct litemrc_model *model, uint32_t size);
LITEMRC_MODEL_API void litemrc_model_set_n_mrc_auto(struct litemrc_model *model, int enable, uint32_t epsilon);

LITEMRC_MODEL_API uint32_t litemrc_model_state(const struct litemrc_model *model, uint32_t domain);
LITEMRC_MODEL_API uint32_t litemrc_model_working(const struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_meter_window(const struct litemrc_model *model, uint32_t word);
LITEMRC_MODEL_API uint32_t litemrc_model_snapshot_clocks(const struct litemrc_model *model);
LITEMRC_MODEL_API int litemrc_model_meter_overflow(const struct litemrc_model *model);

/*
 * Whether accesses matter: the monitor is enabled, or a domain sleeps or may fall asleep. While they do not, the simulator
 * need not report them. When they begin to matter the caches are emptied, because their contents are unknown.
 */
LITEMRC_MODEL_API int litemrc_model_needs_accesses(struct litemrc_model *model);

/*
 * Records the monitor's input from now on in the format of litex-soc/sim_modules/recorder, one event per cycle, so that
 * the same golden model can check it. NULL ends the log and completes the file. Returns -1 and sets errno if the file
 * cannot be written; errors during writing are reported at the end.
 */
LITEMRC_MODEL_API int litemrc_model_log(struct litemrc_model *model, const char *path);

/*
 * The registers of the gateware at addresses of their own: firmware/include/litemrc_regs.h. The map is JSON: the base of each
 * block, and base and bytes of its window. Registers and the functions above set the same state, but a register shows
 * only what was written to it. If PAGES of the Makefile names the memory's frames, there are also the page bitmap, hot
 * pages and reference counters. These count requests if they are enabled; `master` is below 4.
 */
LITEMRC_MODEL_API const char *litemrc_model_bus_map(struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_bus_read(struct litemrc_model *model, uint32_t address);
LITEMRC_MODEL_API void litemrc_model_bus_write(struct litemrc_model *model, uint32_t address, uint32_t value);
LITEMRC_MODEL_API void litemrc_model_request(struct litemrc_model *model, uint32_t page, int write, uint32_t master,
					     uint32_t context);

#ifdef __cplusplus
}
#endif

#endif
