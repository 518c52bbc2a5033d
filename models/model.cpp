// SPDX-License-Identifier: BSD-2-Clause
// The C interface.
#include "litemrc_model.h"

#include <optional>
#include <string>

#include "caches.hpp"
#include "registers/bus.hpp"

using monitor_model::Bus;
using monitor_model::Caches;
using monitor_model::Monitor;
using monitor_model::Pages;
using monitor_model::Ranks;
using monitor_model::Size;

struct litemrc_model {
    litemrc_model(const Size &size, std::unique_ptr<Pages> pages)
        : size(size), monitor(size.make(), std::move(pages), size.frames) {
        make_bus();
    }

    const Size size;
    Monitor monitor;
    Caches caches;
    uint32_t page_shift = 12, queue = 2, access_bytes = 0;
    Ranks ranks;
    std::optional<Bus> bus;
    std::string bus_map;
    uint64_t dram_accesses = 0;
    bool observed = false; // the simulator reports accesses

    // Registers as after reset.
    void make_bus() { bus.emplace(monitor, size, page_shift, queue, access_bytes, ranks); }

    // After every change of a register that decides whether accesses are needed.
    void observe() {
        const bool needed = monitor.enabled() || monitor.domains().need_accesses();
        if (needed && !observed) {
            caches.empty();
            monitor.domains().observe_from_now();
        }
        observed = needed;
    }

    void access(uint64_t offset, bool write) {
        ++dram_accesses;
        monitor.access(offset, uint32_t(offset >> page_shift), write);
    }

    // Grows when the interrupt may have changed.
    uint32_t events() const {
        const Pages *pages = monitor.pages();
        return monitor.stack().epoch() + (pages ? pages->hot_queued() : 0);
    }
};

uint32_t litemrc_model_version(void) { return LITEMRC_MODEL_VERSION; }

const char *litemrc_model_sizes(void) {
    static const std::string text = [] {
        std::string lines;
        for (const auto &size : monitor_model::sizes())
            lines += std::string(size.text) + "\n";
        return lines;
    }();
    return text.c_str();
}

struct litemrc_model *litemrc_model_create(uint32_t engine, uint32_t frames, uint32_t pages, uint32_t groups,
                                           uint32_t contexts, uint32_t recent_pages, uint32_t domains,
                                           uint32_t hot_pages) {
    for (const auto &size : monitor_model::sizes()) {
        if (size.engine != engine || size.frames != frames || size.pages != pages || size.groups != groups ||
            size.contexts != contexts || size.recent_pages != recent_pages || size.domains != domains)
            continue;
        auto units = hot_pages ? monitor_model::make_pages(frames) : nullptr;
        if ((units ? units->hot_pages() : 0) == hot_pages)
            return new litemrc_model(size, std::move(units));
    }
    return nullptr;
}

void litemrc_model_destroy(struct litemrc_model *model) { delete model; }

void litemrc_model_reset(struct litemrc_model *model) {
    model->monitor.reset();
    model->make_bus();
    model->caches.empty();
    model->observed = false;
}

int litemrc_model_set_memory(struct litemrc_model *model, uint64_t base, uint64_t bytes, uint32_t page_shift,
                             uint32_t access_bytes, uint32_t queue) {
    if (page_shift > 31 || bytes >> page_shift != model->size.frames || !access_bytes || access_bytes & (access_bytes - 1) || !queue)
        return -1;
    model->page_shift = page_shift;
    model->queue = queue;
    model->access_bytes = access_bytes;
    model->make_bus();
    model->caches.set_memory(base, bytes, access_bytes);
    return 0;
}

int litemrc_model_set_caches(struct litemrc_model *model, uint32_t l1_bytes, uint32_t l1_ways, uint32_t l1_line_bytes,
                             uint32_t l2_bytes, uint32_t l2_line_bytes) {
    return model->caches.resize(l1_bytes, l1_ways, l1_line_bytes, l2_bytes, l2_line_bytes) ? 0 : -1;
}

void litemrc_model_set_ranks(struct litemrc_model *model, uint32_t ranks, int slices, uint32_t states,
                             uint32_t power_down_exit, uint32_t self_refresh_exit) {
    model->ranks = {ranks, slices != 0, states};
    model->monitor.domains().set_ranks(slices != 0, {power_down_exit, self_refresh_exit});
    model->make_bus();
}

int litemrc_model_access(struct litemrc_model *model, uint64_t address, int write) {
    const uint32_t before = model->events();
    model->caches.access(address, write != 0,
                         [model](uint64_t offset, bool is_write) { model->access(offset, is_write); });
    return model->events() != before;
}

int litemrc_model_access_frame(struct litemrc_model *model, uint32_t frame, int write) {
    const uint32_t before = model->events();
    model->access(uint64_t(frame) << model->page_shift, write != 0);
    return model->events() != before;
}

void litemrc_model_request(struct litemrc_model *model, uint32_t page, int write, uint32_t master, uint32_t context) {
    if (model->bus->refs_enabled())
        model->monitor.pages()->request(page, write != 0, master, context);
}

uint64_t litemrc_model_dram_accesses(const struct litemrc_model *model) { return model->dram_accesses; }

void litemrc_model_set_time(struct litemrc_model *model, uint64_t cycles) { model->monitor.set_time(cycles); }

uint32_t litemrc_model_cycles_left(const struct litemrc_model *model) { return model->monitor.cycles_left(); }

int litemrc_model_needs_accesses(struct litemrc_model *model) {
    model->observe();
    return model->observed;
}

int litemrc_model_interrupt(const struct litemrc_model *model) { return model->bus->interrupt(); }

int litemrc_model_log(struct litemrc_model *model, const char *path) {
    return (path ? model->monitor.start_log(path) : model->monitor.end_log()) ? 0 : -1;
}

const char *litemrc_model_bus_map(struct litemrc_model *model) {
    model->bus_map = model->bus->map();
    return model->bus_map.c_str();
}

uint32_t litemrc_model_bus_read(struct litemrc_model *model, uint32_t address) { return model->bus->read(address); }

void litemrc_model_bus_write(struct litemrc_model *model, uint32_t address, uint32_t value) {
    model->bus->write(address, value);
    model->observe();
}
