// SPDX-License-Identifier: BSD-2-Clause
// PageFilter in RTL beside the C++ units. The rig is the filter's engine: the C++ GroupStack, with random latency.
//
// Compared: every operation to the engine, every position, the counts of every epoch; and, while sampling leaves out no
// page, every position with exact stacks without a filter.
#pragma once

#include "common/print.hpp"
#include "filter_ports.hpp"
#include "group_stack/group_stack.hpp"
#include "group_stack/lru_reference.hpp"
#include "working_set/working_set.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <set>
#include <string>

using namespace litemrc;

struct Pace {
    int idle_percent = 0;    // cycles without an operation offered
    int hold_percent = 0;    // cycles in which positions are stalled
    int engine_clocks = 1;   // largest latency from an engine's operation to its position
    bool engine_at_once = true; // it takes operations before it has answered earlier ones
};

class FilterBench {
  public:
    explicit FilterBench(unsigned seed) : dice_(seed) { reset(); }

    Pace pace;

    void reset() {
        rtl_->engine_op_ready = rtl_->engine_position_valid = rtl_->position_ready = 0;
        ::reset(rtl_, settings_);
        filter_.reset();
        merge_ = AnswerMerge();
        working_set_.reset();
        engine_.clear();
        reference_ = LruReference();
        touched_.clear();
        expected_ops_.clear();
        expected_.clear();
        in_engine_.clear();
        in_cpp_engine_.clear();
        ending_ = false;
    }

    // New settings followed by a clear, when no operation is in progress.
    void change(const FilterSettings &settings) {
        drain();
        settings_ = settings;
        drive(rtl_, settings);
        run(3);
        submit(MemoryOp{OP_CLEAR, 0, 0, 0, 0, 0});
        ++changes;
    }

    void submit(const MemoryOp &op) {
        while (op.epoch_end && ending_)
            clock();
        while (dice_.percent(pace.idle_percent))
            clock();
        rtl_->op_valid = 1;
        drive(rtl_, op);
        offered_ = &op;
        while (offered_)
            clock();
        rtl_->op_valid = 0;
    }

    void run(int clocks) {
        for (int i = 0; i < clocks; ++i)
            clock();
    }

    void drain() {
        while (!expected_.empty() || !rtl_->idle)
            clock();
        if (!expected_ops_.empty())
            throw Mismatch("the engine did not get " + text(expected_ops_.front()));
    }

    void report(std::ostream &out) const {
        out << "accesses " << kinds_[OP_ACCESS] << "\ninvalidations " << kinds_[OP_INVALIDATE] << "\nclaims " << claims_ << "\nclears "
            << kinds_[OP_CLEAR] << "\nmarks " << kinds_[OP_MARK] << "\nabsorbed " << answers_[ANSWER_ABSORBED]
            << "\ntouches " << answers_[ANSWER_TOUCH] << "\nfirst_touches " << first_touches_ << "\nnothing " << answers_[ANSWER_NOTHING] << "\nchanges "
            << changes << "\nengine_ops_compared " << ops_compared_ << "\npositions_compared " << positions_compared_
            << "\nreference_compared " << reference_compared_ << "\nsplit_writes " << split_writes_ << "\nepochs_compared " << epochs_compared_ << "\n";
    }

    std::uint64_t clocks() const { return rtl_.clocks(); }
    std::uint64_t touches() const { return answers_[ANSWER_TOUCH]; }

    std::uint64_t changes = 0;

  private:
    static constexpr int HANG_CLOCKS = 100000;

    void clock() {
        drive_engine();
        rtl_->position_ready = !dice_.percent(pace.hold_percent);
        rtl_.settle();
        const bool op_taken = rtl_->op_valid && rtl_->op_ready;
        if (op_taken)
            take(*offered_);
        if (rtl_->engine_position_valid && rtl_->engine_position_ready)
            in_engine_.pop_front();
        if (rtl_->engine_op_valid && rtl_->engine_op_ready)
            compare_engine_op();
        if (rtl_->position_valid && rtl_->position_ready)
            compare_position();
        rtl_.rising_edge();
        if (op_taken)
            offered_ = nullptr;
        quiet_clocks_ = op_taken || rtl_->idle ? 0 : quiet_clocks_ + 1;
        if (quiet_clocks_ > HANG_CLOCKS)
            throw Mismatch("the RTL hangs");
    }

    void drive_engine() {
        const bool answers = !in_engine_.empty() && in_engine_.front().at <= rtl_.clocks();
        rtl_->engine_position_valid = answers;
        if (answers) {
            const Position &position = in_engine_.front().position;
            rtl_->engine_position_kind = position.kind;
            rtl_->engine_position_group = position.group;
            rtl_->engine_position_context = position.context;
            rtl_->engine_position_epoch_end = position.epoch_end;
        }
        rtl_->engine_op_ready = in_engine_.empty() || pace.engine_at_once;
    }

