// SPDX-License-Identifier: BSD-2-Clause
// Counts of the corner cases of bucket_stack in a run, so that tests can check that they occurred.
#pragma once

#include "engine.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <ostream>

#ifdef LITEMRC_ENGINE_BUCKET

// Called for every operation that the RTL takes, before and after the C++ unit executes it.
class Coverage {
  public:
    // All pages are invalid.
    void reset() { std::fill_n(claimed_, litemrc::FRAMES, UNCLAIMED); }

    void before(const Engine &unit, const litemrc::Op &op, std::uint64_t clock) {
        last_ = Taken{op, clock, op.kind == litemrc::OP_ACCESS ? int(unit.bucket(op.frame)) : 0};
    }

    void after(const Engine &unit) {
        const bool renumbered = unit.renumberings() != renumberings_;
        const bool closed = unit.ids() > ids_ && !renumbered && last_.op.kind == litemrc::OP_ACCESS;
        const bool moved = last_.bucket != 0 && int(unit.bucket(last_.op.frame)) != last_.bucket;
        if (follows()) {
            const Taken &previous = taken_.front();
            same_page_ += on_page(previous.op) && on_page(last_.op) && previous.op.frame == last_.op.frame;
            same_bucket_ += moved && previous_moved_ && previous.bucket == last_.bucket;
        }
        // Consecutive operations without a gap: the id closes while three more are in flight.
        closed_clocks_ago_ = closed ? 0 : closed_clocks_ago_ < 0 || !follows() ? -1 : closed_clocks_ago_ + 1;
        closed_in_flight_ += closed_clocks_ago_ == 3;
        // The first operation after a renumbering waited while the unit renumbered.
        waited_other_context_ += renumbered_ && last_.op.context != taken_.front().op.context;
        waited_epoch_end_ += renumbered_ && last_.op.epoch_end != 0;
        if (last_.op.kind == litemrc::OP_ACCESS && last_.bucket == 0 && claimed_[last_.op.frame] != UNCLAIMED)
            claim_over_renumberings_ += unit.renumberings() - claimed_[last_.op.frame] >= 2;
        if (last_.op.kind == litemrc::OP_CLEAR)
            reset();
        else if (on_page(last_.op))
            claimed_[last_.op.frame] = litemrc::is_claim(last_.op) ? unit.renumberings() : UNCLAIMED;
        taken_.push_front(last_);
        if (renumbered) {
            bool invalidates = false, ends = false;
            for (std::size_t n = 0; n < taken_.size() && n < 4; ++n) {
                invalidates |= taken_[n].op.kind == litemrc::OP_INVALIDATE;
                ends |= taken_[n].op.epoch_end != 0;
            }
            invalidation_before_renumbering_ += invalidates;
            epoch_end_before_renumbering_ += ends;
        }
        if (taken_.size() > 8)
            taken_.pop_back();
        previous_moved_ = moved;
        renumbered_ = renumbered;
        renumberings_ = unit.renumberings();
        ids_ = unit.ids();
    }

    void report(std::ostream &out) const {
        out << "covers_same_page_next_clock " << same_page_ << "\ncovers_same_closed_bucket_next_clock " << same_bucket_
            << "\ncovers_bucket_closes_with_three_in_flight " << closed_in_flight_
            << "\ncovers_invalidation_in_flight_at_renumbering " << invalidation_before_renumbering_
            << "\ncovers_epoch_end_in_flight_at_renumbering " << epoch_end_before_renumbering_
            << "\ncovers_access_of_page_claimed_two_renumberings_before " << claim_over_renumberings_
            << "\ncovers_other_context_waits_for_renumbering " << waited_other_context_
            << "\ncovers_epoch_end_waits_for_renumbering " << waited_epoch_end_ << "\n";
    }

  private:
    struct Taken {
        litemrc::Op op;
        std::uint64_t clock;
        int bucket; // of an accessed page, before: 0 if it was invalid
    };

    static bool on_page(const litemrc::Op &op) {
        return op.kind == litemrc::OP_ACCESS || op.kind == litemrc::OP_INVALIDATE;
    }
    bool follows() const { return !taken_.empty() && taken_.front().clock + 1 == last_.clock; }

    static constexpr unsigned UNCLAIMED = ~0u;

    Taken last_{};
    unsigned claimed_[litemrc::FRAMES]; // renumberings before the page's claim
    std::deque<Taken> taken_; // latest first
    bool previous_moved_ = false, renumbered_ = false;
    int closed_clocks_ago_ = -1;
    unsigned renumberings_ = 0, ids_ = 0;
    std::uint64_t same_page_ = 0, same_bucket_ = 0, closed_in_flight_ = 0, invalidation_before_renumbering_ = 0,
                  epoch_end_before_renumbering_ = 0, claim_over_renumberings_ = 0,
                  waited_other_context_ = 0, waited_epoch_end_ = 0;
};

#else

class Coverage {
  public:
    void reset() {}
    void before(const Engine &, const litemrc::Op &, std::uint64_t) {}
    void after(const Engine &) {}
    void report(std::ostream &) const {}
};

#endif
