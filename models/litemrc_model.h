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

#define LITEMRC_MODEL_VERSION 3

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
 * the pages of the stack engine; `domains` is 0 for no rank meter, `hot_pages` 0 for neither page bitmap nor hot pages nor
 * reference counters. Returns NULL if these sizes were not compiled.
 */
LITEMRC_MODEL_API struct litemrc_model *litemrc_model_create(uint32_t engine, uint32_t frames, uint32_t pages,
							       uint32_t groups, uint32_t contexts,
							       uint32_t recent_pages, uint32_t domains,
							       uint32_t hot_pages);
LITEMRC_MODEL_API void litemrc_model_destroy(struct litemrc_model *model);

/* Restores the state after create, except memory, caches, ranks and log. */
LITEMRC_MODEL_API void litemrc_model_reset(struct litemrc_model *model);

/*
 * The DRAM: the frame of an address is (address - base) >> page_shift; a column access transfers `access_bytes`, and `queue`,
 * both powers of two; `queue` is the places that the register capabilities shows; no access waits. To be called before registers are
 * written. Returns 0, or -1 if the number of frames differs from the model's.
 */
LITEMRC_MODEL_API int litemrc_model_set_memory(struct litemrc_model *model, uint64_t base, uint64_t bytes,
					       uint32_t page_shift, uint32_t access_bytes, uint32_t queue);

/*
 * The data cache of the processor: LRU, write-through, no allocation by stores, fills of `line_bytes`; and the L2 after
 * it: direct-mapped, write-back, allocating, before the DRAM only. 0 bytes: no cache. Empties both. Returns -1 if a size
 * is not a power of two.
 */
LITEMRC_MODEL_API int litemrc_model_set_caches(struct litemrc_model *model, uint32_t l1_bytes, uint32_t l1_ways,
					       uint32_t l1_line_bytes, uint32_t l2_bytes, uint32_t l2_line_bytes);

/*
 * The number of ranks for the register capabilities, 0 for that of the domains; whether the domains are slices of a single
 * rank, which sleeps only if all of them may; the states that it can reach, a bit each; and the cycles from a wake-up
 * until a rank serves requests, after power-down and after self-refresh. To be called before registers are written;
 * without a call they are 0, 0, all, 0 and 0.
 */
LITEMRC_MODEL_API void litemrc_model_set_ranks(struct litemrc_model *model, uint32_t ranks, int slices, uint32_t states,
					       uint32_t power_down_exit, uint32_t self_refresh_exit);

/*
 * A load or store of the processor, at most one word, at a physical address of cached memory. Returns whether an epoch
 * ended or a page became hot, which may have changed the interrupt.
 */
LITEMRC_MODEL_API int litemrc_model_access(struct litemrc_model *model, uint64_t address, int write);

/* The same for a DRAM access to a frame, without the caches. */
LITEMRC_MODEL_API int litemrc_model_access_frame(struct litemrc_model *model, uint32_t frame, int write);

/* A request for the reference counters, which count while they are enabled; `master` is below 4. */
LITEMRC_MODEL_API void litemrc_model_request(struct litemrc_model *model, uint32_t page, int write, uint32_t master,
					     uint32_t context);

/* Column accesses of the DRAM since create. */
LITEMRC_MODEL_API uint64_t litemrc_model_dram_accesses(const struct litemrc_model *model);

/*
 * Sets the cycles since reset, until the first call 0; to be called before every other function, if time has passed.
 * Epochs measured in cycles end in their cycle. The domains, equal slices of the memory, sleep by policies and commands
 * and are metered as in the gateware, except that no row is ever open, nothing is refreshed, and no access waits for a
 * domain that wakes.
 */
LITEMRC_MODEL_API void litemrc_model_set_time(struct litemrc_model *model, uint64_t cycles);

/* The cycles until an epoch measured in cycles has its length; 0 if none is running. */
LITEMRC_MODEL_API uint32_t litemrc_model_cycles_left(const struct litemrc_model *model);

/*
 * Whether accesses matter: the monitor is enabled, or a domain sleeps or may fall asleep. While they do not, the simulator
 * need not report them. When they begin to matter the caches are emptied, because their contents are unknown.
 */
LITEMRC_MODEL_API int litemrc_model_needs_accesses(struct litemrc_model *model);

/* The monitor's interrupt line. */
LITEMRC_MODEL_API int litemrc_model_interrupt(const struct litemrc_model *model);

/*
 * Records the monitor's input from now on in the format of litex-soc/sim_modules/recorder, one event per cycle, so that
 * the same golden model can check it. NULL ends the log and completes the file. Returns -1 and sets errno if the file
 * cannot be written; errors during writing are reported at the end.
 */
LITEMRC_MODEL_API int litemrc_model_log(struct litemrc_model *model, const char *path);

/*
 * The registers of the gateware, and their windows, at addresses of their own: firmware/include/litemrc_regs.h. The map is
 * JSON: the base of each block, and base and bytes of its window.
 */
LITEMRC_MODEL_API const char *litemrc_model_bus_map(struct litemrc_model *model);
LITEMRC_MODEL_API uint32_t litemrc_model_bus_read(struct litemrc_model *model, uint32_t address);
LITEMRC_MODEL_API void litemrc_model_bus_write(struct litemrc_model *model, uint32_t address, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
