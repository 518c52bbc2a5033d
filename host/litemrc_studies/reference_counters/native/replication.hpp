// SPDX-License-Identifier: BSD-2-Clause
// Replication and dropping of pages with fixed counters; the model is litemrc_studies.reference_counters.policies.
//
// A policy is asked with the window of the processor at which a counter has reached 0, and the number of the page.
// The window has the policy's state of each page there, and the counters: state(page), local_reads(page),
// raise_delays(value), processor.
#pragma once

#include "costs.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace litemrc_native {

// `value`: for UPDATE of the copy made, or for DELAY armed again. `asks`: how often the home was asked for its count.
struct DelayAnswer {
    bool replicate;
    uint32_t value;
    uint32_t asks;
};
// `value`: for DELAY of a page dropped, or for UPDATE armed again.
struct UpdateAnswer {
    bool drop;
    uint32_t value;
};

// The paper's: both initial values are those of the whole run.
struct FixedCounters {
    struct Pair {};

    uint32_t delay, update;

    uint32_t first_delay(uint32_t) const { return delay; }
    template <typename Window> DelayAnswer on_delay(Window, uint32_t, uint64_t, uint64_t) const {
        return {true, update, 0};
    }
    template <typename Window>
    UpdateAnswer on_update(Window, uint32_t, uint64_t updates, uint64_t reads, uint64_t writes) const {
        return updates > reads + writes ? UpdateAnswer{true, delay} : UpdateAnswer{false, update};
    }
};

// Self-tuned replication: derives the initial values of the reference counters; the model is litemrc_studies.reference_counters.policies.
struct SelfTuned {
    struct Pair {
        int64_t reads = 0;        // remote ones, in the runs of DELAY that led to no copy
        int64_t copied_reads = 0; // of the copy, before UPDATE was last armed
        int64_t benefit = 0;      // of the copy, in cycles
        uint32_t delay = 0;       // reads after which it was made
        uint32_t update = 0;      // initial value of its counter
        uint32_t first_update = 0;    // the first one, of the next copy; 0: no copy yet
        bool proven = false;      // the last copy was worth more than it cost
        bool asked = false;       // a request to the home led to no copy
        bool early = false;       // its copy was made before `least` reads
        bool on_trial = false;    // its copy is one by which optimism is judged
    };

    SelfTuned(const NumaCosts &costs, uint32_t processors)
        : gain_(int64_t(costs.remote_read) - int64_t(costs.local_access)), update_(int64_t(costs.update)),
          interrupt_(int64_t(costs.page_fault)), asking_(int64_t(costs.remote_read)),
          replication_(int64_t(costs.replication)), least_(limited((replication_ + gain_ - 1) / gain_)),
          first_update_(limited(replication_ / update_)), retry_(32 * (interrupt_ + asking_) / asking_),
          nodes_(processors, Node{std::max(least_ / OPTIMISM, int64_t(1)), PURSE * replication_, {}, 0}) {}

    uint32_t first_delay(uint32_t processor) const { return uint32_t(nodes_[processor].delay); }

    template <typename Window>
    DelayAnswer on_delay(Window window, uint32_t number, uint64_t reads, uint64_t writes) {
        Node &node = nodes_[window.processor];
        Pair &page = window.state(number);
        page.reads += int64_t(reads);
        judge(node, window);
        if (!page.proven && gain_ * int64_t(reads) <= update_ * int64_t(writes)) {
            if (!page.asked) {
                learn(node, interrupt_ + asking_);
                earn(node, -interrupt_ - asking_, window);
            }
            page.asked = true;
            page.reads = 0;
            return {false, uint32_t(limited(std::min(2 * int64_t(reads), std::max(least_, retry_)))), 1};
        }
        page.early = page.reads < least_;
        const bool trial = page.early && !page.proven;
        if (trial && !hopes(node))
            return {false, uint32_t(node.delay - page.reads), 0}; // armed when there was hope
        page.on_trial = trial;
        if (trial)
            node.trials.push_back(number);
        else if (!page.proven)
            learn(node, -(gain_ * (page.reads - least_) / 2));
        if (!page.first_update)
            page.first_update = uint32_t(first_update_);
        page.benefit = -replication_;
        page.delay = uint32_t(page.reads);
        page.update = page.first_update;
        page.reads = page.copied_reads = 0;
        return {true, page.update, 1};
    }

    template <typename Window>
    UpdateAnswer on_update(Window window, uint32_t number, uint64_t updates, uint64_t reads, uint64_t) {
        Node &node = nodes_[window.processor];
        Pair &page = window.state(number);
        const int64_t saved = gain_ * int64_t(reads) - update_ * int64_t(updates);
        page.benefit += saved - interrupt_;
        page.copied_reads += int64_t(reads);
        if (saved >= 0) {
            page.update = uint32_t(std::min(limited(2 * int64_t(page.update)), limited(4 * first_update_)));
            return {false, page.update};
        }
        page.first_update = std::max(page.first_update / 2, uint32_t(std::min(first_update_, LEAST_UPDATE)));
        page.proven = page.benefit >= 0;
        if (page.on_trial) {
            page.on_trial = false;
            earn(node, page.benefit, window);
        }
        if (page.proven)
            return {true, uint32_t(limited(page.delay / 4))};
        if (!page.early)
            learn(node, -page.benefit);
        return {true, uint32_t(limited(2 * std::max(int64_t(page.delay), least_)))};
    }

  private:
    static constexpr int64_t LONGEST = 4095; // of counters of 12 bits
    static constexpr int64_t LEAST_UPDATE = 32;
    static constexpr int64_t OPTIMISM = 8;
    static constexpr int64_t PURSE = 4; // replications

    struct Node {
        int64_t delay;               // of pages new to the processor
        int64_t purse;               // cycles that early copies may still lose
        std::deque<uint32_t> trials; // pages copied early, of which it is not known yet whether that pays
        int64_t regret; // cycles that a longer delay would have saved, less those that a shorter one would have
    };

    static int64_t limited(int64_t value) { return std::clamp(value, int64_t(1), LONGEST); }

    bool hopes(const Node &node) const { return node.delay < least_; }

    template <typename Window> void judge(Node &node, Window window) {
        while (node.trials.size() > 1) {
            const uint32_t number = node.trials.front();
            node.trials.pop_front();
            Pair &page = window.state(number);
            if (!page.on_trial)
                continue;
            page.on_trial = false;
            const int64_t reads = page.copied_reads + int64_t(window.local_reads(number));
            earn(node, 2 * gain_ * reads - replication_, window);
        }
    }

    template <typename Window> void earn(Node &node, int64_t cycles, Window window) {
        if (!hopes(node))
            return;
        node.purse = std::min(node.purse + cycles, PURSE * replication_);
        if (node.purse < 0) {
            node.delay = limited(2 * least_);
            window.raise_delays(uint32_t(node.delay));
        }
    }

    void learn(Node &node, int64_t regret) {
        if (hopes(node))
            return;
        node.regret += regret;
        if (node.regret > 2 * replication_) {
            node.delay = limited(node.delay + (node.delay + 1) / 2);
            node.regret = 0;
        } else if (node.regret < -2 * replication_) {
            node.delay = std::max(least_, node.delay * 2 / 3);
            node.regret = 0;
        }
    }

    int64_t gain_, update_, interrupt_, asking_, replication_;
    int64_t least_;    // reads whose cost is a replication's
    int64_t first_update_; // updates whose cost is a replication's
    int64_t retry_;    // reads that cost 32 times a request without a copy
    std::vector<Node> nodes_;
};

} // namespace litemrc_native
