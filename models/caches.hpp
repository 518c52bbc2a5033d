// SPDX-License-Identifier: BSD-2-Clause
// The caches between the processor and the DRAM; their contents decide which accesses the monitor sees.
//
// Data cache: VexRiscv's, write-through: every store is forwarded, and a store that misses allocates no line. L2: LiteX's
// wishbone.Cache, direct-mapped, write-back: a miss first writes a dirty line back, then reads its own line.
#pragma once

#include <cstdint>
#include <vector>

namespace monitor_model {

constexpr bool is_power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

// Sets of lines; each set has the most recently used line first.
class LineSets {
  public:
    // 0 bytes: no cache, every access misses. Returns false if the sizes are inconsistent.
    bool resize(uint32_t bytes, uint32_t ways, uint32_t line_bytes) {
        if (bytes && (!ways || !is_power_of_two(line_bytes) || bytes % (ways * line_bytes) ||
                      !is_power_of_two(bytes / (ways * line_bytes))))
            return false;
        ways_ = bytes ? ways : 0;
        sets_ = bytes ? bytes / (ways * line_bytes) : 0;
        shift_ = 0;
        while ((2u << shift_) <= line_bytes)
            ++shift_;
        empty();
        return true;
    }

    void empty() { lines_.assign(size_t(ways_) * sets_, Line{}); }

    bool exists() const { return ways_; }
    uint32_t line_bytes() const { return 1u << shift_; }
    uint64_t first_byte(uint64_t address) const { return address >> shift_ << shift_; }

    struct Line {
        uint64_t number = ~uint64_t(0); // no address has this number
        bool dirty = false;
    };

    // The line of an address, moved to the front of its set; nullptr if it is absent.
    Line *find(uint64_t address) {
        Line *set = set_of(address);
        for (uint32_t way = 0; way < ways_; ++way)
            if (set[way].number == address >> shift_) {
                const Line found = set[way];
                for (; way; --way)
                    set[way] = set[way - 1];
                set[0] = found;
                return set;
            }
        return nullptr;
    }

    // Inserts the line of an address at the front of its set; returns the evicted line.
    Line insert(uint64_t address, bool dirty) {
        Line *set = set_of(address);
        const Line victim = set[ways_ - 1];
        for (uint32_t way = ways_ - 1; way; --way)
            set[way] = set[way - 1];
        set[0] = Line{address >> shift_, dirty};
        return victim;
    }

    uint64_t address_of(const Line &line) const { return line.number << shift_; }

  private:
    Line *set_of(uint64_t address) { return &lines_[size_t((address >> shift_) & (sets_ - 1)) * ways_]; }

    uint32_t ways_ = 0, sets_ = 0, shift_ = 0;
    std::vector<Line> lines_;
};

class Caches {
  public:
    bool resize(uint32_t l1_bytes, uint32_t l1_ways, uint32_t l1_line, uint32_t l2_bytes, uint32_t l2_line) {
        return l1_.resize(l1_bytes, l1_ways, l1_line) && l2_.resize(l2_bytes, 1, l2_line);
    }

    void set_memory(uint64_t base, uint64_t bytes, uint32_t access_bytes) {
        base_ = base;
        bytes_ = bytes;
        access_bytes_ = access_bytes;
    }

    void empty() {
        l1_.empty();
        l2_.empty();
    }

    // Calls dram(offset, write) for every column access, in order; offset is the byte offset in the DRAM.
    template <typename Dram> void access(uint64_t address, bool write, Dram dram) {
        if (write) {
            if (l1_.exists())
                l1_.find(address);
            access_l2(address, true, dram);
        } else if (!l1_.exists()) {
            access_l2(address, false, dram);
        } else if (!l1_.find(address)) {
            l1_.insert(address, false);
            const uint64_t line = l1_.first_byte(address);
            for (uint32_t byte = 0; byte < l1_.line_bytes(); byte += BUS_BYTES)
                access_l2(line + byte, false, dram);
        }
    }

  private:
    static constexpr uint32_t BUS_BYTES = 4; // of the bus between the caches

    template <typename Dram> void access_l2(uint64_t address, bool write, Dram dram) {
        if (address - base_ >= bytes_)
            return;
        if (!l2_.exists())
            return dram(address - base_, write);
        if (LineSets::Line *line = l2_.find(address)) {
            line->dirty |= write;
            return;
        }
        const LineSets::Line victim = l2_.insert(address, write);
        if (victim.dirty)
            move_line(l2_.address_of(victim), true, dram);
        move_line(l2_.first_byte(address), false, dram);
    }

    template <typename Dram> void move_line(uint64_t address, bool write, Dram dram) {
        for (uint32_t byte = 0; byte < l2_.line_bytes(); byte += access_bytes_)
            dram(address - base_ + byte, write);
    }

    LineSets l1_, l2_;
    uint64_t base_ = 0, bytes_ = 0;
    uint32_t access_bytes_ = 1;
};

} // namespace monitor_model
