#include "rank_visits.hpp"

#include <algorithm>

namespace litemrc_native {

RankVisits::RankVisits(uint32_t ranks, const RankTiming &timing, bool interleaved)
    : ranks_(ranks), timing_(timing), interleaved_(interleaved), state_(ranks) {}

void RankVisits::visit(uint64_t gap, uint64_t busy, uint32_t rank, uint32_t reads, uint32_t writes) {
    now_ += gap;
    if (!interleaved_) {
        const uint64_t exit = wake(rank), begun = now_ + exit;
        spread(rank, &RankCounts::precharge_standby, now_, begun);
        serve(rank, begun, busy, reads, writes);
        now_ = begun + busy;
        return;
    }
    const uint32_t lines = reads + writes, concerned = std::min(lines, ranks_);
    uint64_t exit = 0;
    for (uint32_t number = 0; number < concerned; number++)
        exit = std::max(exit, wake((rank + number) % ranks_));
    const uint64_t begun = now_ + exit;
    // Of lines 0 to n - 1, those of the rank at this distance from the first.
    const auto share = [this](uint32_t n, uint32_t distance) { return (n + ranks_ - 1 - distance) / ranks_; };
    for (uint32_t number = 0; number < concerned; number++) {
        const uint32_t each = (rank + number) % ranks_;
        const uint32_t read = share(reads, number);
        spread(each, &RankCounts::precharge_standby, now_, begun);
        serve(each, begun, busy, read, share(lines, number) - read);
    }
    now_ = begun + busy;
}

void RankVisits::finish() {
    for (uint32_t rank = 0; rank < ranks_; rank++)
        settle(rank);
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

void RankVisits::settle(uint32_t rank) {
    State &state = state_[rank];
    const uint64_t since = state.idle_since, settled = state.settled;
    const uint64_t down = since + timing_.power_down_after, deep = since + timing_.self_refresh_after;
    const auto count = [&](uint64_t RankCounts::*counter, uint64_t begin, uint64_t end) {
        spread(rank, counter, std::max(begin, settled), std::min(end, now_));
    };
    count(&RankCounts::precharge_standby, since, std::min(down, deep));
    count(&RankCounts::power_down, down, deep);
    count(&RankCounts::self_refresh, deep, now_);
    if (down < deep && settled <= down && down < now_)
        at(down, rank).entered_power_down++;
    if (settled <= deep && deep < now_)
        at(deep, rank).entered_self_refresh++;
    state.settled = std::max(settled, now_);
}

uint64_t RankVisits::wake(uint32_t rank) {
    settle(rank);
    const uint64_t idle = now_ - state_[rank].idle_since;
    const bool deep = idle >= timing_.self_refresh_after;
    if (!deep && idle < timing_.power_down_after)
        return 0;
    const uint64_t exit = deep ? timing_.self_refresh_exit : timing_.power_down_exit;
    RankCounts &counts = at(now_, rank);
    counts.wake_ups++;
    counts.waking += exit;
    return exit;
}

void RankVisits::serve(uint32_t rank, uint64_t begun, uint64_t busy, uint32_t reads, uint32_t writes) {
    spread(rank, &RankCounts::active_standby, begun, begun + busy);
    RankCounts &counts = at(begun, rank);
    counts.reads += reads;
    counts.writes += writes;
    counts.activates++;
    state_[rank] = {begun + busy, begun + busy};
}

} // namespace litemrc_native
