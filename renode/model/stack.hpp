// The units of hls/ as the model sees them: one class for every size they were compiled in.
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
    bool write;
    bool epoch_end;
    bool frozen;
};

struct Filter {
    uint32_t lower, upper, sampling;
};

// Page filter, stack engine, working set and hit counters.
class Stack {
  public:
    virtual ~Stack() = default;

    virtual void reset() = 0;
    virtual void step(const Operation &operation, const Filter &filter) = 0;

    // Of the last epoch that ended.
    virtual uint32_t window(uint32_t word) const = 0;
    virtual uint32_t outside() const = 0;
    virtual uint32_t unsampled() const = 0;
    virtual bool overflow() const = 0;

    virtual uint32_t epoch() const = 0;
    virtual uint32_t least_sampling() const = 0;
};

struct Size {
    uint32_t engine, frames, pages, groups, contexts, recent_pages;
    const char *text; // as the Makefile has it
    std::unique_ptr<Stack> (*make)();
};

// Filled before main by the files compiled from stack_size.cpp.
std::vector<Size> &sizes();

} // namespace monitor_model
