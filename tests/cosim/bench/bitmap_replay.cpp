// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden page bitmap through the C++ unit.
//
//   bitmap_replay VECTORS
//
// VECTORS, plain numbers: first the number of frames; then a line for each operation, "kind frame write epoch_end"; at the end
// of an epoch followed by "accessed written", the numbers of its frames, and by these frames.
// Returns 1 at the first difference.
#include "page_bitmap/page_bitmap.hpp"
#include "vectors.hpp"

#include <cstdint>
#include <iostream>
#include <set>

using namespace litemrc;

namespace {

std::set<int> frames_of(Vectors &vectors, int count) {
    std::set<int> frames;
    for (int frame; count > 0 && vectors >> frame; --count)
        frames.insert(frame);
    return frames;
}

std::set<int> published(PageBitmap &bitmap, bool written) {
    std::set<int> frames;
    for (int number = 0; number < BANK_WORDS; ++number) {
        const BitmapWord word = bitmap.published(number);
        const std::uint64_t bits = written ? word.written.to_uint64() : word.accessed.to_uint64();
        for (int bit = 0; bit < BITMAP_PAGES; ++bit)
            if (bits >> bit & 1)
                frames.insert(number * BITMAP_PAGES + bit);
    }
    return frames;
}

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {FRAMES});
    static PageBitmap bitmap;
    bitmap.reset();
    unsigned ops = 0, epochs = 0;
    std::size_t frames = 0;
    int kind, frame, write, epoch_end;
    while (vectors >> kind >> frame >> write >> epoch_end) {
        bitmap.step(Op{ap_uint<2>(kind), frame_t(frame), 0, ap_uint<1>(write), ap_uint<1>(epoch_end)});
        ++ops;
        if (!epoch_end)
            continue;
        int accessed_count = 0, written_count = 0;
        vectors >> accessed_count >> written_count;
        const std::set<int> accessed = frames_of(vectors, accessed_count), written = frames_of(vectors, written_count);
        while (!bitmap.may_ask())
            bitmap.sweep();
        if (published(bitmap, false) != accessed || published(bitmap, true) != written)
            throw Mismatch("operation " + std::to_string(ops) + ": the frames of the epoch that it ends differ");
        ++epochs;
        frames += accessed.size();
    }
    vectors.check_end(ops);
    std::cout << "operations " << ops << "\nepochs " << epochs << "\nframes " << frames << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
