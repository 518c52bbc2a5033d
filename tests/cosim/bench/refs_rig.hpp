// SPDX-License-Identifier: BSD-2-Clause
// RefCounters in RTL beside the C++ unit and plain arrays, a cycle at a time.
#pragma once

#include "refs_reference.hpp"
#include "rtl.hpp"

#include <deque>
#include <optional>
#include <string>

// Inputs of the RTL in one cycle.
struct RefsInputs {
    std::optional<litemrc::RefOp> request, command; // a command is a read or a load
    bool reset = false, take = false;
};

constexpr int FORWARDED = 6; // operations at most this number of cycles ahead are not in the memory yet

// Counts of the cases that the tests require.
struct RefsCounts {
    long clocks = 0, requests = 0, counted = 0, reads = 0, loads = 0, resets = 0, resets_refused = 0, commands_waited = 0;
    long both_fired = 0, taken = 0, left = 0, fired = 0, lost = 0, passes = 0, hardware_resets = 0;
    long same_page[FORWARDED + 1] = {}, same_row[FORWARDED + 1] = {}; // by distance in cycles
};

class RefsRig {
  public:
    litemrc::RefSettings settings{{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}, {0, 0}}; // ap_uints are not initialised
    RefsCounts counts;

    RefsRig() { reset_hardware(); }

    void reset_hardware() {
        settle_accounts();
        rtl_->rst = 1;
        drive(RefsInputs{});
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        counters_.reset();
        queue_.reset();
        plain_.clear();
        timing_ = SweepTiming{};
        came_.reset();
        slot_ = Slot{};
        in_pipeline_.assign(PIPELINE, Step{});
        fired_.assign(COUNT_CLOCKS, 0);
        lost_.assign(COUNT_CLOCKS, 0);
        pages_.assign(FORWARDED, -1);
        waits_ = 0;
    }

    // Returns whether the command was taken.
    bool clock(const RefsInputs &in) {
        using namespace litemrc;
        drive(in);
        rtl_.settle();
        const bool zeroing = timing_.zeroing();
        expect("reset_ready", rtl_->reset_ready, timing_.ready());
        expect("sweeping", rtl_->sweeping, timing_.sweeping());
        const bool reset = in.reset && timing_.ready();
        const bool counted = slot_.counting != 0 && !zeroing;
        const bool ready = !counted && !zeroing && !reset;
        expect("command_ready", rtl_->command_ready, ready);
        const bool commanded = ready && in.command;

        // The slot: the C++ executes it in this cycle, the RTL in the following cycles.
        reference_t value;
        if (reset) {
            counters_.step(RefOp{REF_RESET, 0, 0, 0, 0, 0, 0, 0}, settings, value);
            plain_.reset(settings);
        }
        Step step;
        if (counted) {
            step.page = int(slot_.op.page);
            step.fires = counters_.step(slot_.op, slot_.settings, value);
            expect("fires of the C++", int(step.fires), plain_.request(step.page, int(slot_.counting)));
        } else if (commanded) {
            const RefOp &op = *in.command;
            int &plain = plain_.value(int(op.page), int(op.counter));
            if (op.kind == REF_LOAD)
                plain = int(op.value);
            step.page = int(op.page);
            counters_.step(op, settings, value);
            step.asked = true;
            step.value = int(value);
            expect("value of the C++", step.value, plain);
        } else if (!zeroing) {
            counters_.step(RefOp{REF_NONE, 0, 0, 0, 0, 0, 0, 0}, settings, value);
        }
        cover(in, step, reset, counted, commanded);
        timing_.clock(reset, !counted && !commanded);
        in_pipeline_.push_back(step);
        const Step done = in_pipeline_.front();
        in_pipeline_.pop_front();

        // Outputs.
        expect("answered", rtl_->answered, done.asked);
        if (done.asked)
            expect("value", rtl_->value, done.value);
        check_event();
        queue_.push(done.page, done.fires);
        if (in.take && rtl_->events_valid) {
            queue_.take();
            ++counts.taken;
        }
        expect("fired", rtl_->fired, fired_.front());
        expect("lost", rtl_->lost, lost_.front());
        delay(fired_, unsigned(queue_.fired()));
        delay(lost_, unsigned(queue_.lost()));

        // A request is registered, and compared with the settings of the next cycle.
        slot_ = Slot{};
        if (came_)
            slot_ = Slot{*came_, settings, litemrc::counts(*came_, settings)};
        came_ = in.request;
        rtl_.rising_edge();
        ++counts.clocks;
        return commanded;
    }

    // Drains the queue; then each event was taken or lost.
    void finish() {
        for (long clocks = 0; queue_.front().valid || clocks < 2 * PIPELINE; ++clocks) {
            RefsInputs in;
            in.take = true;
            clock(in);
        }
        settle_accounts();
    }

