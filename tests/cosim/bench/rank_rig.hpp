// SPDX-License-Identifier: BSD-2-Clause
// A controller of rank_top.py with the DDR3 model and requests on its ports; compares every word read.
#pragma once

#include "ddr3_model/dfi/dfi_pads.hpp"
#include "ddr3_model/dfi/report.hpp"
#include "rtl.hpp"

#include <array>
#include <deque>
#include <sstream>
#include <unordered_map>

constexpr int PORTS = 3, BANKS = 8, WORD_BYTES = 16;
constexpr int COLUMN_WORD_BITS = COLUMN_BITS - 3; // a burst of 8 is a word of a port
constexpr int POWER_DOWN = 2, SELF_REFRESH = 3, SELF_REFRESH_PARTIAL = 4;

constexpr int log2_of(int n) { return n > 1 ? 1 + log2_of(n / 2) : 0; }
constexpr int ADDRESS_BITS = ROW_BITS + COLUMN_WORD_BITS + 3 + log2_of(RANKS);

using Word = std::array<std::uint8_t, WORD_BYTES>;

struct Place {
    unsigned rank, bank, row, column; // column: of words

    unsigned address() const {
        const unsigned bank_number = rank * BANKS + bank;
        return BANK_ROW_COLUMN ? bank_number << (ROW_BITS + COLUMN_WORD_BITS) | row << COLUMN_WORD_BITS | column
                               : (row * RANKS * BANKS + bank_number) << COLUMN_WORD_BITS | column;
    }
};

struct Request {
    Place at;
    bool write;
    unsigned mask; // bytes written, one bit each
    Word data;
};

// The domain of a rank, or the address slice of a virtual domain.
inline unsigned domain_of(const Place &at) {
    return RANKS > 1 ? at.rank : at.address() >> (ADDRESS_BITS - log2_of(DOMAINS));
}

// The bench's inputs of rank power; unused in a stock controller.
struct Settings {
    int kind = 0, static_state = 0, mrc_state = 0, mrc_base = 0, partial = 0;
    unsigned threshold_power_down = 0, threshold_self_refresh = 0, working = 0, partial_allowed = 0;
    bool hardware = true;
};

class Rig {
  public:
    Rig() : dfi(parameters(), READ_LATENCY, WRITE_LATENCY), pads_(dfi, dfi_pads(), ROW_BITS) {
        initialise_memory();
        rtl_->rst = 1;
        rtl_->hardware = 1;
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
    }

    // One cycle. Requests of submit() go out as the controller takes them.
    void clock() {
        for (int n = 0; n < PORTS; ++n)
            drive(n);
        drive_settings();
        rtl_.settle();
        if (on_dfi)
            on_dfi();
        pads_.clock();
        if (rddata_valid_)
            rtl_.settle();
        for (int n = 0; n < PORTS; ++n)
            observe(n);
        observe_power();
        rtl_.rising_edge();
        stuck_ = busy() ? stuck_ + 1 : 0;
        if (stuck_ > 20000)
            throw Mismatch("nothing was accepted for 20000 clocks, clock " + std::to_string(rtl_.clocks()));
    }

    void idle(int clocks) {
        while (clocks--)
            clock();
    }

    void submit(int port, const Request &request) { ports_[port].to_send.push_back(request); }
    std::size_t queued(int port) const { return ports_[port].to_send.size(); }

    bool busy() const {
        for (const Port &port : ports_)
            if (!port.to_send.empty() || !port.reads.empty() || !port.writes.empty())
                return true;
        return false;
    }

    // Runs until every request is served; returns the cycles it took.
    int drain() {
        const auto since = clocks();
        while (busy())
            clock();
        return int(clocks() - since);
    }

    void command(int domain, int state) { command_ = {true, domain, state}; }

    // Runs to the end of the next refresh, so that none disturbs the following cycles for nearly tREFI.
    void pass_refresh() {
        for (bool refresh = false; !refresh;) {
            clock();
            refresh = is_refresh() && !parked_; // not that of an entry or a wake-up
        }
        idle(60); // tRFC
    }

    bool is_refresh() { return !(rtl_->ras_n & 1) && !(rtl_->cas_n & 1) && (rtl_->we_n & 1); }
    bool column_command(unsigned rank) {
        for (int p = 0; p < 4; ++p)
            if (rtl_->ras_n >> p & 1 && !(rtl_->cas_n >> p & 1) && !(rtl_->cs_n >> (p * RANKS + rank) & 1))
                return true;
        return false;
    }
    bool cke(unsigned rank) { return rtl_->cke >> rank & 1; }
    std::uint64_t clocks() const { return rtl_.clocks(); }
    // Whether the last word read equals the last word written to `at`.
    bool kept(const Place &at) const { return memory_.at(at.address()) == last_read; }

#if WITH_POWER
    int state(int domain) { return int(rtl_->state >> (3 * domain) & 7); }
    bool awake(int domain) { return rtl_->awake >> domain & 1; }
#endif
    Vtop &top() { return *rtl_.operator->(); }

