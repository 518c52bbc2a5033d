// SPDX-License-Identifier: BSD-2-Clause
// The DRAM on one data bus: ranks, contents, rules. One call for each cycle with a command or a change of a pin.
#pragma once

#include "data_bus.hpp"
#include "rank.hpp"

#include <functional>
#include <optional>

namespace ddr3 {

struct Parameters {
    Geometry geometry;
    std::string grade = "1600K"; // of SPEED_GRADES
    int gigabits = 2;            // of a chip
    int chip_bits = 16;          // data lines of a chip
    std::int64_t tCK_fs = 1'250'000;
    std::int64_t tREFI_ps = tREFI_PS; // half of it above 85 degrees C
    std::int64_t tRC_ps = 0;          // of a part slower than its grade; 0: the grade's
    // Not 0: start initialised, the mode registers loaded with these latencies, CKE high.
    unsigned preset_cl = 0, preset_cwl = 0;
};

// A column access for the observer. `lost`: a read of bytes that were written and then lost.
struct Access {
    Clock clock;
    Location at;
    bool write, lost;
};

struct Counts {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t lost_reads = 0;     // of data that were written and then lost
    std::uint64_t undriven_reads = 0; // of a closed bank or a sleeping rank
};

class Model {
  public:
    explicit Model(const Parameters &p)
        : parameters_(checked(p)), timing_(times_of(p)), storage_(p.geometry), bus_(violations_) {
        ranks_.reserve(p.geometry.ranks);
        for (unsigned n = 0; n < p.geometry.ranks; ++n) {
            ranks_.emplace_back(n, timing_, parameters_.geometry, storage_, violations_);
            if (p.preset_cl) {
                ranks_.back().preset(p.preset_cl, p.preset_cwl);
                last_.cke |= 1u << n;
            }
        }
    }

    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    // Returns whether `pins` in cycle t require a call of clock(); other cycles may be skipped.
    bool is_event(Clock t, const Pins &pins) const {
        return (pins.command != Command::NOP && (pins.cs_n & all()) != all()) || pins.cke != last_.cke ||
               pins.odt != last_.odt || pins.reset_n != last_.reset_n || overdue(t);
    }

    // Returns whether a rank has lost its data by cycle t for lack of refreshes.
    bool overdue(Clock t) const { return t > deadline_; }

    // One cycle; t must increase from call to call. Returns the column access commanded in it, if any.
    std::optional<ColumnAccess> clock(Clock t, const Pins &pins) {
        std::optional<ColumnAccess> access;
        for (unsigned n = 0; n < ranks_.size(); ++n) {
            const std::uint32_t bit = 1u << n;
            Rank &rank = ranks_[n];
            if (t > rank.deadline())
                rank.refresh_overdue(t);
            const bool selected = pins.command != Command::NOP && !(pins.cs_n & bit);
            if (!selected && !((pins.cke ^ last_.cke) & bit) && !((pins.odt ^ last_.odt) & bit) &&
                pins.reset_n == last_.reset_n)
                continue;
            const ColumnAccess one = rank.clock(t, selected, pins);
            if (one.kind != ColumnAccess::NONE) {
                bus_.burst(t, one.first_beat, n);
                access = one;
            }
        }
        last_ = pins;
        deadline_ = RefreshAccount::NEVER;
        for (const Rank &rank : ranks_)
            deadline_ = std::min(deadline_, rank.deadline());
        return access;
    }

    // The data of a read; `data` has burst_bytes() bytes.
    void read(Clock t, const ColumnAccess &access, std::uint8_t *data) {
        ++counts_.reads;
        bool lost = false;
        if (access.row_open) {
            lost = storage_.read(access.at, data);
            counts_.lost_reads += lost;
        } else {
            undriven(data);
        }
        if (observer)
            observer({t, access.at, false, lost});
    }

    // The value of an undriven bus.
    void undriven(std::uint8_t *data) {
        ++counts_.undriven_reads;
        std::memset(data, 0xbd, geometry().burst_bytes());
    }

    // The data of a write; bit i of `masked` keeps byte i.
    void write(Clock t, const ColumnAccess &access, const std::uint8_t *data, std::uint64_t masked) {
        ++counts_.writes;
        if (access.row_open)
            storage_.write(access.at, data, masked);
        if (observer)
            observer({t, access.at, true, false});
    }

    // Power of a rank is cut and restored.
    void power_cut(unsigned rank) { ranks_.at(rank).power_cut(); }

    const Geometry &geometry() const { return parameters_.geometry; }
    const Timing &times() const { return timing_; }
    const Rank &rank(unsigned number) const { return ranks_.at(number); }
    Storage &storage() { return storage_; }
    const Violations &violations() const { return violations_; }
    const Counts &counts() const { return counts_; }

    std::function<void(const Access &)> observer; // of each column access, once its data are known

    void transfer(State &state) {
        violations_.transfer(state);
        storage_.transfer(state);
        bus_.transfer(state);
        for (Rank &rank : ranks_)
            rank.transfer(state);
        state(last_, deadline_, counts_);
    }

  private:
    static const Parameters &checked(const Parameters &p) {
        p.geometry.check();
        return p;
    }

    static Timing times_of(const Parameters &p) {
        Timing times = timing(speed_grade(p.grade), p.gigabits, p.chip_bits, p.tCK_fs);
        times.tREFI_fs = p.tREFI_ps * 1000;
        if (p.tRC_ps)
            times.tRC = times.clocks(p.tRC_ps);
        return times;
    }

    std::uint32_t all() const { return (1u << ranks_.size()) - 1; }

    Parameters parameters_;
    Timing timing_;
    Violations violations_;
    Storage storage_;
    DataBus bus_;
    std::vector<Rank> ranks_;
    Pins last_;
    Clock deadline_ = RefreshAccount::NEVER;
    Counts counts_;
};

} // namespace ddr3
