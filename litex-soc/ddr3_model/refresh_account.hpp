// SPDX-License-Identifier: BSD-2-Clause
// The refreshes that a rank owes (JESD79-3F, refresh command and self-refresh operation).
#pragma once

#include "jedec/timing.hpp"
#include "state.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace ddr3 {

// One refresh is due each tREFI; 8 may be postponed, 8 pulled in. Self-refresh does not change the account, but requires
// one extra refresh after its exit, which does not count in the account.
class RefreshAccount {
  public:
    static constexpr int POSTPONED = 8, PULLED_IN = 8, BURST_REFRESHES = 16;
    static constexpr Clock NEVER = std::numeric_limits<Clock>::max();

    explicit RefreshAccount(const Timing &timing) : tREFI_fs_(timing.tREFI_fs), tCK_fs_(timing.tCK_fs) {
        recent_.fill(std::numeric_limits<Clock>::min() / 2);
    }

    // The rank holds data from now on; no effect on a running account.
    void start(Clock t) {
        if (!running_)
            restart(t);
    }

    void stop() {
        running_ = false;
        deadline_ = NEVER;
    }

    void restart(Clock t) {
        running_ = true;
        base_ = t;
        done_ = 0;
        extra_owed_ = false;
        update();
    }

    // A REF; returns whether it was the 17th within 2 tREFI.
    bool refresh(Clock t) {
        const bool burst = t - recent_[next_] < intervals(2);
        recent_[next_] = t;
        next_ = (next_ + 1) % BURST_REFRESHES;
        if (!running_) { // the first one starts the account
            restart(t);
            return burst;
        }
        if (extra_owed_) {
            extra_owed_ = false;
            return burst;
        }
        const std::int64_t due = std::int64_t(double(t - base_) * double(tCK_fs_) / double(tREFI_fs_));
        done_ = std::min(done_ + 1, due + PULLED_IN); // more cannot be pulled in
        update();
        return burst;
    }

    void enter_self_refresh(Clock t) {
        entered_ = t;
        deadline_ = NEVER;
    }

    void exit_self_refresh(Clock t) {
        extra_owed_ = true;
        if (!running_)
            return;
        base_ += t - entered_;
        update();
    }

    // The last cycle in which the refresh that can no longer be postponed may come.
    Clock deadline() const { return deadline_; }
    bool extra_owed() const { return extra_owed_; }
    Clock intervals(int n) const { return Clock(double(n) * double(tREFI_fs_) / double(tCK_fs_)); }

    void transfer(State &state) {
        state(running_, extra_owed_, base_, entered_, deadline_, done_, recent_, next_);
    }

  private:
    void update() {
        deadline_ = base_ + Clock(double(done_ + POSTPONED + 1) * double(tREFI_fs_) / double(tCK_fs_));
    }

    std::int64_t tREFI_fs_, tCK_fs_;
    bool running_ = false, extra_owed_ = false;
    Clock base_ = 0, entered_ = 0, deadline_ = NEVER;
    std::int64_t done_ = 0;
    std::array<Clock, BURST_REFRESHES> recent_{};
    std::size_t next_ = 0;
};

} // namespace ddr3
