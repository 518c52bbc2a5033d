// SPDX-License-Identifier: BSD-2-Clause
// Stack engines behind one interface: the exact stack of the host, and those of hls/ with a frame for each page.
#pragma once

#include "hls/hls_stack.hpp"
#include "stacks/exact_stack.hpp"
#include "stacks/page_table.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace litemrc_qemu {

class CurveEngine {
  public:
    virtual ~CurveEngine() = default;

    // Takes an access to a page other than the last one. Returns false if there is no frame for it.
    virtual bool access(uint64_t page) = 0;

    // Takes one more access to the page of the last access: a hit in the first group, without the stack, as in the
    // recent page of hls/page_filter.
    void repeat() {
        ++repeats_;
        touch_last();
    }

    // Completes the counts below.
    virtual void finish() = 0;

    virtual std::vector<uint64_t> stack_hits() const = 0; // by group, without repeats
    virtual uint64_t misses() const = 0;
    virtual uint64_t pages() const = 0; // distinct ones
    uint64_t repeats() const { return repeats_; }

    // Pages accessed since the last call: golden/monitor/working_set.py.
    uint64_t take_working_set() {
        finish();
        forget_touched();
        return std::exchange(touched_, 0);
    }

  protected:
    static constexpr size_t BATCH = 512;
    uint64_t touched_ = 0;

  private:
    virtual void touch_last() = 0;
    virtual void forget_touched() {}

    uint64_t repeats_ = 0;
};

class ExactEngine final : public CurveEngine {
  public:
    bool access(uint64_t page) override {
        pages_[waiting_++] = page;
        if (waiting_ == BATCH)
            finish();
        return true;
    }

    void finish() override {
        uint32_t distances[BATCH];
        stack_.access(pages_, waiting_, distances);
        // The pages of the epoch are the `touched_` most recently used ones.
        for (size_t i = 0; i < waiting_; ++i)
            touched_ += distances[i] == 0 || distances[i] > touched_;
        waiting_ = 0;
    }

    std::vector<uint64_t> stack_hits() const override {
        const std::vector<uint64_t> counters = stack_.histogram();
        return {counters.begin() + 1, counters.end()};
    }
    uint64_t misses() const override { return stack_.cold_misses(); }
    uint64_t pages() const override { return stack_.footprint(); }

  private:
    void touch_last() override {
        if (!waiting_ && !touched_)
            touched_ = 1;
    }

    litemrc_native::ExactStack stack_;
    uint64_t pages_[BATCH];
    size_t waiting_ = 0;
};

class HlsCurveEngine final : public CurveEngine {
  public:
    HlsCurveEngine(const litemrc_native::HlsUnit &unit, uint32_t frames, uint32_t groups)
        : most_(frames), epoch_of_(frames), hits_(groups) {
        for (const litemrc_native::HlsSize &size : litemrc_native::hls_sizes())
            if (size.frames == frames && size.groups == groups)
                stack_ = size.make(unit.number);
        if (!stack_)
            throw std::invalid_argument("no engine of this size was compiled");
    }

    bool access(uint64_t page) override {
        table_.reserve(1);
        const uint32_t *known = table_.find(page);
        if (!known && table_.size() == most_)
            return false;
        last_ = known ? *known : table_.find_or_insert(page, uint32_t(table_.size()));
        touch_last();
        frames_[waiting_++] = last_;
        if (waiting_ == BATCH)
            finish();
        return true;
    }

    void finish() override { stack_->access(frames_, std::exchange(waiting_, 0), hits_.data(), misses_); }

    std::vector<uint64_t> stack_hits() const override { return hits_; }
    uint64_t misses() const override { return misses_; }
    uint64_t pages() const override { return table_.size(); }

  private:
    void touch_last() override {
        touched_ += epoch_of_[last_] != epoch_;
        epoch_of_[last_] = epoch_;
    }
    void forget_touched() override { ++epoch_; }

    uint32_t most_, last_ = 0, epoch_ = 1;
    litemrc_native::PageTable table_;
    std::vector<uint32_t> epoch_of_; // of each frame's last access
    std::vector<uint64_t> hits_;
    uint64_t misses_ = 0;
    uint32_t frames_[BATCH];
    size_t waiting_ = 0;
    std::unique_ptr<litemrc_native::HlsStack> stack_;
};

// Returns nullptr for "none". Throws std::invalid_argument.
inline std::unique_ptr<CurveEngine> make_engine(const std::string &name, uint32_t frames, uint32_t groups) {
    if (name == "none")
        return nullptr;
    if (name == "exact")
        return std::make_unique<ExactEngine>();
    return std::make_unique<HlsCurveEngine>(litemrc_native::hls_unit(name), frames, groups);
}

} // namespace litemrc_qemu
