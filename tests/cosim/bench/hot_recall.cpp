// SPDX-License-Identifier: BSD-2-Clause
// Recall and count error of hot_pages (the C++ of hls/) against exact counts, over the accuracy traces; with `models` those of other
// monitors beside it.
//
//   hot_recall ACCESSES EPOCH unit|models
//
// Prints a line for each trace and monitor: trace, monitor, its block RAMs, epochs, epochs with a hot page, recall in these, the
// lowest recall of an epoch, mean error of the counts listed, relative to the exact ones; pages listed that are not hot; pages
// with a count above the exact one. A page is hot from 1 / 4,096 of the epoch's accesses on. The first epoch is not measured: NeoMem's
// threshold comes from the epoch before. Its counts are those at which a page was found, so their error says little.
#include "accuracy_traces.hpp"
#include "hot_models.hpp"
#include "hot_pages/hot_pages.hpp"

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using namespace litemrc;
using hot_models::Listed;

namespace {

constexpr int WANTED = 64;
static_assert(HOT_PAGES == WANTED);

class Unit {
  public:
    Unit() { unit_->reset(); }

    void access(int frame) { unit_->step(Op{OP_ACCESS, frame_t(frame), 0, 0, 0}, settings_); }

    Listed end_epoch() {
        unit_->step(Op{OP_MARK, 0, 0, 0, 1}, settings_);
        Listed list;
        for (int i = 0; i < int(unit_->epoch().listed); ++i)
            list.push_back({int(unit_->page(i).frame), long(unit_->page(i).count)});
        return list;
    }

    // Two tables with words of 36 bits, 512 to a RAM, and two lists.
    int block_rams() const { return 2 * HOT_WAYS * ((HOT_SETS + 511) / 512) + 2; }

  private:
    std::unique_ptr<HotPages> unit_ = std::make_unique<HotPages>();
    HotSettings settings_{0, FRAMES - 1, 3, 0, 2, HOT_PAGES, 0};
};

struct Score {
    long epochs = 0, hot_epochs = 0, listed = 0, not_hot = 0, too_high = 0;
    double recall = 0, lowest = 1, error = 0;

    // `least`: the count of the last of the `wanted` hottest pages, which are hot.
    void add(const Listed &list, const std::vector<long> &exact, long floor, long least, long wanted) {
        long good = 0;
        for (const auto &[frame, count] : list) {
            good += wanted && exact[frame] >= least;
            not_hot += exact[frame] < floor;
            too_high += count > exact[frame];
            error += std::abs(double(count - exact[frame])) / double(exact[frame]);
            ++listed;
        }
        ++epochs;
        if (!wanted)
            return;
        ++hot_epochs;
        recall += double(good) / double(wanted);
        lowest = std::min(lowest, double(good) / double(wanted));
    }
};

class Monitor {
  public:
    virtual ~Monitor() = default;
    virtual void access(int frame) = 0;
    virtual Listed end_epoch() = 0;
    virtual int block_rams() const = 0;
    virtual void set_threshold(long threshold) = 0;
    Score score;
};

template <typename Model> class Measured : public Monitor {
  public:
    template <typename... Arguments> explicit Measured(Arguments... arguments) : model_(arguments...) {}
    void access(int frame) override { model_.access(frame); }
    Listed end_epoch() override { return model_.end_epoch(); }
    int block_rams() const override { return model_.block_rams(); }
    void set_threshold([[maybe_unused]] long threshold) override {
        if constexpr (std::is_same_v<Model, hot_models::NeoMem>)
            model_.set_threshold(threshold);
    }

  private:
    Model model_;
};

using Monitors = std::vector<std::pair<std::string, std::unique_ptr<Monitor>>>;

Monitors monitors(bool models, long epoch) {
    Monitors all;
    all.emplace_back("hot_pages", std::make_unique<Measured<Unit>>());
    for (const int width : {512, 1024, 2048, 4096, 16384})
        for (const int rows : {2, 4}) {
            if (!models || (width == 512) || (rows == 4 && width == 16384))
                continue;
            const std::string size = std::to_string(rows) + "x" + std::to_string(width);
            all.emplace_back("M5-" + size, std::make_unique<Measured<hot_models::M5>>(rows, width, WANTED, FRAMES));
            all.emplace_back("NeoMem-" + size,
                             std::make_unique<Measured<hot_models::NeoMem>>(rows, width, WANTED, FRAMES, epoch / 1024));
        }
    return all;
}

void measure(const std::string &name, const traces::Trace &trace, long accesses, long epoch, bool models) {
    Monitors all = monitors(models, epoch);
    std::vector<long> exact(FRAMES);
    for (long i = 1; i <= accesses; ++i) {
        const int frame = trace(i - 1);
        ++exact[frame];
        for (auto &[label, monitor] : all)
            monitor->access(frame);
        if (i % epoch)
            continue;
        const long floor = std::max(2L, epoch >> HOT_SHARE_LOG2);
        std::vector<long> sorted(exact);
        std::sort(sorted.begin(), sorted.end(), std::greater<long>());
        const long hot = std::count_if(sorted.begin(), sorted.end(), [floor](long count) { return count >= floor; });
        const long wanted = std::min<long>(WANTED, hot);
        for (auto &[label, monitor] : all) {
            const Listed list = monitor->end_epoch();
            if (i != epoch)
                monitor->score.add(list, exact, floor, wanted ? sorted[wanted - 1] : 0, wanted);
            monitor->set_threshold(std::max(floor, sorted[WANTED - 1]));
        }
        std::fill(exact.begin(), exact.end(), 0);
    }
    for (auto &[label, monitor] : all) {
        const Score &score = monitor->score;
        std::cout << name << " " << label << " " << monitor->block_rams() << " " << score.epochs << " " << score.hot_epochs
                  << " " << (score.hot_epochs ? score.recall / double(score.hot_epochs) : 0.0) << " " << score.lowest << " "
                  << (score.listed ? score.error / double(score.listed) : 0.0) << " " << score.not_hot << " "
                  << score.too_high << std::endl;
    }
}

} // namespace

int main(int argc, char **argv) {
    const long accesses = argc == 4 ? std::strtol(argv[1], nullptr, 10) : 0, epoch = argc == 4 ? std::strtol(argv[2], nullptr, 10) : 0;
    const std::string what = argc == 4 ? argv[3] : "";
    if (accesses <= 0 || epoch <= 0 || (what != "unit" && what != "models")) {
        std::cerr << "usage: hot_recall ACCESSES EPOCH unit|models" << std::endl;
        return 2;
    }
    std::cout << std::fixed << std::setprecision(5);
    traces::for_each([=](const std::string &name, const traces::Trace &trace) {
        measure(name, trace, accesses, epoch, what == "models");
    });
    return 0;
}