    std::uint64_t rules_broken() const {
        const ddr3::Violations &all = dfi.model.violations();
        return all.count(ddr3::RuleClass::DEVICE) + all.count(ddr3::RuleClass::PRECHARGE_ALL);
    }

    // Throws if a rule of the memory was violated; rules of the data bus are LiteDRAM's.
    void check_rules() {
        if (!rules_broken())
            return;
        std::ostringstream out;
        int shown = 0;
        for (std::size_t i = 0; i < ddr3::RULE_COUNT; ++i)
            if (ddr3::RULES[i].rule_class != ddr3::RuleClass::BUS && dfi.model.violations().count(ddr3::Rule(i)))
                out << " " << ddr3::RULES[i].name;
        for (const ddr3::Violation &v : dfi.model.violations().kept())
            if (ddr3::text_of(v.rule).rule_class != ddr3::RuleClass::BUS && shown++ < 3)
                ddr3::write_violation(out << "\n", dfi.model.times(), v);
        throw Mismatch("rules broken: " + std::to_string(rules_broken()) + out.str());
    }

    ddr3::DfiPort dfi;
    Settings settings;
    std::function<void()> on_dfi;  // of each cycle, before the model sees it
    bool compare = true;           // compare words read with the last ones written
    Word last_read{};
    std::uint64_t reads = 0, writes = 0, wakes = 0, entries[5] = {}, parked_clocks = 0, sleep_clocks[5] = {};

  private:
    struct Port {
        std::deque<Request> to_send, writes;
        std::deque<std::pair<unsigned, Word>> reads; // address, expected
    };

    struct Pins {
        CData *valid, *ready, *we;
        IData *address;
        CData *wdata_ready;
        VlWide<4> *wdata;
        SData *wdata_we;
        CData *rdata_valid;
        VlWide<4> *rdata;
    };

    static ddr3::Parameters parameters() {
        ddr3::Parameters p;
        p.geometry = {RANKS, ROW_BITS, COLUMN_BITS, 2,
                      BANK_ROW_COLUMN ? ddr3::AddressMap::bank_row_column : ddr3::AddressMap::row_bank_column};
        p.grade = GRADE == 800 ? "800E" : GRADE == 1066 ? "1066F" : "1600K";
        p.gigabits = 1;
        p.tCK_fs = CLOCK_FS;
        return p;
    }

    ddr3::DfiPads dfi_pads() {
        Vtop &t = *rtl_.operator->();
        return {&t.cs_n,   &t.cke,    &t.odt,         &t.ras_n,     &t.cas_n,     &t.we_n,   &t.reset_n,    &t.bank,
                &t.address, &t.wrdata, &t.wrdata_mask, &t.wrdata_en, &t.rddata_en, &t.rddata, &rddata_valid_};
    }

    // Like LiteDRAM's BIOS: RTT_NOM on, and slow exit of power-down (MR0 A12 = 0).
    void initialise_memory() {
        ddr3::ModeRegisters mode;
        mode.preset(CL, CWL, unsigned(dfi.model.times().tWR));
        tell({}, 100, 0);
        tell({}, 300);
        tell({{2, mode.value(2) | 1u << 9}}, 10);
        tell({{3, 0}}, 10);
        tell({{1, 1u << 2}}, 10);
        tell({{0, (mode.value(0) & ~(1u << 12)) | 1u << 8}}, 200);
        tell({{0, ddr3::A10}}, 200, 1, ddr3::Command::ZQ);
    }

    // A command (bank, address) to all ranks, or none, then cycles without.
    void tell(std::vector<std::pair<unsigned, unsigned>> command, int clocks, bool cke = true,
              ddr3::Command name = ddr3::Command::MRS) {
        std::uint8_t none[64] = {};
        for (int i = 0; i < clocks; ++i) {
            ddr3::DfiPhase phases[4];
            for (auto &phase : phases)
                phase = {~0u, cke ? ~0u : 0u, 0, true, true, true, true, 0, 0, false, false};
            if (!i && !command.empty())
                phases[0] = {0, ~0u, 0, bool(int(name) & 4), bool(int(name) & 2), bool(int(name) & 1),
                             true, command[0].first, command[0].second, false, false};
            dfi.clock(phases, none, 0, none);
        }
    }

