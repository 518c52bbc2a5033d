// SPDX-License-Identifier: BSD-2-Clause
// Epochs, freezing and commands, as in litex-soc/litemrc_gateware/monitor/intake.py, before the units of hls/.
//
// The gateware queues accesses and commands; here each is executed at once. Therefore no access is dropped, no command
// waits, and a finished epoch is in the window immediately.
#pragma once

#include "domains.hpp"
#include "log.hpp"
#include "pages.hpp"
#include "stack.hpp"

namespace monitor_model {

// Reads and writes of an epoch, saturating: what is known of the DRAM's commands without its controller.
struct DRAMCounts {
    uint32_t reads, writes;

    void count(bool write) {
        uint32_t &kind = write ? writes : reads;
        kind += kind != ~uint32_t(0);
    }
};

class Monitor {
  public:
    struct Control {
        bool enable, hold, by_cycles, freeze, single_shot;
    };

    // `pages` may be null.
    Monitor(std::unique_ptr<Stack> stack, std::unique_ptr<Pages> pages, uint32_t frames)
        : stack_(std::move(stack)), pages_(std::move(pages)), frames_(frames), domains_(stack_->domains(), frames) {
        forget();
    }

    void reset() {
        stack_->reset();
        if (pages_)
            pages_->reset();
        forget();
    }

    bool enabled() const { return control_.enable; }
    bool split() const { return filter_.split; }
    bool frozen() const { return control_.freeze || shot_; }
    bool epoch_ready() const { return epoch_ready_; }
    bool epoch_due() const { return end_requested_; }
    // Until an epoch measured in cycles has its length; 0 if none is running.
    uint32_t cycles_left() const {
        const bool running = control_.enable && control_.by_cycles && !frozen();
        return running && elapsed_ < epoch_length_ ? epoch_length_ - elapsed_ : 0;
    }
    uint32_t scale_log2() const {
        return filter_.sampling > stack_->least_sampling() ? filter_.sampling : stack_->least_sampling();
    }
    const Stack &stack() const { return *stack_; }
    const DRAMCounts &dram_counts() const { return finished_; } // of the epoch in the window
    Pages *pages() const { return pages_.get(); }
    const Domains &domains() const { return domains_; }

    // Power domains; their accesses are metered even if the monitor is disabled.
    Domains &domains() { return domains_; }
    // Advances the time to `cycles` since reset; epochs measured in cycles end in theirs.
    void set_time(uint64_t cycles) {
        for (uint32_t left; (left = cycles_left()) && cycles_ + left < cycles;)
            pass(cycles_ + left);
        if (cycles > cycles_)
            pass(cycles);
    }
    void command(uint32_t domain, uint32_t state) { domains_.command(domain, state, *stack_); }
    uint32_t state(uint32_t domain) const { return domains_.state(domain, *stack_); }
    void set_n_mrc(uint32_t size) {
        n_mrc_ = size;
        if (!automatic_)
            stack_->set_n_mrc(size);
    }
    void set_n_mrc_auto(bool automatic, uint32_t epsilon) {
        const bool was = automatic_;
        automatic_ = automatic;
        epsilon_ = epsilon;
        if (was && !automatic)
            stack_->set_n_mrc(n_mrc_);
    }

    void access(uint64_t offset, uint32_t frame, bool write) {
        domains_.access(frame % frames_, write, *stack_);
        if (!control_.enable)
            return;
        if (!control_.by_cycles)
            elapse(1);
        take(Operation{Kind::ACCESS, frame % frames_, context_, write, ends(), frozen()}, offset);
    }

    void control(const Control &control) {
        if (control.enable != control_.enable)
            log_.enable(control.enable);
        control_ = control;
        settle();
    }

    void set_context(uint32_t context) { context_ = context; }

    void set_epoch_length(uint32_t length) {
        epoch_length_ = length;
        settle();
    }

    void set_filter(const Filter &filter) {
        filter_ = filter;
        log_.filter(filter);
    }

