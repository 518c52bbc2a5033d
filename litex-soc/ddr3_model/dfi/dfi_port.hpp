// SPDX-License-Identifier: BSD-2-Clause
// The model behind a DFI of four phases: a PHY without training, one burst for each cycle of the controller.
#pragma once

#include "../model.hpp"

#include <deque>

namespace ddr3 {

struct DfiPhase {
    std::uint32_t cs_n, cke, odt; // one bit per rank
    bool ras_n, cas_n, we_n, reset_n;
    unsigned bank, address;
    bool wrdata_en, rddata_en;
};

// The controller's cycle n has the DRAM's cycles 4n to 4n + 3. Data of a WR are those on wrdata `write_latency`
// controller cycles later, data of a RD are on rddata `read_latency` later: LiteDRAM's PhySettings. A WR without
// wrdata_en writes the value of an undriven bus; rddata_valid follows rddata_en, even if no rank drives the bus.
class DfiPort {
  public:
    static constexpr unsigned PHASES = 4;

    DfiPort(const Parameters &parameters, unsigned read_latency, unsigned write_latency)
        : model(parameters), read_latency_(read_latency), write_latency_(write_latency) {
        if (!read_latency)
            throw std::invalid_argument("ddr3: the read latency must be at least 1 controller cycle (got 0)");
    }

    // One cycle of the controller, with the DFI's levels. `wrdata`: burst_bytes() bytes, phase 0 first; bit i of
    // `wrdata_mask` keeps byte i. Returns rddata_valid of this cycle; `rddata` is written only if it is true.
    bool clock(const DfiPhase *phases, const std::uint8_t *wrdata, std::uint64_t wrdata_mask, std::uint8_t *rddata) {
        Reply reply{};
        bool asked = false;
        for (unsigned p = 0; p < PHASES; ++p) {
            const DfiPhase &phase = phases[p];
            const Clock t = now_ * PHASES + p;
            const Pins pins{phase.cs_n, phase.cke, phase.odt, command_of(phase.ras_n, phase.cas_n, phase.we_n),
                            phase.bank, phase.address, phase.reset_n};
            asked |= phase.rddata_en;
            if (!model.is_event(t, pins))
                continue;
            if (on_event)
                on_event(t, pins);
            const std::optional<ColumnAccess> access = model.clock(t, pins);
            if (!access)
                continue;
            if (on_access)
                on_access(*access);
            if (access->kind == ColumnAccess::WRITE) {
                writes_.push_back({now_ + write_latency_, t, *access, phase.wrdata_en});
            } else {
                reply.driven = true;
                model.read(t, *access, reply.data);
            }
        }
        if (asked) {
            if (!reply.driven)
                model.undriven(reply.data);
            reply.due = now_ + read_latency_;
            replies_.push_back(reply);
        }
        while (!writes_.empty() && writes_.front().due <= now_)
            take_write(wrdata, wrdata_mask);
        const bool valid = !replies_.empty() && replies_.front().due <= now_;
        if (valid) {
            std::memcpy(rddata, replies_.front().data, model.geometry().burst_bytes());
            replies_.pop_front();
        }
        ++now_;
        return valid;
    }

    // A cheap call for a cycle without command, rddata_en or change of cke, odt and reset_n. Returns false if
    // clock() must be called instead.
    bool idle_clock() {
        if (!writes_.empty() || !replies_.empty() || model.overdue(now_ * PHASES + PHASES - 1))
            return false;
        ++now_;
        return true;
    }

    Clock now() const { return now_; } // cycles of the controller

    void transfer(State &state) {
        model.transfer(state);
        state(now_);
        state.list(writes_);
        state.list(replies_);
    }

    Model model;
    std::function<void(const ColumnAccess &)> on_access; // of each RD and WR, in the cycle of its command
    std::function<void(Clock, const Pins &)> on_event;   // of each cycle of the DRAM with a command or a change of a pin

  private:
    struct Write {
        Clock due, clock;
        ColumnAccess access;
        bool driven;
    };

    struct Reply {
        Clock due;
        bool driven;
        std::uint8_t data[64];
    };

    void take_write(const std::uint8_t *wrdata, std::uint64_t mask) {
        const Write &write = writes_.front();
        std::uint8_t floating[64];
        if (!write.driven)
            std::memset(floating, 0xbd, sizeof(floating));
        model.write(write.clock, write.access, write.driven ? wrdata : floating, write.driven ? mask : 0);
        writes_.pop_front();
    }

    const Clock read_latency_, write_latency_;
    Clock now_ = 0;
    std::deque<Write> writes_;
    std::deque<Reply> replies_;
};

} // namespace ddr3