    Pins pins(int n) {
        Vtop &t = *rtl_.operator->();
#define PINS(p)                                                                                                       \
    Pins { &t.p##_valid, &t.p##_ready, &t.p##_we, &t.p##_address, &t.p##_wdata_ready, &t.p##_wdata, &t.p##_wdata_we,  \
           &t.p##_rdata_valid, &t.p##_rdata }
        return n == 0 ? PINS(port0) : n == 1 ? PINS(port1) : PINS(port2);
#undef PINS
    }

    void drive(int n) {
        Port &port = ports_[n];
        const Pins p = pins(n);
        *p.valid = !port.to_send.empty();
        if (*p.valid) {
            *p.we = port.to_send.front().write;
            *p.address = port.to_send.front().at.address();
        }
        if (!port.writes.empty()) {
            std::memcpy(p.wdata, port.writes.front().data.data(), WORD_BYTES);
            *p.wdata_we = SData(port.writes.front().mask);
        }
    }

    void observe(int n) {
        Port &port = ports_[n];
        const Pins p = pins(n);
        if (*p.wdata_ready) {
            if (port.writes.empty())
                throw Mismatch("data taken of a write that was never commanded");
            port.writes.pop_front();
        }
        if (*p.rdata_valid) {
            if (port.reads.empty())
                throw Mismatch("data of a read that was never commanded");
            std::memcpy(last_read.data(), p.rdata, WORD_BYTES);
            if (compare && port.reads.front().second != last_read)
                throw Mismatch("port " + std::to_string(n) + ": word " + std::to_string(port.reads.front().first) +
                               " is not what was written last, clock " + std::to_string(clocks()));
            port.reads.pop_front();
        }
        if (*p.valid && *p.ready) {
            const Request &request = port.to_send.front();
            const unsigned address = request.at.address();
            Word &word = memory_[address];
            if (request.write) {
                ++writes;
                for (int i = 0; i < WORD_BYTES; ++i)
                    if (request.mask >> i & 1)
                        word[i] = request.data[i];
                port.writes.push_back(request);
            } else {
                ++reads;
                port.reads.emplace_back(address, word);
            }
            port.to_send.pop_front();
            stuck_ = 0;
        }
    }

    void drive_settings() {
        rtl_->hardware = settings.hardware;
#if WITH_POWER
        rtl_->kind = settings.kind;
        rtl_->static_state = settings.static_state;
        rtl_->mrc_state = settings.mrc_state;
        rtl_->mrc_base = settings.mrc_base;
        rtl_->partial = settings.partial;
        rtl_->threshold_power_down = settings.threshold_power_down;
        rtl_->threshold_self_refresh = settings.threshold_self_refresh;
        rtl_->working = settings.working;
        rtl_->partial_allowed = settings.partial_allowed;
        rtl_->command = command_.strobe;
        rtl_->command_domain = command_.domain;
        rtl_->command_state = command_.state;
        command_.strobe = false;
#endif
    }

    // The reported states are those of the memory; a reported wake-up has a request for its domain.
    void observe_power() {
#if WITH_POWER
        parked_ = rtl_->parked;
        parked_clocks += parked_;
        for (int domain = 0; domain < DOMAINS; ++domain) {
            const int reported = state(domain);
            const ddr3::Power is = dfi.model.rank(RANKS > 1 ? domain : 0).power();
            const ddr3::Power expected = reported == 0            ? ddr3::Power::AWAKE
                                         : reported == POWER_DOWN ? ddr3::Power::POWER_DOWN
                                                              : ddr3::Power::SELF_REFRESH;
            if (settings.hardware && is != expected)
                throw Mismatch("domain " + std::to_string(domain) + " is reported in state " + std::to_string(reported) +
                               " and is not, clock " + std::to_string(clocks()));
            entries[reported] += reported != reported_[domain];
            ++sleep_clocks[reported];
            reported_[domain] = reported;
            if (!(rtl_->wakes >> domain & 1))
                continue;
            ++wakes;
            bool asked = false;
            for (const Port &port : ports_)
                asked |= !port.to_send.empty() && domain_of(port.to_send.front().at) == unsigned(domain);
            if (!asked)
                throw Mismatch("domain " + std::to_string(domain) + " was woken by nobody");
        }
#endif
    }

    struct Command {
        bool strobe = false;
        int domain = 0, state = 0;
    };

    Rtl rtl_;
    std::uint8_t rddata_valid_ = 0;
    ddr3::PadDriver pads_;
    Port ports_[PORTS];
    std::unordered_map<unsigned, Word> memory_;
    Command command_;
    int reported_[16] = {};
    int stuck_ = 0;
    bool parked_ = false; // by rank power, in the cycle before
};
