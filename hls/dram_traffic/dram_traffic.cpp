// SPDX-License-Identifier: BSD-2-Clause
#include "dram_traffic.hpp"

namespace litemrc {

namespace {

int rank_of(int bank) { return bank * RANKS / BANKS; }

} // namespace

void DRAMTraffic::reset() {
    row_accessed_ = 0;
    row_opened_ = 0;
    level_ = 0;
    level_before_ = 0;
    buffer_ = 0;
    begin(totals_[0]);
    begin(totals_[1]);
}

void DRAMTraffic::step(const TrafficCycle &now) {
    if (level_before_ > totals_[buffer_].queue_peak)
        totals_[buffer_].queue_peak = level_before_;
    if (now.count)
        count(now);
    follow(now);
    if (now.clear)
        begin(totals_[buffer_]);
    if (now.epoch_end) {
        buffer_ = 1 - buffer_;
        begin(totals_[buffer_]);
    }
}

void DRAMTraffic::count(const TrafficCycle &now) {
    Totals &totals = totals_[buffer_];
    if (totals.cycles[CYCLE_BITS] == 0)
        ++totals.cycles;
    if (now.refresh != 0 && totals.refreshes != counter_t(~counter_t(0)))
        ++totals.refreshes;
    if (now.access) {
        const int bank = int(now.access_bank), counted = bank % COUNTED_BANKS, index = buffer_ * COUNTED_BANKS + counted;
        const bool known = totals.accessed[counted] == 1;
        reads_.add(index, known, now.write == 0);
        writes_.add(index, known, now.write == 1);
        row_hits_.add(index, known, row_accessed_[bank] == 1);
        totals.accessed[counted] = 1;
    }
    if (now.activate) {
        const int bank = int(now.activate_bank), counted = bank % COUNTED_BANKS, index = buffer_ * COUNTED_BANKS + counted;
        const bool known = totals.activated[counted] == 1;
        activates_.add(index, known, true);
        row_conflicts_.add(index, known, row_opened_[bank] == 1);
        totals.activated[counted] = 1;
    }
}

// Rows and queue after this cycle.
void DRAMTraffic::follow(const TrafficCycle &now) {
    if (now.access)
        row_accessed_[int(now.access_bank)] = 1;
    const ranks_t closed = now.precharge_all | now.refresh;
    for (int bank = 0; bank < BANKS; ++bank) {
        HLS_UNROLL // all banks in one cycle
        if (closed[rank_of(bank)])
            row_opened_[bank] = 0;
    }
    if (now.activate) {
        row_accessed_[int(now.activate_bank)] = 0;
        row_opened_[int(now.activate_bank)] = 1;
    }
    level_before_ = level_;
    level_ = level_t(level_ + now.accepted - now.issued);
}

// An epoch without commands.
void DRAMTraffic::begin(Totals &totals) { totals = Totals{0, 0, 0, 0, 0}; }

traffic_word_t DRAMTraffic::word(int number) const {
    const Totals &totals = totals_[1 - buffer_];
    if (number >= TRAFFIC_BANK)
        return bank_word(number / TRAFFIC_BANK_WORDS - TRAFFIC_BANK / TRAFFIC_BANK_WORDS, number % TRAFFIC_BANK_WORDS);
    switch (number) {
    case TRAFFIC_CYCLES_LOW:
        return traffic_word_t(ap_uint<64>(totals.cycles));
    case TRAFFIC_CYCLES_HIGH:
        return traffic_word_t(ap_uint<64>(totals.cycles) >> 32);
    case TRAFFIC_REFRESHES:
        return traffic_word_t(totals.refreshes);
    case TRAFFIC_QUEUE_PEAK:
        return traffic_word_t(totals.queue_peak);
    default:
        return 0;
    }
}

traffic_word_t DRAMTraffic::bank_word(int bank, int number) const {
    const Totals &totals = totals_[1 - buffer_];
    const int index = (1 - buffer_) * COUNTED_BANKS + bank;
    const bool accessed = totals.accessed[bank] == 1, activated = totals.activated[bank] == 1;
    switch (number) {
    case BANK_READS:
        return traffic_word_t(reads_.count(index, accessed));
    case BANK_WRITES:
        return traffic_word_t(writes_.count(index, accessed));
    case BANK_ROW_HITS:
        return traffic_word_t(row_hits_.count(index, accessed));
    case BANK_ACTIVATES:
        return traffic_word_t(activates_.count(index, activated));
    case BANK_ROW_CONFLICTS:
        return traffic_word_t(row_conflicts_.count(index, activated));
    default:
        return 0;
    }
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void dram_traffic(hls::stream<litemrc::traffic_cycle_word_t> &cycles, hls::stream<litemrc::traffic_ask_t> &asked,
                  hls::stream<litemrc::traffic_word_t> &words HLS_RESTART) {
    HLS_STREAM(cycles)
    HLS_STREAM(asked)
    HLS_STREAM(words)
    HLS_FREE_RUNNING
    HLS_PIPELINED_TOP // a cycle of the DRAM per cycle

    static litemrc::DRAMTraffic traffic;
    static bool known = false;
    HLS_FORWARDED(traffic.reads_.counts_, litemrc::TRAFFIC_CYCLES)
    HLS_FORWARDED(traffic.writes_.counts_, litemrc::TRAFFIC_CYCLES)
    HLS_FORWARDED(traffic.row_hits_.counts_, litemrc::TRAFFIC_CYCLES)
    HLS_FORWARDED(traffic.activates_.counts_, litemrc::TRAFFIC_CYCLES)
    HLS_FORWARDED(traffic.row_conflicts_.counts_, litemrc::TRAFFIC_CYCLES)
    HLS_RESET(known) // memories keep their contents over a reset: no bank's counts are known then

    if (!known) {
        traffic.reset();
        known = true;
    }
    const litemrc::TrafficCycle now = litemrc::unpack_traffic_cycle(cycles.read());
    traffic.step(now);
    if (!now.access && !now.activate && !asked.empty()) // its counts are read with the only port
        words.write(traffic.word(int(asked.read())));
}
#endif
