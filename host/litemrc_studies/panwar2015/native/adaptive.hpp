// SPDX-License-Identifier: BSD-2-Clause
// Adaptive-Buddy (Panwar 2015, figure 8): the banks in use form two pools a zone, the kernel's and the users', and each
// pool is one buddy system, so that an allocation costs the same however many banks there are. A pool that runs short
// gets a bank that was off, the users' from the zone's end, the kernel's from its beginning; a bank that is empty leaves
// if the pool has enough without it.
//
// Ours: a bank joins and leaves a pool's lists a few blocks at a time, a few with each operation, where the paper moves
// it at once and an allocation may wait for that. Blocks that are free but not on the lists yet are FREE_HELD. Those of
// banks that migration empties are on lists of their own, of which one is taken at once if there is no other memory.
#pragma once

#include "memory/allocator.hpp"
#include "memory/segments.hpp"

#include <deque>

namespace litemrc_native {

struct AdaptiveParameters {
    uint32_t reserve_frames = 4096;    // that a pool keeps free: with less, a bank joins
    uint32_t moves_per_operation = 16; // blocks that join or leave with one; 0: whole banks, as in the paper
};

class Adaptive : public Allocator {
  public:
    Adaptive(PhysicalMemory &memory, const AdaptiveParameters &parameters);

    bool is_offline(uint32_t unit) const override;
    bool can_isolate() const override { return true; }
    bool is_isolated(uint32_t unit) const override;
    bool isolate(uint32_t unit) override;
    bool rejoin(uint32_t unit) override;
    bool tidy() override;
    uint64_t free_for_movable(uint32_t node) const override;
    uint64_t metadata_bytes() const override;

  protected:
    uint32_t take(const Request &request) override;
    void give(uint32_t frame, unsigned order) override;

  private:
    enum Kind : uint8_t { USER, KERNEL };
    enum State : uint8_t {
        OFF,      // empty, all blocks held
        POOLED,   // its free blocks are on the pool's lists, or on their way there
        LEAVING,  // empty, its blocks are on their way off the lists
        ISOLATED, // migration empties it: its free blocks are on the lists of the isolated, or on their way there
        EMPTIED,  // it has, and its blocks are on their way off those lists
    };
    struct Pool {
        FreeLists lists;
        uint64_t free = 0; // of its pooled banks
    };
    struct Bank {
        uint32_t zone, frames;
        uint32_t cursor = 0; // frames of the bank whose blocks are where they belong; behind them: on the way
        State state = OFF;
        Kind kind = USER;
        bool queued = false; // on the way by the operations that come
        bool whole = true;   // all blocks on their way are of the largest order: one step brings one
    };
    static constexpr uint32_t NO_POOL = UINT32_MAX, NO_BANK = UINT32_MAX;
    // Blocks looked at for each one that may be moved: what a step costs is bounded even if there is little to move.
    static constexpr uint32_t VISITS_PER_MOVE = 8;
    static constexpr uint32_t AT_ONCE = UINT32_MAX / VISITS_PER_MOVE; // moves: no bound

    Pool &pool(uint32_t zone, Kind kind) { return pools_[2 * zone + kind]; }
    Pool &pool_of(const Bank &bank) { return pool(bank.zone, bank.kind); }
    uint32_t of_unit(uint32_t unit) const { return segments_.of(memory_.unit_blocks(unit).front()); }
    bool is_empty(uint32_t index) const { return memory_.unit(segments_[index].unit).used == 0; }
    uint32_t taken(Pool &pool, uint32_t frame, unsigned order);
    void taken_from_leaving(uint32_t frame, unsigned order);
    uint32_t taken_from_isolated(uint32_t frame, unsigned order);
    void gave_to_isolated(uint32_t frame, unsigned order);
    uint32_t off_bank(uint32_t zone, Kind kind) const;
    uint32_t bring(uint32_t zone, Kind kind);
    void enter(uint32_t index, State state);
    void queue(uint32_t index);
    bool advance(uint32_t index, uint32_t moves);
    bool put(const Bank &bank, uint32_t frame);
    // Moves a part of the pending blocks with each operation.
    void help() {
        if (!on_the_way_.empty())
            help_first();
    }
    void help_first();
    void leave_if_spare(uint32_t index);
    uint32_t take_without_waking(const Request &request, Kind kind);
    uint32_t take_by_waking(const Request &request, Kind kind);
    uint32_t take_back(uint32_t zone, const Request &request, Kind kind);
    uint32_t take_anything(const Request &request, Kind kind);

    AdaptiveParameters parameters_;
    Segments segments_;
    std::vector<Bank> banks_;
    std::vector<Pool> pools_;             // the users' and the kernel's of each zone
    std::vector<FreeLists> isolated_;     // of each zone
    std::vector<uint32_t> pool_of_block_; // of each block of MAX_ORDER, NO_POOL: its bank is in none
    std::vector<uint64_t> off_;           // one bit per bank
    std::deque<uint32_t> on_the_way_;
    uint32_t tidied_ = 0;
};

} // namespace litemrc_native
