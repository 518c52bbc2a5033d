// Prediction of the next chip and its time, by the last successor of a page or of a pair of chips.
#pragma once

#include "stacks/page_table.hpp"

#include <cstdint>
#include <vector>

namespace litemrc_native {

struct Successor {
    static constexpr uint32_t NONE = UINT32_MAX;
    static constexpr uint32_t SURE = 3;

    uint32_t chip = NONE, confidence = 0;
    uint64_t gap_fs = 0;

    bool sure() const { return confidence >= SURE; }
};

class Successors {
  public:
    // `near_fs`: gaps up to it count as equal; `tolerance_fs`: longer gaps agree within this or an eighth.
    Successors(uint32_t pages, uint32_t chips, uint64_t near_fs, uint64_t tolerance_fs)
        : near_(near_fs), tolerance_(tolerance_fs), chips_(chips), by_page_(size_t(pages) * 2) {}

    uint64_t tolerance(uint64_t gap_fs) const {
        return gap_fs <= near_ ? 0 : gap_fs / 8 > tolerance_ ? gap_fs / 8 : tolerance_;
    }

    // Returns the expected successor of an access.
    const Successor &after(uint32_t page, uint32_t chip, bool write) {
        page_ = size_t(page) * 2 + write;
        pairs_.reserve(1);
        chip_ = pairs_.find_or_insert((uint64_t(chip) * chips_ + last_) * 2 + write, uint32_t(by_chip_.size()));
        if (chip_ == by_chip_.size())
            by_chip_.emplace_back();
        last_ = chip;
        begun_ = true;
        return by_page_[page_].sure() ? by_page_[page_] : by_chip_[chip_];
    }

    // Records the actual successor of the last access.
    void learn(uint32_t chip, uint64_t gap_fs) {
        if (!begun_)
            return;
        learn(by_page_[page_], chip, gap_fs);
        learn(by_chip_[chip_], chip, gap_fs);
    }

  private:
    void learn(Successor &entry, uint32_t chip, uint64_t gap_fs) const {
        if (entry.chip == chip && agree(entry.gap_fs, gap_fs)) {
            entry.confidence += entry.confidence < Successor::SURE;
            entry.gap_fs = gap_fs;
        } else if (entry.confidence > 1) {
            --entry.confidence;
        } else {
            entry = {chip, 1, gap_fs};
        }
    }

    bool agree(uint64_t told, uint64_t gap) const {
        if (told <= near_ && gap <= near_)
            return true;
        return (told > gap ? told - gap : gap - told) <= (told <= near_ ? tolerance_ : tolerance(told));
    }

    const uint64_t near_, tolerance_;
    const uint64_t chips_;
    std::vector<Successor> by_page_, by_chip_;
    PageTable pairs_; // where in by_chip_ the entry of a chip, the chip before and a direction is
    size_t page_ = 0, chip_ = 0; // entries of the last access
    uint32_t last_ = 0;
    bool begun_ = false;
};

} // namespace litemrc_native
