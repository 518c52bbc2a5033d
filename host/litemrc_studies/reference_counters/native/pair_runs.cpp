// SPDX-License-Identifier: BSD-2-Clause
#include "pair_runs.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {

// State of a pair while it is built, in two passes: the first counts its runs, the second fills them in.
struct Progress {
    uint32_t own_writes = 0, seen = 0; // writes; those of others, when the pair last did something
    bool begun = false, reading = false;
};

// Calls open(pair, updates) where a run begins and count(pair, write) for each reference, and at the end open for what
// arrives after the pair's last reference.
template <typename Open, typename Count>
void walk(const uint32_t *pages, const uint16_t *processors, const uint8_t *writes, size_t references,
          uint32_t page_count, uint32_t processor_count, Open open, Count count) {
    std::vector<Progress> pairs(size_t(page_count) * processor_count);
    std::vector<uint32_t> page_writes(page_count);
    for (size_t i = 0; i < references; ++i) {
        const size_t index = size_t(pages[i]) * processor_count + processors[i];
        Progress &pair = pairs[index];
        uint32_t &written = page_writes[pages[i]];
        const uint32_t foreign = written - pair.own_writes;
        // Before its first reference a processor has no copy, which would be updated.
        const uint32_t updates = pair.begun ? foreign - pair.seen : 0;
        if (!pair.begun || updates || (writes[i] && pair.reading))
            open(index, updates);
        pair.begun = true;
        pair.seen = foreign;
        pair.reading = !writes[i];
        count(index, writes[i]);
        pair.own_writes += writes[i];
        written += writes[i];
    }
    for (size_t index = 0; index < pairs.size(); ++index) {
        const Progress &pair = pairs[index];
        const uint32_t updates = page_writes[index / processor_count] - pair.own_writes - pair.seen;
        if (pair.begun && updates)
            open(index, updates);
    }
}

} // namespace

PairRuns::PairRuns(const uint32_t *pages, const uint16_t *processors, const uint8_t *writes, size_t count,
                   uint32_t page_count, uint32_t processor_count, uint32_t home) {
    std::vector<size_t> ends(size_t(page_count) * processor_count);
    walk(
        pages, processors, writes, count, page_count, processor_count,
        [&](size_t index, uint32_t) { ++ends[index]; }, [](size_t, bool) {});
    std::vector<uint32_t> homes(page_count, home);
    for (size_t i = 0; i < count; ++i)
        if (homes[pages[i]] == FIRST_TOUCH)
            homes[pages[i]] = processors[i];
    size_t total = 0;
    for (size_t index = 0; index < ends.size(); ++index) {
        if (ends[index])
            pairs_.push_back(
                {total, total + ends[index], homes[index / processor_count] == index % processor_count});
        total += ends[index];
        ends[index] = total - ends[index]; // where the pair's next run goes
    }
    runs_.resize(total);
    walk(
        pages, processors, writes, count, page_count, processor_count,
        [&](size_t index, uint32_t updates) { runs_[ends[index]++] = {updates, 0, 0}; },
        [&](size_t index, bool write) {
            Run &run = runs_[ends[index] - 1];
            ++(write ? run.writes : run.reads);
        });
}

NumaCounts PairRuns::fixed(const NumaCosts &costs, uint32_t delay, uint32_t update) const {
    NumaCounts counts;
    for (const Pair &pair : pairs_) {
        if (pair.home)
            at_home(pair, costs, counts);
        else
            away(pair, costs, delay, update, counts);
    }
    return counts;
}

void PairRuns::at_home(const Pair &pair, const NumaCosts &costs, NumaCounts &counts) const {
    for (size_t at = pair.begin; at < pair.end; ++at) {
        counts.local_reads += runs_[at].reads;
        counts.local_writes += runs_[at].writes;
        counts.cycles += (uint64_t(runs_[at].reads) + runs_[at].writes) * costs.local_access;
    }
}

void PairRuns::away(const Pair &pair, const NumaCosts &costs, uint32_t delay, uint32_t update,
                    NumaCounts &counts) const {
    bool copy = false;
    uint32_t left = delay, updates_left = 0;
    uint64_t used = 0; // the copy, since UPDATE was armed
    for (size_t at = pair.begin; at < pair.end; ++at) {
        const Run &run = runs_[at];
        uint32_t updates = copy ? run.updates : 0;
        while (updates) {
            const uint32_t taken = update ? std::min(updates, updates_left) : updates;
            counts.updates_sent += taken;
            counts.cycles += taken * costs.update;
            updates -= taken;
            updates_left -= taken;
            if (!update || updates_left)
                break;
            ++counts.interrupts;
            counts.cycles += costs.page_fault;
            if (update > used) {
                ++counts.invalidations;
                copy = false;
                left = delay;
                break;
            }
            updates_left = update;
            used = 0;
        }
        if (copy) {
            counts.local_writes += run.writes;
            counts.updates_sent += run.writes; // to the home
            counts.cycles += run.writes * (costs.local_access + costs.update);
            used += run.writes;
        } else {
            counts.remote_writes += run.writes;
            counts.cycles += run.writes * costs.remote_write;
        }
        uint32_t reads = run.reads;
        if (!copy && reads) {
            const uint32_t remote = !delay || reads < left ? reads : left - 1;
            counts.remote_reads += remote;
            counts.cycles += remote * costs.remote_read;
            reads -= remote;
            left -= delay ? remote : 0;
            if (reads) {
                ++counts.replications;
                counts.cycles += costs.replication;
                copy = true;
                updates_left = update;
                used = 0;
            }
        }
        counts.local_reads += reads;
        counts.cycles += reads * costs.local_access;
        used += reads;
    }
}

uint64_t PairRuns::optimum(const NumaCosts &costs) const {
    uint64_t cycles = 0;
    for (const Pair &pair : pairs_) {
        uint64_t without = 0, with = pair.home ? 0 : costs.replication;
        for (size_t at = pair.begin; at < pair.end; ++at) {
            const Run &run = runs_[at];
            const uint64_t writes = run.writes, reads = run.reads;
            if (pair.home) {
                with += (writes + reads) * costs.local_access;
                continue;
            }
            // A copy that is dropped is dropped before the updates it would only cost, and one that is made is made
            // before a read; in between the state with a copy costs no less than that without.
            without = std::min(without, with);
            with += run.updates * costs.update + writes * (costs.local_access + costs.update);
            without += writes * costs.remote_write;
            without = std::min(without, with);
            with = std::min(with, without + costs.replication) + reads * costs.local_access;
            without += reads * costs.remote_read;
        }
        cycles += pair.home ? with : std::min(without, with);
    }
    return cycles;
}

} // namespace litemrc_native