  private:
    static constexpr int PIPELINE = 9;     // cycles from the slot to the queue, and to an answer
    static constexpr int COUNT_CLOCKS = 2; // from the queue to its counts
    static constexpr int QUEUE_CLOCKS = 5; // at most: from the queue's input to its output, and from one entry to the next

    struct Slot {
        litemrc::RefOp op{};
        litemrc::RefSettings settings{};
        litemrc::fires_t counting = 0;
    };

    struct Step {
        int page = 0, value = 0;
        litemrc::fires_t fires = 0;
        bool asked = false;
    };

    template <typename Value> static void delay(std::deque<Value> &line, Value value) {
        line.push_back(value);
        line.pop_front();
    }

    void expect(const char *what, long seen, long expected) const {
        if (seen != expected)
            throw Mismatch("clock " + std::to_string(counts.clocks) + ": " + what + " " + std::to_string(seen) +
                           ", expected " + std::to_string(expected));
    }

    void check_event() {
        const litemrc::RefEvent front = queue_.front();
        waits_ = front.valid && !rtl_->events_valid ? waits_ + 1 : 0;
        if (waits_ == QUEUE_CLOCKS)
            throw Mismatch("clock " + std::to_string(counts.clocks) + ": an event does not come");
        if (!rtl_->events_valid)
            return;
        expect("event", rtl_->events_valid, int(front.valid));
        expect("page of the event", rtl_->events_page, int(front.page));
        expect("counter of the event", rtl_->events_counter, int(front.counter));
    }

    void drive(const RefsInputs &in) {
        const auto drive_selector = [](const litemrc::RefSelector &from, auto &reads, auto &writes, auto &masters,
                                       auto &contexts, auto &lower, auto &upper) {
            reads = int(from.reads);
            writes = int(from.writes);
            masters = int(from.masters);
            contexts = int(from.contexts);
            lower = int(from.lower);
            upper = int(from.upper);
        };
        Vtop &top = *rtl_.operator->();
        drive_selector(settings.selectors[0], top.selector0_reads, top.selector0_writes, top.selector0_masters,
                       top.selector0_contexts, top.selector0_lower, top.selector0_upper);
        drive_selector(settings.selectors[1], top.selector1_reads, top.selector1_writes, top.selector1_masters,
                       top.selector1_contexts, top.selector1_lower, top.selector1_upper);
        top.initial0 = int(settings.initials[0]);
        top.initial1 = int(settings.initials[1]);
        top.request_valid = in.request.has_value();
        if (in.request) {
            top.request_page = int(in.request->page);
            top.request_write = int(in.request->write);
            top.request_master = int(in.request->master);
            top.request_context = int(in.request->context);
        }
        top.command_valid = in.command.has_value();
        if (in.command) {
            top.command_page = int(in.command->page);
            top.command_counter = int(in.command->counter);
            top.command_load = in.command->kind == litemrc::REF_LOAD;
            top.command_value = int(in.command->value);
        }
        top.reset = in.reset;
        top.events_ready = in.take;
    }

    void cover(const RefsInputs &in, const Step &step, bool reset, bool counted, bool commanded) {
        counts.requests += in.request.has_value();
        counts.counted += counted;
        counts.reads += commanded && in.command->kind == litemrc::REF_READ;
        counts.loads += commanded && in.command->kind == litemrc::REF_LOAD;
        counts.commands_waited += in.command && !commanded;
        counts.resets += reset;
        counts.resets_refused += in.reset && timing_.owes_three();
        counts.both_fired += step.fires == 3;
        const int page = counted || commanded ? step.page : -1;
        for (int distance = 1; distance <= FORWARDED && page >= 0; ++distance) {
            const int other = pages_[FORWARDED - distance];
            counts.same_page[distance] += other == page;
            counts.same_row[distance] += other >= 0 && other != page &&
                                         other / litemrc::ROW_PAGES == page / litemrc::ROW_PAGES;
        }
        pages_.push_back(page);
        pages_.pop_front();
    }

    // Each event was taken, lost or is queued, exactly once.
    void settle_accounts() {
        counts.passes += timing_.passes;
        counts.fired += long(queue_.fired());
        counts.lost += long(queue_.lost());
        while (queue_.front().valid) {
            queue_.take();
            ++counts.left;
        }
        expect("events taken, left and lost", counts.taken + counts.left + counts.lost, counts.fired);
    }

    Rtl rtl_;
    litemrc::RefCounters counters_;
    litemrc::EventQueue queue_{};
    PlainCounters plain_;
    SweepTiming timing_;
    std::optional<litemrc::RefOp> came_;
    Slot slot_;
    std::deque<Step> in_pipeline_;
    std::deque<unsigned> fired_, lost_;
    std::deque<int> pages_;
    int waits_ = 0;
};
