// SPDX-License-Identifier: BSD-2-Clause
// The monitor as a device: the units of hls/ with their registers, on what reaches the DRAM of a machine.
#pragma once

#include "hls/hls_stack.hpp"
#include "registers/bus.hpp"

#include <chrono>
#include <stdexcept>
#include <string>

namespace litemrc_qemu {

class Device {
  public:
    static constexpr uint32_t PAGE_SHIFT = 12;
    static constexpr uint32_t CLOCK_HZ = 10'000'000; // an epoch of 429 s fits into 32 bits
    // Accesses wait in the processors' buffers.
    static constexpr uint32_t QUEUE = 4096;

    // `engine`: a name of hls/common/stack_engines.hpp; `base`, `bytes`: of the DRAM. Throws std::invalid_argument if there is no
    // engine for this memory, or the record cannot be written. `access_bytes`: that an access moves; 0: not known.
    Device(const std::string &engine, uint64_t base, uint64_t bytes, const std::string &record, uint32_t access_bytes)
        : size_(size_of(litemrc_native::hls_unit(engine).number, bytes)), base_(base), bytes_(bytes),
          monitor_(size_.make(), monitor_model::make_pages(size_.frames), size_.frames),
          bus_(monitor_, size_, PAGE_SHIFT, QUEUE, access_bytes), began_(std::chrono::steady_clock::now()) {
        monitor_.domains().set_ranks(false, {POWER_DOWN_EXIT, SELF_REFRESH_EXIT});
        if (!record.empty() && !monitor_.start_log(record.c_str()))
            throw std::invalid_argument("cannot write " + record);
    }

    // Call before accesses and registers: time has passed.
    void pass_time() {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
        monitor_.set_time(uint64_t(seconds.count() * CLOCK_HZ));
    }

    // Returns false if the address is not in the DRAM.
    bool access(uint64_t address, bool write, unsigned cpu, uint32_t context) {
        const uint64_t offset = address - base_;
        if (offset >= bytes_)
            return false;
        const uint32_t frame = uint32_t(offset >> PAGE_SHIFT);
        if (bus_.refs_enabled())
            monitor_.pages()->request(frame, write, cpu < last_master() ? cpu : last_master(), context);
        if (own_contexts_)
            monitor_.set_context(context < size_.contexts >> monitor_.split() ? context : 0);
        monitor_.access(offset, frame, write);
        return true;
    }

    // Contexts are those of the accesses, not that of the register.
    void set_own_contexts() { own_contexts_ = true; }
    uint32_t contexts() const { return size_.contexts; }

    // The part of the DRAM that holds an address: parts are as many as contexts.
    uint32_t part(uint64_t address) const {
        const uint64_t offset = address - base_;
        return offset < bytes_ ? uint32_t(offset / ((bytes_ + size_.contexts - 1) / size_.contexts)) : 0;
    }

    uint32_t read(uint32_t address) const { return bus_.read(address); }
    void write(uint32_t address, uint32_t value) { bus_.write(address, value); }
    bool clears(uint32_t address, uint32_t value) const { return bus_.clears(address, value); }
    // JSON: the map of the bus, the DRAM's base and bytes, the constants of a SoC.
    std::string map() const {
        return "{\"bus\": " + bus_.map() + ", \"main_ram\": [" + std::to_string(base_) + ", " + std::to_string(bytes_) +
               "], \"constants\": {\"config_clock_frequency\": " + std::to_string(CLOCK_HZ) +
               ", \"config_dram_part\": \"" + DRAM_PART + "\", \"config_dram_chips\": " + std::to_string(DRAM_CHIPS) +
               ", \"config_dram_phases\": " + std::to_string(DRAM_CYCLES) + "}}";
    }
    // Completes the record. Returns false if it could not be written.
    bool finish() { return monitor_.end_log(); }

  private:
    // A rank of four chips at DDR3-1600: tXPDLL and tXSDLL (JESD79-3F) in cycles of CLOCK_HZ, rounded up.
    static constexpr const char *DRAM_PART = "mt41k256m16";
    static constexpr uint32_t DRAM_CHIPS = 4, DRAM_CYCLES = 800'000'000 / CLOCK_HZ; // of the DRAM in one of CLOCK_HZ
    static constexpr uint32_t POWER_DOWN_EXIT = 1, SELF_REFRESH_EXIT = 7;

    // The smallest that holds the memory.
    static const monitor_model::Size &size_of(uint32_t engine, uint64_t bytes) {
        const monitor_model::Size *best = nullptr;
        uint32_t most = 0; // frames
        for (const monitor_model::Size &size : monitor_model::sizes()) {
            most = std::max(most, size.frames);
            if (size.engine == engine && uint64_t(size.frames) << PAGE_SHIFT >= bytes && (!best || size.frames < best->frames))
                best = &size;
        }
        if (!best)
            throw std::invalid_argument("the monitor follows up to " + std::to_string(most >> (30 - PAGE_SHIFT)) +
                                        " GiB: give that as --memory, and what is beyond counts as elsewhere");
        return *best;
    }

    uint32_t last_master() const { return monitor_.pages()->ref_sizes().masters - 1; }

    const monitor_model::Size &size_;
    uint64_t base_, bytes_;
    bool own_contexts_ = false;
    monitor_model::Monitor monitor_;
    monitor_model::Bus bus_;
    std::chrono::steady_clock::time_point began_;
};

} // namespace litemrc_qemu
