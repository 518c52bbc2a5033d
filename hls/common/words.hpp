// Records as words: the first field in the lowest bits. Streams and memories hold words, whose width every HLS compiler
// understands alike; structs they pad each in its own way, and Vitis HLS does not pack them on an AXI4 stream (UG1399,
// "Structs in the Interface").
#pragma once

#include "compiler.hpp"

#include <ap_int.h>

namespace litemrc {

// AXI4 streams carry whole bytes; the bits above the record are 0.
constexpr int whole_bytes(int bits) { return (bits + 7) / 8 * 8; }

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
