// SPDX-License-Identifier: BSD-2-Clause
// A processor: its caches, and what waits to go to memory.
#pragma once

#include "memory.hpp"
#include "reference_counts.hpp"

#include <atomic>

namespace litemrc_qemu {

class Processor {
    auto to_memory(uint64_t time) {
        return [this, time](uint64_t address, bool write) {
            ++transfers_;
            waiting_.push_back({address, time, context.load(std::memory_order_relaxed), write});
        };
    }

    auto to_stream() {
        return [this](uint64_t first, uint64_t second) { counted_.push_back({first, second}); };
    }

  public:
    // Records of the program's accesses, for tests: kinds of the stream's second word, above the size.
    enum : uint64_t { READ = 0, WRITE = 1 << 16, FETCH = 2 << 16 };

    Processor(const Settings &settings, unsigned number)
        : number_(number), raw_(settings.raw), cached_(!settings.levels.empty()),
          shift_(cached_ ? 0 : settings.page_shift), references_(settings.interval, settings.page_shift) {
        for (size_t i = 0; i < settings.levels.size() && i < PRIVATE_LEVELS; ++i)
            levels_.emplace_back(settings.levels[i]);
        for (const CacheShape &shape : settings.instructions)
            instructions_.emplace_back(shape);
        if (cached_)
            shift_ = levels_[0].shift();
        if (levels_.size() > 1 && levels_[0].write_through()) // a store goes to its lines of the second level
            shift_ = std::min(shift_, levels_[1].shift());
        waiting_.reserve(CAPACITY + 64);
    }

    // A block of instructions begins. Those of the block before it are done.
    void begin_block(uint32_t instructions, uint32_t lines) {
        started_ += block_;
        block_ = instructions;
        fetched_lines_ += lines;
    }

    // Returns whether there is enough for flush. `index`: of the instruction in its block.
    bool access(uint64_t address, uint32_t size, bool write, uint32_t index) {
        stores_ += write;
        loads_ += !write;
        if (raw_)
            raw_accesses_.push_back({address, size | (write ? WRITE : READ)});
        const uint64_t time = started_ + index + 1;
        references_.reference(time, address, to_stream());
        const uint64_t last = (address + size - 1) >> shift_;
        for (uint64_t block = address >> shift_;; ++block) {
            access_levels(levels_.data(), levels_.data() + levels_.size(), block << shift_, write, to_memory(time));
            if (block == last)
                break;
        }
        return full();
    }

    // An access to a device does not count, and of one that goes on in another page only the part in the first one does.
    void access_device() { ++device_accesses_; }
    void cut_access() { ++cut_; }

    bool fetch(uint64_t address, uint32_t size, uint32_t index) {
        ++fetches_;
        if (raw_)
            raw_accesses_.push_back({address, size | FETCH});
        const uint64_t time = started_ + index + 1;
        const uint32_t shift = instructions_.empty() ? shift_ : instructions_[0].shift();
        const uint64_t last = (address + size - 1) >> shift;
        for (uint64_t block = address >> shift; block <= last; ++block) {
            const auto below = [&](uint64_t line, bool dirty) {
                // The level below the first one for data, if there are any.
                access_levels(levels_.data() + cached_, levels_.data() + levels_.size(), line, dirty, to_memory(time));
            };
            access_levels(instructions_.data(), instructions_.data() + instructions_.size(), block << shift, false, below);
        }
        return full();
    }

    // Hands over what waits. Returns the instructions from the last access of the call before to that of this one: a call
    // may come within a block, and what follows in it has to be later than what other processors hand over between.
    uint64_t flush(Memory &memory, uint64_t time_base, Stream &stream) {
        for (const Record &access : raw_accesses_)
            stream.put(access.first, access.second | uint64_t(number_) << 32);
        raw_accesses_.clear();
        for (const Record &count : counted_)
            stream.put(count.first + time_base - flushed_, count.second);
        counted_.clear();
        for (const Transfer &transfer : waiting_)
            memory.take(transfer, time_base - flushed_, number_, stream);
        const uint64_t before = flushed_;
        if (!waiting_.empty())
            flushed_ = waiting_.back().time;
        waiting_.clear();
        return flushed_ - before;
    }

    // No reference follows.
    void finish() { references_.end_interval(instructions(), to_stream()); }

    uint64_t instructions() const { return started_ + block_; }
    uint64_t loads() const { return loads_; }
    uint64_t stores() const { return stores_; }
    uint64_t fetches() const { return fetches_; }
    uint64_t fetched_lines() const { return fetched_lines_; }
    uint64_t transfers() const { return transfers_; }
    uint64_t device_accesses() const { return device_accesses_; }
    uint64_t cut() const { return cut_; }
    const std::vector<Cache> &levels() const { return levels_; }
    const std::vector<Cache> &instruction_caches() const { return instructions_; }

    std::atomic<bool> busy{false}; // its thread is in a callback
    std::atomic<uint8_t> context{0}; // of its accesses
    uint64_t root = 0;               // of its page tables; 0: not known

  private:
    static constexpr size_t CAPACITY = 4096;

    bool full() const { return waiting_.size() >= CAPACITY || raw_accesses_.size() >= CAPACITY || counted_.size() >= CAPACITY; }

    unsigned number_;
    bool raw_, cached_;
    uint32_t shift_; // of the lines of the first level, or of pages
    std::vector<Cache> levels_, instructions_;
    std::vector<Transfer> waiting_;
    std::vector<Record> raw_accesses_, counted_;
    ReferenceCounts references_;
    uint64_t started_ = 0, block_ = 0, flushed_ = 0; // instructions
    uint64_t loads_ = 0, stores_ = 0, fetches_ = 0, fetched_lines_ = 0, transfers_ = 0;
    uint64_t device_accesses_ = 0, cut_ = 0; // of a machine
};

} // namespace litemrc_qemu
