// SPDX-License-Identifier: BSD-2-Clause
// Hotness monitors of the literature, as far as recall depends on them; models for comparison, no hardware of this project.
//
// M5-like (Sun et al., ASPLOS 2025): a count-min sketch and a sorted CAM of K pages. An access is counted in every row;
// the smallest of its counters is its estimate. The estimate goes to the page's entry of the CAM, or displaces the smallest.
//
// NeoMem-like (Zhou et al., MICRO 2024): a count-min sketch, and a buffer of pages whose estimate reached a threshold,
// each once in an epoch. The software gets pages, no counts; it sets the threshold. Here an oracle sets it for each epoch: to the exact
// count of the K-th page in the epoch before.
//
// Left out: decay of counters, histograms, the limits of the authors' hardware.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace hot_models {

using Listed = std::vector<std::pair<int, long>>; // frame, count; largest first

// Counters of 16 bits, as a DP16KD holds 1,024 of.
class Sketch {
  public:
    Sketch(int rows, int width) : width_(width), counters_(rows, std::vector<std::uint16_t>(width)) {}

    long count(int frame) {
        long least = UINT16_MAX;
        for (std::size_t row = 0; row < counters_.size(); ++row) {
            std::uint16_t &counter = counters_[row][hashed(frame, row)];
            counter += counter != UINT16_MAX;
            least = std::min<long>(least, counter);
        }
        return least;
    }

    void clear() {
        for (auto &row : counters_)
            std::fill(row.begin(), row.end(), 0);
    }

    // Block RAMs of 18 Kbit, twice: one sketch counts while the other one is cleared.
    int block_rams() const { return 2 * int(counters_.size()) * ((width_ + 1023) / 1024); }

  private:
    std::size_t hashed(int frame, std::size_t row) const {
        static const std::uint32_t multipliers[] = {2654435761u, 2246822519u, 3266489917u, 668265263u};
        std::uint32_t x = std::uint32_t(frame + 1) * multipliers[row];
        x ^= x >> 15;
        return (x * 2246822519u >> 7) & std::uint32_t(width_ - 1); // a power of two
    }

    int width_;
    std::vector<std::vector<std::uint16_t>> counters_;
};

class M5 {
  public:
    M5(int rows, int width, std::size_t wanted, int frames) : sketch_(rows, width), wanted_(wanted), place_(frames, -1) {}

    void access(int frame) {
        const long estimate = sketch_.count(frame);
        if (place_[frame] >= 0) {
            cam_[place_[frame]].second = estimate;
        } else if (cam_.size() < wanted_) {
            place_[frame] = int(cam_.size());
            cam_.push_back({frame, estimate});
        } else if (estimate > least_) { // no entry has less: estimates only grow
            const auto smallest = std::min_element(cam_.begin(), cam_.end(), smaller);
            least_ = smallest->second;
            if (least_ < estimate) {
                place_[frame] = place_[smallest->first];
                place_[smallest->first] = -1;
                *smallest = {frame, estimate};
            }
        }
    }

    Listed end_epoch() {
        Listed list;
        std::swap(list, cam_);
        for (const auto &[frame, count] : list)
            place_[frame] = -1;
        std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
        sketch_.clear();
        least_ = 0;
        return list;
    }

    int block_rams() const { return sketch_.block_rams(); } // the CAM is of registers

  private:
    static bool smaller(const std::pair<int, long> &a, const std::pair<int, long> &b) { return a.second < b.second; }

    Sketch sketch_;
    std::size_t wanted_;
    std::vector<int> place_; // of each frame in the CAM, or -1
    Listed cam_;
    long least_ = 0;
};

class NeoMem {
  public:
    NeoMem(int rows, int width, std::size_t wanted, int frames, long threshold)
        : sketch_(rows, width), wanted_(wanted), found_(frames), threshold_(threshold) {}

    void access(int frame) {
        const long estimate = sketch_.count(frame);
        if (estimate < threshold_ || found_[frame])
            return;
        found_[frame] = true;
        if (list_.size() < wanted_)
            list_.push_back({frame, estimate});
    }

    void set_threshold(long threshold) { threshold_ = threshold; }

    Listed end_epoch() {
        Listed list;
        std::swap(list, list_);
        std::fill(found_.begin(), found_.end(), false);
        sketch_.clear();
        return list;
    }

    int block_rams() const { return sketch_.block_rams() + 1; } // and the buffer

  private:
    Sketch sketch_;
    std::size_t wanted_;
    std::vector<bool> found_;
    long threshold_;
    Listed list_;
};

} // namespace hot_models
