// SHARDS with a fixed sampling rate: the exact engine over the sampled pages' accesses (Waldspurger et al., FAST 2015,
// section 3.1).
#pragma once

#include "exact_stack.hpp"
#include "spatial_sample.hpp"

#include <algorithm>

namespace litemrc_native {

class ShardsFixedRate {
  public:
    explicit ShardsFixedRate(double rate) : threshold_(sampling_threshold(rate)) {}

    // Throws as ExactStack::access.
    void access(const uint64_t *pages, size_t count) {
        uint64_t sampled[BATCH];
        accesses_ += count;
        while (count) {
            const size_t batch = std::min(count, BATCH);
            stack_.access(sampled, select_sampled(pages, batch, threshold_, sampled));
            pages += batch;
            count -= batch;
        }
    }

    uint64_t accesses() const { return accesses_; }
    const ExactStack &stack() const { return stack_; } // of the sampled accesses

  private:
    static constexpr size_t BATCH = 2048;

    uint64_t threshold_;
    uint64_t accesses_ = 0;
    ExactStack stack_;
};

} // namespace litemrc_native
