// SPDX-License-Identifier: BSD-2-Clause
// What follows the caches of the processors: shared caches, sampling, the stack engine, the stream.
#pragma once

#include "curve_engine.hpp"
#include "device.hpp"
#include "sample_groups.hpp"
#include "sampled_pages.hpp"
#include "settings.hpp"
#include "stream.hpp"

#include <memory>

namespace litemrc_qemu {

constexpr size_t PRIVATE_LEVELS = 2; // of each processor; further levels are shared

// A line or page that left a processor's caches.
struct Transfer {
    uint64_t address;
    uint64_t time : 55, context : 8, write : 1;
};

class Memory {
  public:
    explicit Memory(const Settings &settings)
        : settings_(settings), sampled_(settings.frame_bits, settings.sampling),
          engine_(make_engine(settings.engine, settings.frames, settings.groups)) {
        if (engine_ && settings.sampling)
            groups_ = std::make_unique<SampleGroups>();
        for (size_t i = PRIVATE_LEVELS; i < settings.levels.size(); ++i)
            shared_.emplace_back(settings.levels[i]);
        if (const auto &its = settings.device; !its.engine.empty()) {
            // What leaves the last cache are its lines, or the stores that it writes through, of any size.
            const auto &levels = settings.levels;
            const bool moves_lines = !levels.empty() && !levels.back().write_through;
            device_ = std::make_unique<Device>(its.engine, its.base, its.bytes, its.record,
                                               moves_lines ? levels.back().line_bytes : 0);
            if (!settings.contexts.empty())
                device_->set_own_contexts();
            parts_ = settings.contexts == "parts";
        }
    }

    void take(const Transfer &transfer, uint64_t time_base, unsigned cpu, Stream &stream) {
        ++transfers_;
        const uint64_t time = time_base + transfer.time, context = transfer.context;
        access_levels(shared_.data(), shared_.data() + shared_.size(), transfer.address, transfer.write,
                      [&](uint64_t address, bool write) { access(address, write, time, cpu, context, stream); });
    }

    // Completes the counts; `last`: no access follows, so that the epoch ends.
    void finish(bool last) {
        recorded_ = !device_ || device_->finish();
        if (!engine_)
            return;
        engine_->finish();
        if (groups_)
            groups_->finish();
        if (last && in_epoch_)
            end_epoch();
    }

    const std::vector<Cache> &shared() const { return shared_; }
    const std::vector<uint64_t> &working_sets() const { return working_sets_; }
    const CurveEngine *engine() const { return engine_.get(); }
    const SampleGroups *groups() const { return groups_.get(); } // of a sample
    Device *device() const { return device_.get(); }
    uint64_t in_dram() const { return in_dram_; }  // accesses that reached the device's
    bool recorded() const { return recorded_; }     // the device's record is complete, if there is one
    uint64_t transfers() const { return transfers_; }
    uint64_t outside() const { return outside_; }
    uint64_t without_frame() const { return without_frame_; } // of those outside
    uint64_t unsampled() const { return unsampled_; }
    uint64_t streamed() const { return streamed_; }

  private:
    void access(uint64_t address, bool write, uint64_t time, unsigned cpu, uint64_t context, Stream &stream) {
        if (device_) {
            const bool taken = device_->access(address, write, cpu, parts_ ? device_->part(address) : uint32_t(context));
            ++(taken ? in_dram_ : outside_);
            return;
        }
        if (count(address)) {
            if (stream.open() && !settings_.raw) {
                stream.put(time | context << Stream::CONTEXT_SHIFT, address >> settings_.page_shift | uint64_t(write) << 48 | uint64_t(cpu) << 49);
                ++streamed_;
            }
        }
        if (settings_.epoch && engine_ && ++in_epoch_ == settings_.epoch)
            end_epoch();
    }

    // Returns false if the access does not count.
    bool count(uint64_t address) {
        uint64_t page = address >> settings_.page_shift;
        if (page >> settings_.frame_bits) {
            ++outside_;
            return false;
        }
        if (!sampled_.number(page)) {
            ++unsampled_;
            return false;
        }
        if (!engine_)
            return true;
        if (page == last_) {
            engine_->repeat();
            if (groups_)
                groups_->repeat();
        } else if (engine_->access(page)) {
            last_ = page;
            if (groups_)
                groups_->access(page);
        } else {
            ++outside_;
            ++without_frame_;
            return false;
        }
        return true;
    }

    void end_epoch() {
        working_sets_.push_back(engine_->take_working_set());
        in_epoch_ = 0;
    }

    Settings settings_;
    SampledPages sampled_;
    std::unique_ptr<CurveEngine> engine_;
    std::unique_ptr<SampleGroups> groups_;
    std::unique_ptr<Device> device_; // if there is one, it alone takes what reaches memory
    bool parts_ = false; // contexts are parts of the device's DRAM
    bool recorded_ = true;
    std::vector<Cache> shared_;
    std::vector<uint64_t> working_sets_; // pages of each epoch
    uint64_t last_ = ~uint64_t(0), in_epoch_ = 0;
    uint64_t transfers_ = 0, outside_ = 0, without_frame_ = 0, unsampled_ = 0, streamed_ = 0, in_dram_ = 0;
};

} // namespace litemrc_qemu
