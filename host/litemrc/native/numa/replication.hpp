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
    static constexpr uint32_t LONGEST = 4095; // of counters of 12 bits

    struct Pair {
        int64_t benefit = 0; // of the copy, in cycles
        uint32_t delay = 0;  // after which it was made
        uint32_t update = 0; // initial value of its counter
    };

    SelfTuned(const NumaCosts &costs, uint32_t processors)
        : gain_(int64_t(costs.remote_read) - int64_t(costs.local_access)), update_(int64_t(costs.update)),
          interrupt_(int64_t(costs.page_fault)), asking_(int64_t(costs.remote_read)),
          replication_(int64_t(costs.replication)), least_(limited((replication_ + gain_ - 1) / gain_)),
          patience_(limited(replication_ / update_)), nodes_(processors, Node{limited(2 * least_), 0}) {}

    uint32_t first_delay(uint32_t processor) const { return uint32_t(nodes_[processor].delay); }

    DelayAnswer on_delay(Pair &pair, uint32_t processor, uint64_t reads, uint64_t writes) {
        if (gain_ * int64_t(reads) <= update_ * int64_t(writes)) {
            learn(processor, interrupt_ + asking_);
            return {false, uint32_t(limited(2 * int64_t(reads))), 1};
        }
        learn(processor, -gain_ * (std::max(int64_t(reads), least_) - least_) / 2);
        pair = {-replication_, uint32_t(reads), uint32_t(patience_)};
        return {true, pair.update, 1};
    }

    UpdateAnswer on_update(Pair &pair, uint32_t processor, uint64_t updates, uint64_t reads, uint64_t) {
        const int64_t saved = gain_ * int64_t(reads) - update_ * int64_t(updates);
        pair.benefit += saved - interrupt_;
        if (saved >= 0) {
            pair.update = uint32_t(std::min(limited(2 * int64_t(pair.update)), limited(4 * patience_)));
            return {false, pair.update};
        }
        if (pair.benefit >= 0)
            return {true, pair.delay};
        learn(processor, -pair.benefit);
        return {true, uint32_t(limited(2 * int64_t(pair.delay)))};
    }

  private:
    struct Node {
        int64_t delay;  // of pages new to the processor
        int64_t regret; // cycles that a longer one would have saved, less those that a shorter one would have
    };

    static int64_t limited(int64_t value) { return std::clamp(value, int64_t(1), int64_t(LONGEST)); }

    void learn(uint32_t processor, int64_t regret) {
        Node &node = nodes_[processor];
        node.regret += regret;
        if (node.regret > 2 * replication_)
            node = {limited(node.delay + (node.delay + 1) / 2), 0};
        else if (node.regret < -2 * replication_)
            node = {std::max(least_, node.delay * 2 / 3), 0};
    }

    int64_t gain_, update_, interrupt_, asking_, replication_;
    int64_t least_;    // reads whose cost is a replication's
    int64_t patience_; // updates whose cost is a replication's
    std::vector<Node> nodes_;
};

} // namespace litemrc_native
