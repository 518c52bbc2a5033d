// SPDX-License-Identifier: BSD-2-Clause
// Memories that a pipeline reads and writes in every cycle: an operation reads a word, changes it and writes it some cycles
// later. The operations between have read the old word, so they take the new one from registers.
//
// Memory<Word, SIZE, CYCLES>     an array. A word written in one cycle may be missing from the reads of the next CYCLES
//                                cycles, but of no later one. One read and one write a cycle: its two ports.
// InFlight<Word, SIZE, CYCLES>   registers with the last CYCLES writes to it
// HLS_FORWARDED(memory, CYCLES)  the same for Vitis HLS: a read depends on writes more than CYCLES iterations ago, and on no
//                                others. The compiler may take up to CYCLES cycles from the read to the write. `dependence
//                                false` would claim the same without limiting these cycles.
// HLS_FORWARDED_AT_ONCE(memory)  nor on the writes of its own iteration, which InFlight of CYCLES + 1 words then holds
// HLS_NOT_READ_LATER(memory)     no iteration reads what an earlier one wrote
//
// CYCLES are those of the RTL. Bambu pipelines no loops, and software has no cycles: there the registers are left out, and
// what remains is an array.
//
// With LITEMRC_LATE_WRITES every memory is a model with exactly this latency, and its ports are checked. A cycle is an
// execution of HLS_PIPELINED_TOP. The C simulation runs on it, too (hls/Makefile); tests/hls removes single registers.
#pragma once

#include "config.hpp"
#include "words.hpp"

#define HLS_FORWARDED(memory, cycles) \
    FOR_VITIS(HLS dependence variable = memory type = inter direction = RAW distance = cycles + 1 dependent = true)
#define HLS_FORWARDED_AT_ONCE(memory) \
    FOR_VITIS(HLS dependence variable = memory type = intra direction = RAW dependent = false)
#define HLS_NOT_READ_LATER(memory) \
    FOR_VITIS(HLS dependence variable = memory type = inter direction = RAW dependent = false)

#ifdef LITEMRC_LATE_WRITES
#include "late_memory.hpp"
#undef HLS_PIPELINED_TOP
#define HLS_PIPELINED_TOP litemrc::LateCycle::next();
#endif

namespace litemrc {

#ifdef LITEMRC_LATE_WRITES
template <typename Word, int SIZE, int CYCLES> using Memory = LateMemory<Word, SIZE, CYCLES>;
#else
template <typename Word, int SIZE, int CYCLES> using Memory = Stored<Word>[SIZE];
#endif

#if defined(__VITIS_HLS__) || defined(LITEMRC_LATE_WRITES)
constexpr bool PIPELINED = true;
#else
constexpr bool PIPELINED = false;
#endif

template <typename Word, int SIZE, int CYCLES, bool USED = PIPELINED> class InFlight {
  public:
    // The newest word of an address; `read` is the memory's.
    Word newest(int address, Word read) const {
        HLS_REGISTERS(addresses_)
        HLS_REGISTERS(words_)
        for (int age = CYCLES - 1; age >= 0; --age) {
            HLS_UNROLL // compared in parallel; the youngest has priority
            if (addresses_[age] == address)
                read = words_[age];
        }
        return read;
    }

    // Keeps a word that is written to the memory, and returns it. Registers need no initial values: the first use of a memory
    // is to write all its words.
    Word written(int address, const Word &word) {
        for (int age = CYCLES - 1; age > 0; --age) {
            HLS_UNROLL
            addresses_[age] = addresses_[age - 1];
            words_[age] = words_[age - 1];
        }
        addresses_[0] = address;
        words_[0] = word;
        return word;
    }

  private:
    ap_uint<width_of(SIZE)> addresses_[CYCLES];
    Word words_[CYCLES];
};

template <typename Word, int SIZE, int CYCLES> class InFlight<Word, SIZE, CYCLES, false> {
  public:
    Word newest(int, const Word &read) const { return read; }
    Word written(int, const Word &word) const { return word; }
};

} // namespace litemrc
