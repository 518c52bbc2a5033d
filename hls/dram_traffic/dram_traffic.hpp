// SPDX-License-Identifier: BSD-2-Clause
// dram_traffic: the DRAM commands of the last epoch that ended: reads, writes, row hits, ACTIVATEs and row conflicts of each bank.
//
// Terms: JEDEC JESD79-3 (DDR3).
//
// A row hit is a read or write to a bank with an earlier one since its ACTIVATE. A row conflict is an ACTIVATE of a bank whose last
// close was its own PRECHARGE, or an auto-precharge: it was closed for another row. PRECHARGE ALL and REFRESH close the banks of a
// rank, for no row. So an ACTIVATE is a conflict if there was one of its bank before, and since then neither of these. Commands count
// in cycles with `count`; rows and the controller's queue are followed in all cycles.
//
// In a cycle there are at most one access and one ACTIVATE, not of one bank, and no ACTIVATE with a PRECHARGE ALL or a REFRESH. The
// epoch ends, or starts again, after them. REFRESHes of several ranks in a cycle count once. Cycles stay at 2^CYCLE_BITS, other counts
// at 2^COUNTER_BITS - 1.
//
// The queue's peak is of all cycles, counted or not. The requests that wait at the begin of a cycle count in the next one: those of
// the cycle in which an epoch ends are of the next epoch.
//
// Where there are more than 16 banks, those whose numbers are equal modulo 16 count together.
//
// Two buffers of counts: the running epoch's, and that of the last one that ended. A bit says of each bank's counts whether they
// are of their buffer's epoch: else they are 0. So an epoch ends, or starts again, in a cycle. (The RTL zeroes a buffer instead,
// in cycles without commands; its answers are the same.)
//
// II = 1: a cycle of the DRAM, with a word asked for if it has neither access nor ACTIVATE.
#pragma once

#include "../common/forwarding.hpp"
#include "../common/stream.hpp"

