// SPDX-License-Identifier: BSD-2-Clause
#include "rank_visits.hpp"

#include <algorithm>

namespace litemrc_native {

RankVisits::RankVisits(uint32_t ranks, const RankTiming &timing, bool interleaved, const Background &background)
    : ranks_(ranks), timing_(timing), interleaved_(interleaved), background_(background), random_(background.seed),
      state_(ranks) {
    draw_next(0);
}

void RankVisits::visit(uint64_t gap, uint64_t busy, uint32_t rank, uint32_t reads, uint32_t writes) {
    now_ += gap;
    serve_others();
    if (!interleaved_) {
        const uint64_t begun = now_ + wake(rank, now_);
        serve(rank, begun, busy, reads, writes);
        now_ = begun + busy;
        return;
    }
    const uint32_t lines = reads + writes, concerned = std::min(lines, ranks_);
    uint64_t exit = 0;
    for (uint32_t number = 0; number < concerned; number++)
        exit = std::max(exit, wake((rank + number) % ranks_, now_));
    const uint64_t begun = now_ + exit;
    // Of lines 0 to n - 1, those of the rank at this distance from the first.
    const auto share = [this](uint32_t n, uint32_t distance) { return (n + ranks_ - 1 - distance) / ranks_; };
    for (uint32_t number = 0; number < concerned; number++) {
        const uint32_t each = (rank + number) % ranks_;
        const uint32_t read = share(reads, number);
        serve(each, begun, busy, read, share(lines, number) - read);
    }
    now_ = begun + busy;
}

void RankVisits::finish() {
    serve_others();
    for (const State &state : state_)
        now_ = std::max(now_, state.idle_since);
    for (uint32_t rank = 0; rank < ranks_; rank++)
        settle(rank, now_);
}

RankCounts &RankVisits::at(uint64_t clock, uint32_t rank) {
    const size_t sample = clock / timing_.sample;
    if (counts_.size() <= sample * ranks_ + rank)
        counts_.resize((sample + 1) * ranks_);
    return counts_[sample * ranks_ + rank];
}

void RankVisits::spread(uint32_t rank, uint64_t RankCounts::*state, uint64_t begin, uint64_t end) {
    while (begin < end) {
        const uint64_t until = std::min(end, (begin / timing_.sample + 1) * timing_.sample);
        at(begin, rank).*state += until - begin;
        begin = until;
    }
}

void RankVisits::settle(uint32_t rank, uint64_t now) {
    State &state = state_[rank];
    const uint64_t since = state.idle_since, settled = state.settled;
    const uint64_t down = since + timing_.power_down_after, deep = since + timing_.self_refresh_after;
    const auto count = [&](uint64_t RankCounts::*counter, uint64_t begin, uint64_t end) {
        spread(rank, counter, std::max(begin, settled), std::min(end, now));
    };
    count(&RankCounts::precharge_standby, since, std::min(down, deep));
    count(&RankCounts::power_down, down, deep);
    count(&RankCounts::self_refresh, deep, now);
    if (down < deep && settled <= down && down < now)
        at(down, rank).entered_power_down++;
    if (settled <= deep && deep < now)
        at(deep, rank).entered_self_refresh++;
    state.settled = std::max(settled, now);
}

uint64_t RankVisits::wake(uint32_t rank, uint64_t now) {
    settle(rank, now);
    if (now < state_[rank].idle_since) // it serves an access
        return 0;
    const uint64_t idle = now - state_[rank].idle_since;
    const bool deep = idle >= timing_.self_refresh_after;
    if (!deep && idle < timing_.power_down_after)
        return 0;
    const uint64_t exit = deep ? timing_.self_refresh_exit : timing_.power_down_exit;
    RankCounts &counts = at(now, rank);
    counts.wake_ups++;
    counts.waking += exit;
    return exit;
}

void RankVisits::serve(uint32_t rank, uint64_t begun, uint64_t busy, uint32_t reads, uint32_t writes) {
    State &state = state_[rank];
    const uint64_t end = std::max(state.settled, begun + busy);
    spread(rank, &RankCounts::precharge_standby, state.settled, begun);
    spread(rank, &RankCounts::active_standby, std::max(state.settled, begun), end);
    RankCounts &counts = at(begun, rank);
    counts.reads += reads;
    counts.writes += writes;
    counts.activates++;
    state = {end, end};
}

void RankVisits::draw_next(uint64_t now) {
    if (!background_.gap)
        return;
    random_ += 0x9E3779B97F4A7C15u;
    uint64_t mixed = (random_ ^ random_ >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    mixed ^= mixed >> 31;
    next_ = now + 1 + (mixed & UINT32_MAX) % (2 * background_.gap - 1);
    next_rank_ = static_cast<uint32_t>((mixed >> 32) % ranks_);
}

void RankVisits::serve_others() {
    while (next_ <= now_) {
        const uint64_t begun = next_ + wake(next_rank_, next_);
        serve(next_rank_, begun, background_.busy, 1, 0);
        draw_next(next_);
    }
}

} // namespace litemrc_native
