// The C interface.
#include "litemrc_model.h"

#include <string>

#include "caches.hpp"
#include "registers/bus.hpp"

using monitor_model::Caches;
using monitor_model::Monitor;

constexpr uint32_t PAGE_SHIFT = 12, LEAST_QUEUE = 2;

struct litemrc_model {
    litemrc_model(const monitor_model::Size &size, uint32_t frames)
        : monitor(size.make(), monitor_model::make_pages(frames), frames), frames(frames),
          bus(monitor, size, PAGE_SHIFT, LEAST_QUEUE) {}

    Monitor monitor;
    Caches caches;
    uint32_t frames;
    uint32_t page_shift = PAGE_SHIFT;
    monitor_model::Bus bus;
    std::string bus_map;
    uint64_t dram_accesses = 0;
    bool observed = false; // the simulator reports accesses

    // After every change of a register that decides whether accesses are needed.
    void observe() {
        const bool needed = monitor.enabled() || monitor.domains().need_accesses();
        if (needed && !observed) {
            caches.empty();
            monitor.domains().observe_from_now();
        }
        observed = needed;
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
                                           uint32_t contexts, uint32_t recent_pages, uint32_t domains) {
    for (const auto &size : monitor_model::sizes())
        if (size.engine == engine && size.frames == frames && size.pages == pages && size.groups == groups &&
            size.contexts == contexts && size.recent_pages == recent_pages && size.domains == domains)
            return new litemrc_model(size, frames);
    return nullptr;
}

void litemrc_model_destroy(struct litemrc_model *model) { delete model; }

void litemrc_model_reset(struct litemrc_model *model) {
    model->monitor.reset();
    model->caches.empty();
    model->observed = false;
}

int litemrc_model_set_memory(struct litemrc_model *model, uint64_t base, uint64_t bytes, uint32_t page_shift,
                             uint32_t access_bytes) {
    if (page_shift > 31 || bytes >> page_shift != model->frames || !access_bytes)
        return -1;
    model->page_shift = page_shift;
    model->caches.set_memory(base, bytes, access_bytes);
    return 0;
}

int litemrc_model_set_caches(struct litemrc_model *model, uint32_t l1_bytes, uint32_t l1_ways, uint32_t l1_line_bytes,
                             uint32_t l2_bytes, uint32_t l2_line_bytes) {
    return model->caches.resize(l1_bytes, l1_ways, l1_line_bytes, l2_bytes, l2_line_bytes) ? 0 : -1;
}

uint32_t litemrc_model_access(struct litemrc_model *model, uint64_t address, int write) {
    const uint32_t before = model->monitor.stack().epoch();
    model->caches.access(address, write != 0, [model](uint64_t offset, bool is_write) {
        ++model->dram_accesses;
        model->monitor.access(offset, uint32_t(offset >> model->page_shift), is_write);
    });
    return model->monitor.stack().epoch() - before;
}

uint32_t litemrc_model_access_frame(struct litemrc_model *model, uint32_t frame, int write) {
    const uint32_t before = model->monitor.stack().epoch();
    ++model->dram_accesses;
    model->monitor.access(uint64_t(frame) << model->page_shift, frame, write != 0);
    return model->monitor.stack().epoch() - before;
}

uint64_t litemrc_model_dram_accesses(const struct litemrc_model *model) { return model->dram_accesses; }

void litemrc_model_control(struct litemrc_model *model, int enable, int hold, int by_cycles, int freeze,
                           int single_shot) {
    model->monitor.control({enable != 0, hold != 0, by_cycles != 0, freeze != 0, single_shot != 0});
    model->observe();
}

void litemrc_model_set_context(struct litemrc_model *model, uint32_t context) { model->monitor.set_context(context); }

void litemrc_model_set_epoch_length(struct litemrc_model *model, uint32_t length) {
    model->monitor.set_epoch_length(length);
}

void litemrc_model_set_filter(struct litemrc_model *model, uint32_t lower, uint32_t upper, uint32_t sampling,
                              int split) {
    model->monitor.set_filter({lower, upper, sampling, split != 0});
}

void litemrc_model_elapse(struct litemrc_model *model, uint32_t cycles) { model->monitor.pass(cycles); }

void litemrc_model_clear(struct litemrc_model *model) { model->monitor.clear(); }

void litemrc_model_invalidate(struct litemrc_model *model, uint32_t frame) { model->monitor.invalidate(frame); }

void litemrc_model_end_epoch(struct litemrc_model *model) { model->monitor.end_epoch(); }

void litemrc_model_release(struct litemrc_model *model) { model->monitor.release(); }

void litemrc_model_arm(struct litemrc_model *model) { model->monitor.arm(); }

int litemrc_model_epoch_ready(const struct litemrc_model *model) { return model->monitor.epoch_ready(); }

int litemrc_model_epoch_due(const struct litemrc_model *model) { return model->monitor.epoch_due(); }

int litemrc_model_overflow(const struct litemrc_model *model) { return model->monitor.stack().overflow(); }

int litemrc_model_frozen(const struct litemrc_model *model) { return model->monitor.frozen(); }

uint32_t litemrc_model_epoch(const struct litemrc_model *model) { return model->monitor.stack().epoch(); }

uint32_t litemrc_model_epoch_outside(const struct litemrc_model *model) { return model->monitor.stack().outside(); }

uint32_t litemrc_model_epoch_unsampled(const struct litemrc_model *model) { return model->monitor.stack().unsampled(); }

uint32_t litemrc_model_scale_log2(const struct litemrc_model *model) { return model->monitor.scale_log2(); }

uint32_t litemrc_model_window(const struct litemrc_model *model, uint32_t word) {
    return model->monitor.stack().window(word);
}

int litemrc_model_log(struct litemrc_model *model, const char *path) {
    return (path ? model->monitor.start_log(path) : model->monitor.end_log()) ? 0 : -1;
}

uint32_t litemrc_model_domains(const struct litemrc_model *model) { return model->monitor.domains().count(); }

void litemrc_model_set_time(struct litemrc_model *model, uint64_t cycles) { model->monitor.set_time(cycles); }

void litemrc_model_command(struct litemrc_model *model, uint32_t domain, uint32_t state) {
    model->monitor.command(domain, state);
    model->observe();
}

void litemrc_model_set_ranks(struct litemrc_model *model, int slices, uint32_t power_down_exit, uint32_t self_refresh_exit) {
    model->monitor.domains().set_ranks(slices != 0, {power_down_exit, self_refresh_exit});
}

void litemrc_model_set_policy(struct litemrc_model *model, uint32_t kind, uint32_t static_state, uint32_t mrc_state,
                              uint32_t mrc_base) {
    auto &settings = model->monitor.domains().settings();
    settings.kind = kind;
    settings.static_state = static_state;
    settings.mrc_state = mrc_state;
    settings.mrc_base = mrc_base;
    model->observe();
}

void litemrc_model_set_thresholds(struct litemrc_model *model, uint32_t power_down, uint32_t self_refresh) {
    auto &settings = model->monitor.domains().settings();
    settings.threshold_power_down = power_down;
    settings.threshold_self_refresh = self_refresh;
}

void litemrc_model_set_partial(struct litemrc_model *model, uint32_t part, uint32_t allowed) {
    auto &settings = model->monitor.domains().settings();
    settings.partial = part;
    settings.partial_allowed = allowed;
}

int litemrc_model_needs_accesses(struct litemrc_model *model) {
    model->observe();
    return model->observed;
}

uint32_t litemrc_model_state(const struct litemrc_model *model, uint32_t domain) {
    return model->monitor.state(domain);
}

uint32_t litemrc_model_working(const struct litemrc_model *model) { return model->monitor.stack().working(); }

void litemrc_model_set_n_mrc(struct litemrc_model *model, uint32_t size) { model->monitor.set_n_mrc(size); }

void litemrc_model_set_n_mrc_auto(struct litemrc_model *model, int enable, uint32_t epsilon) {
    model->monitor.set_n_mrc_auto(enable != 0, epsilon);
}

uint32_t litemrc_model_meter_window(const struct litemrc_model *model, uint32_t word) {
    return model->monitor.domains().window(word, model->monitor.stack());
}

uint32_t litemrc_model_snapshot_clocks(const struct litemrc_model *model) {
    return uint32_t(model->monitor.domains().snapshot_clocks());
}

int litemrc_model_meter_overflow(const struct litemrc_model *model) { return model->monitor.domains().overflow(); }

const char *litemrc_model_bus_map(struct litemrc_model *model) {
    model->bus_map = model->bus.map();
    return model->bus_map.c_str();
}

uint32_t litemrc_model_bus_read(struct litemrc_model *model, uint32_t address) { return model->bus.read(address); }

void litemrc_model_bus_write(struct litemrc_model *model, uint32_t address, uint32_t value) {
    model->bus.write(address, value);
    model->observe();
}

void litemrc_model_request(struct litemrc_model *model, uint32_t page, int write, uint32_t master, uint32_t context) {
    if (model->bus.refs_enabled())
        model->monitor.pages()->request(page, write != 0, master, context);
}