namespace litemrc {

static_assert(is_power_of_two(BANKS) && is_power_of_two(RANKS) && RANKS <= BANKS && BANKS <= 128,
              "LITEMRC_BANKS must be a power of two up to 128, LITEMRC_RANKS one up to that");
static_assert(COUNTER_BITS <= 32 && CYCLE_BITS <= 62, "a count has at most 32 bits, that of cycles 63");

constexpr int COUNTED_BANKS = BANKS < 16 ? BANKS : 16;
constexpr int ACCEPTED_BITS = 5; // requests accepted in a cycle
constexpr int LEVEL_BITS = 16;   // requests accepted and not issued
constexpr int TRAFFIC_CYCLES = 3; // addressed, read, registered, then changed and written

enum TrafficWord { // of the window
    TRAFFIC_CYCLES_LOW = 0,
    TRAFFIC_CYCLES_HIGH = 1,
    TRAFFIC_REFRESHES = 2,
    TRAFFIC_QUEUE_PEAK = 3,
    TRAFFIC_BANK = 8, // of bank 0; TRAFFIC_BANK_WORDS further for each other one
};
enum BankWord { BANK_READS = 0, BANK_WRITES = 1, BANK_ROW_HITS = 2, BANK_ACTIVATES = 3, BANK_ROW_CONFLICTS = 4 };
constexpr int TRAFFIC_BANK_WORDS = 8;
constexpr int TRAFFIC_WORDS = TRAFFIC_BANK + COUNTED_BANKS * TRAFFIC_BANK_WORDS;

using bank_t = ap_uint<width_of(BANKS)>;
using banks_t = ap_uint<BANKS>; // a bit for each bank
using counted_banks_t = ap_uint<COUNTED_BANKS>;
using ranks_t = ap_uint<RANKS>; // a bit for each rank
using cycles_t = ap_uint<CYCLE_BITS + 1>;
using accepted_t = ap_uint<ACCEPTED_BITS>;
using level_t = ap_uint<LEVEL_BITS>;

// One cycle of the DRAM bus, and of the controller's queue.
struct TrafficCycle {
    ap_uint<1> count;  // the monitor is enabled and not frozen
    ap_uint<1> access; // a read or write
    ap_uint<1> write;
    bank_t access_bank;
    ap_uint<1> activate;
    bank_t activate_bank;
    ranks_t precharge_all;
    ranks_t refresh;
    accepted_t accepted;  // requests
    ap_uint<1> issued;    // a request
    ap_uint<1> clear;     // the running epoch starts again from zero after this cycle
    ap_uint<1> epoch_end; // it ends after this cycle
};

using traffic_cycle_word_t = ap_uint<whole_bytes(7 + 2 * width_of(BANKS) + 2 * RANKS + ACCEPTED_BITS)>;

inline traffic_cycle_word_t pack(const TrafficCycle &now) {
    return packed<traffic_cycle_word_t>(now.count, now.access, now.write, now.access_bank, now.activate, now.activate_bank,
                                        now.precharge_all, now.refresh, now.accepted, now.issued, now.clear, now.epoch_end);
}

inline TrafficCycle unpack_traffic_cycle(traffic_cycle_word_t word) {
    TrafficCycle now;
    unpack_into(word, now.count, now.access, now.write, now.access_bank, now.activate, now.activate_bank, now.precharge_all, now.refresh,
                now.accepted, now.issued, now.clear, now.epoch_end);
    return now;
}

using traffic_ask_t = ap_uint<whole_bytes(width_of(TRAFFIC_WORDS))>; // number of a word
using traffic_word_t = ap_uint<32>;

// One count of all banks, in two buffers. WORD makes it a type of its own: its state may be static (HLS_STATE).
template <int WORD> class BankCounts {
  public:
    counter_t count(int index, bool known) const {
        return known ? in_flight_.newest(index, counts_[index]) : counter_t(0);
    }

    // Stays at its limit.
    void add(int index, bool known, bool more) {
        const counter_t old = count(index, known);
        const bool grows = more && old != counter_t(~counter_t(0));
        counts_[index] = in_flight_.written(index, grows ? counter_t(old + 1) : old);
    }

    HLS_STATE Memory<counter_t, 2 * COUNTED_BANKS, TRAFFIC_CYCLES> counts_;

  private:
    HLS_STATE InFlight<counter_t, 2 * COUNTED_BANKS, TRAFFIC_CYCLES> in_flight_;
};

class DRAMTraffic {
  public:
    // No epoch, no row was accessed, no request waits. Call once before the first step.
    void reset();

    void step(const TrafficCycle &now);

    // A word of the last epoch that ended, of TRAFFIC_WORDS.
    traffic_word_t word(int number) const;

    // Whether its count of cycles reached its limit.
    bool overflow() const { return totals_[1 - buffer_].cycles[CYCLE_BITS] == 1; }

    HLS_STATE BankCounts<BANK_READS> reads_;
    HLS_STATE BankCounts<BANK_WRITES> writes_;
    HLS_STATE BankCounts<BANK_ROW_HITS> row_hits_;
    HLS_STATE BankCounts<BANK_ACTIVATES> activates_;
    HLS_STATE BankCounts<BANK_ROW_CONFLICTS> row_conflicts_;

  private:
    struct Totals {
        cycles_t cycles;
        counter_t refreshes;
        level_t queue_peak;
        counted_banks_t accessed, activated; // banks whose counts are of this epoch: those of accesses, those of ACTIVATEs
    };

    void count(const TrafficCycle &now);
    void follow(const TrafficCycle &now);
    static void begin(Totals &totals);
    traffic_word_t bank_word(int bank, int number) const;

    HLS_STATE Totals totals_[2];
    HLS_STATE int buffer_;             // of the running epoch
    HLS_STATE banks_t row_accessed_; // since its ACTIVATE
    HLS_STATE banks_t row_opened_;   // since all rows of its rank were closed
    HLS_STATE level_t level_, level_before_; // requests that wait, and waited at the begin of the last cycle
};

} // namespace litemrc

// Top function for synthesis: a cycle of the DRAM; if it has neither access nor ACTIVATE, a word that is asked for as well.
void dram_traffic(hls::stream<litemrc::traffic_cycle_word_t> &cycles, hls::stream<litemrc::traffic_ask_t> &asked,
                  hls::stream<litemrc::traffic_word_t> &words HLS_RESTART);
