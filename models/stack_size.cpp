// SPDX-License-Identifier: BSD-2-Clause
// The units of hls/ in one size, given by the Makefile as macros; compiled once for each size.
#include "litemrc_regs.h"
#include "stack.hpp"

#include <ap_int.h>

// The namespace must differ from that of the other sizes: hls/ takes its sizes from macros.
#define LITEMRC_UNITS_ONLY
#define litemrc MODEL_NAMESPACE
#include "hit_counters/hit_counters.cpp"
#include "page_filter/page_filter.cpp"
#include "working_set/working_set.cpp"
#define LITEMRC_STACK_ENGINE_SOURCES
#include "common/stack_engines.hpp"
#if MODEL_DOMAINS
#include "rank_meter/rank_meter.cpp"
#endif

namespace {

using namespace litemrc;

// The engine of a number in the register capabilities.
template <int number> struct EngineOf;
#define MODEL_ENGINE_OF(number, UNIT, name, Class, moves)                                                                                \
    static_assert(number == LITEMRC_ENGINE_##UNIT, #UNIT);                                                                               \
    template <> struct EngineOf<number> { using type = Class; };
LITEMRC_STACK_ENGINES(MODEL_ENGINE_OF)
using Engine = EngineOf<MODEL_ENGINE>::type;

#if MODEL_DOMAINS
// Forwards the stack engine's moves to the meter.
struct Moves {
    RankMeter &meter;
    void write(move_word_t move) { meter.move(unpack_move(move)); }
};
#endif

class Compiled : public monitor_model::Stack {
  public:
    Compiled() { reset(); }

    void reset() override {
        filter_.reset();
        engine_.clear();
        working_set_.reset();
        merge_ = AnswerMerge();
        counters_.reset();
        for (counter_t &word : window_)
            word = 0;
#if MODEL_DOMAINS
        meter_.reset();
        for (counter_t &word : meter_window_)
            word = 0;
#endif
    }

    void step(const monitor_model::Operation &operation, const monitor_model::Filter &filter) override {
        const MemoryOp op{unsigned(operation.kind), operation.frame,     operation.context,
                          operation.write,          operation.epoch_end, operation.frozen};
        const FilterSettings settings{filter.lower, filter.upper, filter.sampling, filter.split};
        Counted counted{};
        FilterStep step;
        do {
            step = filter_.step(op, settings);
            Position position{POSITION_NONE, 0, 0, 0};
            if (step.asks)
                position = step_engine(step.engine_op);
            const ap_uint<1> first_touch = step.taken ? working_set_.step(step.set_op) : ap_uint<1>(0);
            merge_.step(step.answer, position, first_touch, counted);
        } while (!step.taken);
        counters_.step(counted, window_);
    }

    uint32_t window(uint32_t word) const override { return word < unsigned(WINDOW_WORDS) ? unsigned(window_[word]) : 0; }
    uint32_t outside() const override { return filter_.epoch_uncounted().outside; }
    uint32_t unsampled() const override { return filter_.epoch_uncounted().unsampled; }
    bool overflow() const override { return counters_.overflow() || full(filter_.epoch_uncounted()); }
    uint32_t epoch() const override { return counters_.epoch(); }
    uint32_t least_sampling() const override { return LEAST_SAMPLING; }

#if MODEL_DOMAINS
    uint32_t domains() const override { return DOMAINS; }

    void meter(const monitor_model::DomainEvent &event) override {
        MeterClock clock{event.access, event.domain, event.write, 0, 0, 0, event.states, 0, 0};
        clock.wakes[event.domain] = event.wakes;
        meter_.clock(clock);
    }

    void set_n_mrc(uint32_t size) override {
        for (int context = 0; context < CONTEXTS; ++context)
            meter_.set_n_mrc(context, size < unsigned(GROUPS) ? size : unsigned(GROUPS));
    }

    void find_n_mrc(uint32_t epsilon) override {
        for (int context = 0; context < CONTEXTS; ++context) {
            const counter_t *row = window_ + context * 2 * GROUPS;
            if (row[GROUPS + 1] != 0)
                meter_.set_n_mrc(context, litemrc::find_n_mrc(row, epsilon));
        }
    }

    uint32_t working() const override { return meter_.working(); }
    void snapshot() override { meter_.snapshot(meter_window_); }
    uint32_t meter_window(uint32_t word) const override {
        return word < unsigned(METER_WINDOW_WORDS) ? unsigned(meter_window_[word]) : 0;
    }
#endif

  private:
    Position step_engine(const Op &op) {
#if MODEL_DOMAINS
        if (op.kind == OP_CLEAR)
            meter_.clear_pages();
        Moves moves{meter_};
        return engine_.step(op, moves);
#else
        return engine_.step(op);
#endif
    }

    PageFilter filter_;
    Engine engine_;
    WorkingSet working_set_;
    AnswerMerge merge_{};
    HitCounters counters_;
    counter_t window_[WINDOW_WORDS];
#if MODEL_DOMAINS
    RankMeter meter_;
    counter_t meter_window_[METER_WINDOW_WORDS];
#endif
};

std::unique_ptr<monitor_model::Stack> make() { return std::make_unique<Compiled>(); }

const bool registered = [] {
    monitor_model::sizes().push_back(
        {MODEL_ENGINE, MEMORY_FRAMES, FRAMES, GROUPS, CONTEXTS, RECENT_PAGES, MODEL_DOMAINS, MODEL_SIZE, &make});
    return true;
}();

} // namespace