    // The C++ side, its engine included, moves in the cycle in which the RTL takes an operation.
    void take(const MemoryOp &op) {
        FilterStep step;
        Counted counted{};
        do {
            step = filter_.step(op, settings_);
            ++answers_[int(step.answer.kind)];
            Position engine{POSITION_NONE, 0, 0, 0};
            if (step.asks) {
                engine = engine_.step(step.engine_op);
                expected_ops_.push_back(step.engine_op);
                in_cpp_engine_.push_back(engine);
            }
            const ap_uint<1> first_touch = step.taken ? working_set_.step(step.set_op) : ap_uint<1>(0);
            if (merge_.step(step.answer, engine, first_touch, counted))
                expected_.push_back(counted);
        } while (!step.taken);
        first_touches_ += counted.first_touch;
        ++kinds_[int(op.kind)];
        claims_ += op.kind == OP_INVALIDATE && op.write;
        ending_ |= op.epoch_end;
        if (op.epoch_end)
            uncounted_ = filter_.epoch_uncounted();
        if (LEAST_SAMPLING == 0 && settings_.sampling == 0 && FRAMES <= 1024) {
            const bool counts = op.kind != OP_ACCESS || (settings_.lower <= op.frame && op.frame <= settings_.upper);
            const bool split = CONTEXTS > 1 && settings_.split;
            const context_t context = split ? context_t(op.context % (CONTEXTS / 2)) : op.context;
            const Op exact{counts ? op.kind : ap_uint<2>(OP_MARK), frame_t(op.frame), context, op.write, op.epoch_end};
            Counted reference{reference_.step(exact), 0};
            if (split && op.write && op.kind == OP_ACCESS && counts) {
                reference.position.context |= context_t(CONTEXTS / 2);
                ++split_writes_;
            }
            if (op.kind == OP_ACCESS && op.frozen)
                reference.position = Position{POSITION_NONE, 0, 0, op.epoch_end};
            else if (op.kind == OP_ACCESS && counts)
                reference.first_touch = touched_.insert(int(op.frame)).second;
            if (op.kind == OP_INVALIDATE)
                touched_.erase(int(op.frame));
            if (op.kind == OP_CLEAR || op.epoch_end)
                touched_.clear();
            if (counted != reference)
                throw Mismatch(text(exact) + ": C++ " + text(counted) + ", reference " + text(reference));
            ++reference_compared_;
        }
    }

    void compare_engine_op() {
        Op seen;
        seen.kind = rtl_->engine_op_kind;
        seen.frame = rtl_->engine_op_frame;
        seen.context = rtl_->engine_op_context;
        seen.write = rtl_->engine_op_write;
        seen.epoch_end = rtl_->engine_op_epoch_end;
        if (expected_ops_.empty())
            throw Mismatch("the engine got " + text(seen) + ", which the C++ does not send");
        const Op expected = expected_ops_.front();
        const bool on_page = seen.kind == OP_ACCESS || seen.kind == OP_INVALIDATE;
        if (seen.kind != expected.kind || (on_page && seen.frame != expected.frame) ||
            seen.context != expected.context || seen.write != expected.write || seen.epoch_end != expected.epoch_end)
            throw Mismatch("engine's operation " + std::to_string(ops_compared_) + ": RTL " + text(seen) + ", C++ " +
                           text(expected));
        expected_ops_.pop_front();
        ++ops_compared_;
        const std::uint64_t soonest = in_engine_.empty() ? 0 : in_engine_.back().at;
        const std::uint64_t at = rtl_.clocks() + 1 + dice_.below(pace.engine_clocks);
        in_engine_.push_back({std::max(soonest, at), in_cpp_engine_.front()});
        in_cpp_engine_.pop_front();
    }

    void compare_position() {
        const Counted seen = counted_of(rtl_);
        const std::string number = "position " + std::to_string(positions_compared_);
        if (expected_.empty())
            throw Mismatch(number + ": RTL answers without an operation");
        if (seen != expected_.front())
            throw Mismatch(number + ": RTL " + text(seen) + ", C++ " + text(expected_.front()));
        expected_.pop_front();
        ++positions_compared_;
        if (!seen.position.epoch_end)
            return;
        compare(rtl_, uncounted_, epochs_compared_++);
        ending_ = false;
    }

    struct InEngine {
        std::uint64_t at; // the cycle from which it is answered
        Position position;
    };

    Rtl rtl_;
    Dice dice_;
    FilterSettings settings_{0, memory_frame_t(MEMORY_FRAMES - 1), 0, 0};
    PageFilter filter_;
    AnswerMerge merge_;
    GroupStack engine_;
    WorkingSet working_set_;
    LruReference reference_;
    std::set<int> touched_; // the reference's working set
    Uncounted uncounted_{0, 0};
    const MemoryOp *offered_ = nullptr;
    std::deque<Op> expected_ops_;
    std::deque<Position> in_cpp_engine_; // answers to expected_ops_
    std::deque<Counted> expected_;
    std::deque<InEngine> in_engine_;
    bool ending_ = false; // an end of epoch is in progress: the next one waits, as in the monitor
    std::uint64_t kinds_[4] = {}, claims_ = 0, answers_[4] = {};
    std::uint64_t ops_compared_ = 0, positions_compared_ = 0, reference_compared_ = 0, epochs_compared_ = 0, split_writes_ = 0;
    std::uint64_t first_touches_ = 0;
    int quiet_clocks_ = 0;
};