    void clear() {
        take(Operation{Kind::CLEAR, 0, context_, false, false, frozen()}, 0);
        elapsed_ = 0;
        settle();
    }

    void invalidate(uint32_t frame) {
        take(Operation{Kind::INVALIDATE, frame % frames_, context_, false, false, frozen()}, 0);
    }

    // Claims 2^order frames, but none behind the memory's last one.
    void claim(uint32_t frame, uint32_t context, uint32_t order) {
        frame %= frames_;
        const uint32_t behind = frame + (uint32_t(1) << order);
        for (; frame < behind && frame < frames_; ++frame)
            take(Operation{Kind::INVALIDATE, frame, context, true, false, frozen()}, 0);
    }

    void end_epoch() {
        end_requested_ = true;
        settle();
    }

    void release() {
        epoch_ready_ = false;
        settle();
    }

    void arm() {
        shot_ = false;
        settle();
    }

    bool start_log(const char *path) {
        if (!log_.close() || !log_.open(path))
            return false;
        log_.filter(filter_);
        if (control_.enable)
            log_.enable(true);
        return true;
    }

    bool end_log() { return log_.close(); }

  private:
    void forget() {
        control_ = Control{false, true, false, false, false};
        filter_ = Filter{0, frames_ - 1, 0, false};
        context_ = epoch_length_ = elapsed_ = 0;
        cycles_ = 0;
        end_requested_ = epoch_ready_ = shot_ = false;
        counts_ = finished_ = DRAMCounts{};
        domains_.reset();
        automatic_ = false;
        epsilon_ = 0;
        n_mrc_ = ~uint32_t(0); // all groups
        log_.filter(filter_);
    }

    void pass(uint64_t end) {
        const uint64_t passed = end - cycles_;
        cycles_ = end;
        domains_.set_time(end, *stack_);
        if (!control_.enable || !control_.by_cycles)
            return;
        elapse(passed < ~uint32_t(0) ? uint32_t(passed) : ~uint32_t(0));
        settle();
    }

    void elapse(uint32_t more) {
        if (!frozen())
            elapsed_ = more < ~elapsed_ ? elapsed_ + more : ~uint32_t(0);
    }

    // Whether the epoch ends after the current operation.
    bool ends() const {
        const bool window_taken = epoch_ready_ && control_.hold;
        const bool reached = epoch_length_ && elapsed_ >= epoch_length_ && !frozen();
        return !window_taken && (end_requested_ || reached);
    }

    // An epoch end without an access is an operation of its own.
    void settle() {
        if (ends())
            take(Operation{Kind::MARK, 0, context_, false, true, frozen()}, 0);
    }

    void take(const Operation &operation, uint64_t offset) {
        log_.operation(operation, offset);
        stack_->step(operation, filter_);
        if (pages_)
            pages_->step(operation, operation.frame < filter_.lower || operation.frame > filter_.upper);
        if (operation.kind == Kind::ACCESS && !operation.frozen)
            counts_.count(operation.write);
        if (operation.epoch_end)
            finished_ = counts_;
        if (operation.epoch_end || operation.kind == Kind::CLEAR)
            counts_ = DRAMCounts{};
        if (!operation.epoch_end)
            return;
        elapsed_ = 0;
        end_requested_ = false;
        epoch_ready_ = true;
        if (domains_.count()) {
            if (automatic_)
                stack_->find_n_mrc(epsilon_);
            domains_.snapshot(*stack_);
        }
        shot_ |= control_.single_shot;
    }

    std::unique_ptr<Stack> stack_;
    std::unique_ptr<Pages> pages_;
    uint32_t frames_;
    Control control_;
    Filter filter_;
    uint32_t context_, epoch_length_, elapsed_;
    uint64_t cycles_;
    bool end_requested_, epoch_ready_, shot_;
    DRAMCounts counts_, finished_;
    Domains domains_;
    bool automatic_;
    uint32_t epsilon_, n_mrc_;
    Log log_;
};

} // namespace monitor_model
