// When pages are replicated and copies dropped; the model is litemrc.policies.replication.
#pragma once

#include "costs.hpp"

#include <algorithm>
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
    DelayAnswer on_delay(Pair &, uint32_t, uint64_t, uint64_t) const { return {true, update, 0}; }
    UpdateAnswer on_update(Pair &, uint32_t, uint64_t updates, uint64_t reads, uint64_t writes) const {
        return updates > reads + writes ? UpdateAnswer{true, delay} : UpdateAnswer{false, update};
    }
};

// Ours: initial values that follow from costs and from what became of earlier copies.
struct SelfTuned {
    struct Pair {
        int64_t benefit = 0;   // of the copy, in cycles
        uint32_t delay = 0;    // after which it was made
        uint32_t update = 0;   // initial value of its counter
        uint32_t patience = 0; // the first one, of the next copy; 0: no copy yet
        bool proven = false;   // the last copy was worth more than it cost
        bool asked = false;    // its home has been asked in vain
    };

    SelfTuned(const NumaCosts &costs, uint32_t processors)
        : gain_(int64_t(costs.remote_read) - int64_t(costs.local_access)), update_(int64_t(costs.update)),
          interrupt_(int64_t(costs.page_fault)), asking_(int64_t(costs.remote_read)),
          replication_(int64_t(costs.replication)), least_(limited((replication_ + gain_ - 1) / gain_)),
          patience_(limited(replication_ / update_)), retry_(32 * (interrupt_ + asking_) / asking_),
          nodes_(processors, Node{limited(2 * least_), 0}) {}

    uint32_t first_delay(uint32_t processor) const { return uint32_t(nodes_[processor].delay); }

    DelayAnswer on_delay(Pair &pair, uint32_t processor, uint64_t reads, uint64_t writes) {
        Node &node = nodes_[processor];
        if (gain_ * int64_t(reads) <= update_ * int64_t(writes)) {
            if (!pair.asked)
                learn(node, interrupt_ + asking_);
            pair.asked = true;
            return {false, uint32_t(limited(std::min(2 * int64_t(reads), std::max(least_, retry_)))), 1};
        }
        if (!pair.proven)
            learn(node, -gain_ * (std::max(int64_t(reads), least_) - least_) / 2);
        if (!pair.patience)
            pair.patience = uint32_t(patience_);
        pair.benefit = -replication_;
        pair.delay = uint32_t(reads);
        pair.update = pair.patience;
        return {true, pair.update, 1};
    }

    UpdateAnswer on_update(Pair &pair, uint32_t processor, uint64_t updates, uint64_t reads, uint64_t) {
        const int64_t saved = gain_ * int64_t(reads) - update_ * int64_t(updates);
        pair.benefit += saved - interrupt_;
        if (saved >= 0) {
            pair.update = uint32_t(std::min(limited(2 * int64_t(pair.update)), limited(4 * patience_)));
            return {false, pair.update};
        }
        pair.patience = std::max(pair.patience / 2, uint32_t(std::min(patience_, LEAST_UPDATE)));
        pair.proven = pair.benefit >= 0;
        if (pair.proven)
            return {true, uint32_t(limited(pair.delay / 4))};
        learn(nodes_[processor], -pair.benefit);
        return {true, uint32_t(limited(2 * std::max(int64_t(pair.delay), least_)))};
    }

  private:
    static constexpr int64_t LONGEST = 4095; // of counters of 12 bits
    static constexpr int64_t LEAST_UPDATE = 32;

    struct Node {
        int64_t delay;  // of pages new to the processor
        int64_t regret; // cycles that a longer one would have saved, less those that a shorter one would have
    };

    static int64_t limited(int64_t value) { return std::clamp(value, int64_t(1), LONGEST); }

    void learn(Node &node, int64_t regret) {
        node.regret += regret;
        if (node.regret > 2 * replication_)
            node = {limited(node.delay + (node.delay + 1) / 2), 0};
        else if (node.regret < -2 * replication_)
            node = {std::max(least_, node.delay * 2 / 3), 0};
    }

    int64_t gain_, update_, interrupt_, asking_, replication_;
    int64_t least_;    // reads whose cost is a replication's
    int64_t patience_; // updates whose cost is a replication's
    int64_t retry_;    // reads whose cost is 32 times that of asking in vain
    std::vector<Node> nodes_;
};

} // namespace litemrc_native
