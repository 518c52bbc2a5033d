// SPDX-License-Identifier: BSD-2-Clause
// C simulation of page_bitmap: words of epochs that ended against std::sets of the frames accessed and written. Returns 1 if they
// differ.
//
//   page_bitmap_tb [OPERATIONS]
#include "../common/print.hpp"
#include "bitmap_reference.hpp"

#include <cstdlib>
#include <iostream>
#include <random>

using namespace litemrc;

namespace {

constexpr int OPS = 300000; // by default; RTL co-simulation wants fewer

} // namespace

int main(int argc, char **argv) {
    const int ops_to_do = argc > 1 ? std::atoi(argv[1]) : OPS;
    std::mt19937 generator(2004);
    const auto random = [&](int n) { return int(generator() % unsigned(n)); };
    hls::stream<op_word_t> ops;
    hls::stream<bitmap_ask_t> asked;
    hls::stream<bitmap_word_t> words;
    BitmapReference reference;
    long epochs = 0, bits = 0;
    int epoch_ops = 1, frames = FRAMES;
    for (int i = 0; i < ops_to_do; ++i) {
        if (random(3000) == 0) { // many short epochs, in which most words keep an old tag; or few long ones
            epoch_ops = 1 + random(random(3) ? 6 : 2000);
            frames = random(3) ? FRAMES : 1 + random(FRAMES);
        }
        Op op{OP_ACCESS, frame_t(random(frames)), 0, ap_uint<1>(random(3) == 0), ap_uint<1>(random(epoch_ops) == 0)};
        const int dice = random(1000);
        op.kind = dice < 50 ? OP_INVALIDATE : dice < 100 ? OP_MARK : dice == 100 ? OP_CLEAR : OP_ACCESS;
        ops.write(pack(op));
        while (!ops.empty()) // it waits for a sweep
            page_bitmap(ops, asked, words);

        reference.step(op);
        epochs += op.epoch_end;
        const int number = random(BANK_WORDS);
        asked.write(bitmap_ask_t(number));
        while (!asked.empty())
            page_bitmap(ops, asked, words);
        BitmapWord word;
        unpack_into(words.read(), word.accessed, word.written);
        const std::uint64_t accessed = word.accessed.to_uint64(), written = word.written.to_uint64();
        bits += accessed != 0;
        if (accessed != reference.accessed(number) || written != reference.written(number)) {
            std::cerr << "page_bitmap_tb: operation " << i << ": " << op << ": word " << number << " is " << std::hex << accessed
                      << " " << written << ", expected " << reference.accessed(number) << " "
                      << reference.written(number) << "\n";
            return 1;
        }
    }
    std::cout << "page_bitmap_tb: " << FRAMES << " frames: " << ops_to_do << " operations, " << epochs << " epochs, " << bits
              << " words with frames as the reference (std::set)\n";
    return 0;
}
