// Replication and dropping of pages with fixed counters; the model is litemrc_studies.reference_counters.policies.replication.
//
// A policy is asked with the window of the processor at which a counter has reached 0, and the number of the page.
// The window has the policy's state of each page there, and the counters: state(page), local_reads(page),
// raise_delays(value), processor.
#pragma once

#include "costs.hpp"

#include <cstdint>

namespace litemrc_native {

// `value`: for UPDATE of the copy made, or for DELAY armed again. `asks`: how often the home was asked for its count.
struct DelayAnswer {
    bool replicate;
    uint32_t value;
    uint32_t asks;
};
// `value`: for DELAY of a page dropped, or for UPDATE armed again.
struct UpdateAnswer {
    bool drop;
    uint32_t value;
};

// The paper's: both initial values are those of the whole run.
struct FixedCounters {
    struct Pair {};

    uint32_t delay, update;

    uint32_t first_delay(uint32_t) const { return delay; }
    template <typename Window> DelayAnswer on_delay(Window, uint32_t, uint64_t, uint64_t) const {
        return {true, update, 0};
    }
    template <typename Window>
    UpdateAnswer on_update(Window, uint32_t, uint64_t updates, uint64_t reads, uint64_t writes) const {
        return updates > reads + writes ? UpdateAnswer{true, delay} : UpdateAnswer{false, update};
    }
};

} // namespace litemrc_native
