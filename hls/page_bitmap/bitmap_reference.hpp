// SPDX-License-Identifier: BSD-2-Clause
// Reference for the testbenches of page_bitmap: std::sets of the frames accessed and written. Not synthesizable.
#pragma once

#include "page_bitmap.hpp"

#include <cstdint>
#include <set>

namespace litemrc {

class BitmapReference {
  public:
    void step(const Op &op) {
        if (op.kind == OP_ACCESS) {
            running_.accessed.insert(int(op.frame));
            if (op.write)
                running_.written.insert(int(op.frame));
        }
        if (op.kind == OP_CLEAR)
            running_ = Frames();
        if (op.epoch_end) {
            ended_ = running_;
            running_ = Frames();
        }
    }

    std::uint64_t accessed(int word) const { return word_of(ended_.accessed, word); }
    std::uint64_t written(int word) const { return word_of(ended_.written, word); }

  private:
    struct Frames {
        std::set<int> accessed, written;
    };

    static std::uint64_t word_of(const std::set<int> &frames, int number) {
        std::uint64_t word = 0;
        for (int bit = 0; bit < BITMAP_PAGES; ++bit)
            word |= std::uint64_t(frames.count(number * BITMAP_PAGES + bit)) << bit;
        return word;
    }

    Frames running_, ended_; // the running epoch, the last one that ended
};

} // namespace litemrc
