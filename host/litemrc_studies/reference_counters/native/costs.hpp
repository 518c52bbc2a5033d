// Costs of accesses in cycles, and the counts of a run.
#pragma once

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

} // namespace litemrc_native
