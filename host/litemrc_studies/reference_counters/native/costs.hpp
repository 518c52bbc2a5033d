// SPDX-License-Identifier: BSD-2-Clause
// Costs of accesses in cycles, and the counts of a run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace litemrc_native {

struct NumaCosts {
    uint64_t local_access, remote_read, remote_write, update, page_fault;
    uint64_t replication; // of a page: page fault and transfer
};

// The order of the attributes is that of litemrc_studies.reference_counters.golden.Counts.
struct NumaCounts {
    uint64_t cycles = 0;
    uint64_t local_reads = 0, remote_reads = 0, local_writes = 0, remote_writes = 0;
    uint64_t replications = 0;
    uint64_t invalidations = 0; // copies dropped
    uint64_t updates_sent = 0;
    uint64_t interrupts = 0; // of UPDATE, and of DELAY without a replication
    uint64_t refused = 0;    // replications for which a local memory had no room
};

// A set of processors in words owned by the caller.
class ProcessorSet {
  public:
    static size_t words(uint32_t processors) { return (processors + 63) / 64; }

    ProcessorSet(uint64_t *words_of_set, uint32_t processors) : words_(words_of_set), count_(words(processors)) {}

    void add(uint32_t processor) { words_[processor / 64] |= uint64_t(1) << processor % 64; }
    void remove(uint32_t processor) { words_[processor / 64] &= ~(uint64_t(1) << processor % 64); }
    bool has(uint32_t processor) const { return words_[processor / 64] >> processor % 64 & 1; }

    // Calls visit(processor), lowest first; the visited one may be removed.
    template <typename Visit> void for_each(Visit visit) {
        for (size_t at = 0; at < count_; ++at)
            for (uint64_t left = words_[at]; left; left &= left - 1)
                visit(uint32_t(at * 64 + unsigned(__builtin_ctzll(left))));
    }

  private:
    uint64_t *words_;
    size_t count_;
};

} // namespace litemrc_native
