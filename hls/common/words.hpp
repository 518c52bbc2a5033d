// SPDX-License-Identifier: BSD-2-Clause
// Records as words: the first field in the lowest bits. Streams and memories hold words, whose width every HLS compiler
// understands alike; structs they pad each in its own way, and Vitis HLS does not pack them on an AXI4 stream (UG1399,
// "Structs in the Interface").
#pragma once

#include "compiler.hpp"

#include <ap_int.h>
#include <type_traits>

namespace litemrc {

// AXI4 streams carry whole bytes; the bits above the record are 0.
constexpr int whole_bytes(int bits) { return (bits + 7) / 8 * 8; }

// A word of a memory. Bambu keeps an ap_uint in 64 bits, and an integer of C in its own number.
#ifdef __BAMBU__
template <typename Word> class Stored {
  public:
    operator Word() const { return Word(bits_); }
    Stored &operator=(const Word &word) {
        bits_ = Bits(word.to_uint64());
        return *this;
    }

  private:
    static constexpr int WIDTH = Word::width;
    using Bits = std::conditional_t<
        WIDTH <= 8, unsigned char,
        std::conditional_t<WIDTH <= 16, unsigned short, std::conditional_t<WIDTH <= 32, unsigned, unsigned long long>>>;

    Bits bits_;
};
#else
template <typename Word> using Stored = Word;
#endif

template <typename Word> Word packed() { return 0; }

template <typename Word, int W, typename... Fields>
Word packed(const ap_uint<W> &lowest, const Fields &...others) {
    return Word(packed<Word>(others...) << W) | Word(lowest);
}

template <typename Word> void unpack_into(const Word &) {}

template <typename Word, int W, typename... Fields>
void unpack_into(const Word &word, ap_uint<W> &lowest, Fields &...others) {
    lowest = word;
    unpack_into(Word(word >> W), others...);
}

} // namespace litemrc
