// SPDX-License-Identifier: BSD-2-Clause
// Interface of the model to the units of hls/: one class for each compiled size.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace monitor_model {

enum class Kind : uint8_t { ACCESS, INVALIDATE, CLEAR, MARK }; // OpKind of hls/common/records.hpp

struct Operation {
    Kind kind;
    uint32_t frame;
    uint32_t context;
    bool write; // INVALIDATE: a claim by `context`
    bool epoch_end;
    bool frozen;
};

struct Filter {
    uint32_t lower, upper, sampling;
    bool split;
};

// Input of the rank meter of hls/: one access, or a change of states without an access.
struct DomainEvent {
    bool access, write, wakes;
    uint32_t domain;
    uint64_t states; // PowerState of each domain, 3 bits each, domain 0 lowest
};

// Page filter, stack engine, working set and hit counters; with domains also the rank meter.
class Stack {
  public:
    virtual ~Stack() = default;

    virtual void reset() = 0;
    virtual void step(const Operation &operation, const Filter &filter) = 0;

    // Counts of the last finished epoch.
    virtual uint32_t window(uint32_t word) const = 0;
    virtual uint32_t outside() const = 0;
    virtual uint32_t unsampled() const = 0;
    virtual bool overflow() const = 0;

    virtual uint32_t epoch() const = 0;
    virtual uint32_t least_sampling() const = 0;

    // The rank meter, if compiled in.
    virtual uint32_t domains() const { return 0; }
    virtual void meter(const DomainEvent &) {}
    virtual void set_n_mrc(uint32_t /* page groups */) {}
    virtual void find_n_mrc(uint32_t /* fraction of 2^16 */) {}
    virtual uint32_t working() const { return 0; }
    virtual void snapshot() {}
    virtual uint32_t meter_window(uint32_t /* word */) const { return 0; }
};

struct Size {
    uint32_t engine, frames, pages, groups, contexts, recent_pages, domains;
    const char *text; // in the Makefile's format
    std::unique_ptr<Stack> (*make)();
};

// Filled before main by the files compiled from stack_size.cpp.
std::vector<Size> &sizes();

} // namespace monitor_model
