// SPDX-License-Identifier: BSD-2-Clause
// Bench of HotPages against the C++ unit: lists, flags and queues of random epochs.
//
//   hot_bench SEED OPERATIONS
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "common/print.hpp"
#include "hot_pages/hot_pages.hpp"
#include "rtl.hpp"

#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

using namespace litemrc;

namespace {

constexpr int DRAINED = 16;             // cycles from an access to the queue, and some more
constexpr int PATIENCE = 400 * HOT_SETS * HOT_WAYS; // cycles to make a list of up to 64 pages

struct List {
    HotEpoch epoch;
    std::vector<hot_word_t> pages;
};

class HotBench {
  public:
    explicit HotBench(Dice &dice) : dice_(dice) { reset(); }

    void reset() {
        rtl_->rst = 1;
        rtl_->access = rtl_->epoch_end = rtl_->discard = rtl_->queue_ready = rtl_->clear_overflow = 0;
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        unit_.reset();
        expected_.clear();
        read_ = shown_ = 0;
        overflow_ = false;
        set(HotSettings{0, frame_t(FRAMES - 1), 3, 0, 2, HOT_PAGES, 0});
    }

    // Only without lists in the making.
    void set(const HotSettings &settings) {
        settings_ = settings;
        rtl_->lower = int(settings.lower);
        rtl_->upper = int(settings.upper);
        rtl_->kinds = int(settings.kinds);
        rtl_->sampling_log2 = int(settings.sampling_log2);
        rtl_->threshold = int(settings.threshold);
        rtl_->wanted = int(settings.wanted);
        rtl_->always_on = int(settings.always_on);
        rtl_->watermark = 1 + dice_.below(HOT_QUEUE);
        clock(nullptr);
    }

    // Executes one operation when the RTL takes it.
    void submit(const Op &op) {
        int waited = 0;
        for (rtl_.settle(); !rtl_->ready; rtl_.settle(), ++waits) {
            if (++waited > PATIENCE)
                throw Mismatch("operation " + std::to_string(ops) + ": RTL is not ready for " + std::to_string(waited) + " cycles");
            clock(nullptr);
        }
        clock(&op);
        ++ops;
        if (unit_.step(op, settings_)) {
            List list{unit_.epoch(), {}};
            for (int i = 0; i < int(list.epoch.listed); ++i)
                list.pages.push_back(pack(unit_.page(i)));
            expected_.push_back(list);
        }
    }

    void idle(int clocks) {
        for (int i = 0; i < clocks; ++i)
            clock(nullptr);
    }

    // Waits for all lists.
    void settle() {
        for (int waited = 0; !expected_.empty(); ++waited) {
            if (waited > PATIENCE)
                throw Mismatch("operation " + std::to_string(ops) + ": no list");
            clock(nullptr);
        }
    }

    // Compares the queue and takes some of its pages.
    void take(int pages) {
        idle(DRAINED);
        overflow_ = unit_.take_overflow() || overflow_;
        check("overflow of the queue", rtl_->queue_overflow, overflow_);
        check("watermark", rtl_->queued, unit_.queued() >= int(rtl_->watermark));
        overflows += overflow_;
        overflow_ = false;
        rtl_->clear_overflow = 1;
        clock(nullptr);
        rtl_->clear_overflow = 0;
        for (; pages; --pages) {
            rtl_.settle();
            check("queue", rtl_->queue_valid, unit_.queued() != 0);
            if (!unit_.queued())
                break;
            check("queued frame", rtl_->queue_frame, int(unit_.take().frame));
            ++queued;
            rtl_->queue_ready = 1;
            clock(nullptr);
            rtl_->queue_ready = 0;
        }
        idle(2); // the watermark follows
    }

    std::uint64_t ops = 0, epochs = 0, empty = 0, listed = 0, queued = 0, waits = 0, more = 0, saturated = 0, overflows = 0;

  private:
    void clock(const Op *op) {
        rtl_->access = op && op->kind == OP_ACCESS;
        rtl_->frame = op ? int(op->frame) : int(ops % FRAMES);
        rtl_->write = op ? int(op->write) : int(ops & 1);
        rtl_->epoch_end = op && op->epoch_end;
        rtl_->discard = op && op->kind == OP_CLEAR;
        // Page `read_` is addressed, page read_ - 1 shown.
        rtl_->window_adr = read_ % HOT_PAGES;
        rtl_.settle();
        if (!expected_.empty() && shown_)
            compare();
        const bool published = rtl_->published;
        rtl_.rising_edge();
        if (published) {
            if (expected_.empty() || shown_)
                throw Mismatch("operation " + std::to_string(ops) + ": a list too many, or before the last one was read");
            shown_ = 1;
            read_ = 0;
        }
    }

    void compare() {
        const List &list = expected_.front();
        if (read_ == 0) {
            check("listed pages", rtl_->listed, int(list.epoch.listed));
            check("more", rtl_->more, int(list.epoch.more));
            check("accesses", long(rtl_->accesses), long(list.epoch.accesses));
            check("saturated", rtl_->saturated, int(list.epoch.saturated));
        } else {
            const hot_word_t page = list.pages[read_ - 1];
            check("listed page", long(rtl_->window_dat_r),
                  long(unpack_hot_page(page).frame) | long(unpack_hot_page(page).count) << width_of(FRAMES));
            ++listed;
        }
        if (read_++ < int(list.pages.size()))
            return;
        ++epochs;
        empty += list.pages.empty();
        more += int(list.epoch.more);
        saturated += int(list.epoch.saturated);
        expected_.pop_front();
        shown_ = 0;
    }

    void check(const char *what, long rtl, long cpp) {
        if (rtl != cpp)
            throw Mismatch("operation " + std::to_string(ops) + ", epoch " + std::to_string(epochs) + ": " + what + ": RTL " +
                           std::to_string(rtl) + ", C++ " + std::to_string(cpp));
    }

    Dice &dice_;
    Rtl rtl_;
    HotPages unit_;
    HotSettings settings_;
    std::deque<List> expected_; // of epochs that ended
    int shown_ = 0, read_ = 0;
    bool overflow_ = false;
};

HotSettings random_settings(Dice &dice) {
    const int from = dice.percent(70) ? 0 : dice.below(FRAMES), to = dice.percent(70) ? FRAMES - 1 : dice.below(FRAMES);
    return {frame_t(std::min(from, to)), frame_t(std::max(from, to)), ap_uint<2>(dice.percent(80) ? 3 : 1 + dice.below(2)),
            ap_uint<4>(dice.percent(70) ? 0 : dice.below(5)), hot_count_t(1 + dice.below(dice.percent(50) ? 4 : 30)),
            ap_uint<width_of(HOT_PAGES) + 1>(dice.percent(60) ? HOT_PAGES : 1 + dice.below(HOT_PAGES)), ap_uint<1>(dice.percent(60))};
}

void run(unsigned seed, long operations) {
    Dice dice(seed);
    HotBench bench(dice);
    int epoch_ops = 1, pages = FRAMES, idle_percent = 0, stride = 1, far_percent = 30;
    for (long i = 0; i < operations; ++i) {
        if (i % 1000 == 0) {
            // Mostly long enough for the list of the epoch before.
            epoch_ops = 1 + dice.below(dice.percent(5) ? 20 : dice.percent(30) ? 8 * HOT_SETS : 60 * HOT_SETS);
            pages = dice.percent(50) ? 1 + dice.below(2 * HOT_WAYS) : 1 + dice.below(FRAMES);
            stride = dice.percent(50) ? 1 : HOT_SETS;
            idle_percent = dice.percent(60) ? 0 : dice.below(90);
            far_percent = dice.below(60);
        }
        const int page = dice.percent(far_percent) ? dice.below(FRAMES) : std::min(dice.below(pages), dice.below(pages));
        // A page's tag is mixed into its set, so that a stride alone would not meet one set.
        const int frame = int((long(page) * stride + page * stride / FRAMES) % FRAMES);
        Op op{OP_ACCESS, frame_t(frame), 0, ap_uint<1>(dice.below(2)), ap_uint<1>(dice.below(epoch_ops) == 0)};
        const int kind = dice.below(5000);
        op.kind = kind < 100 ? OP_INVALIDATE : kind < 150 ? OP_MARK : kind == 150 ? OP_CLEAR : OP_ACCESS;
        if (op.kind == OP_CLEAR)
            op.epoch_end = 0;
        while (dice.percent(idle_percent))
            bench.idle(1);
        bench.submit(op);
        if (dice.below(300) == 0)
            bench.take(dice.below(HOT_QUEUE + 2));
        if (dice.below(4000) == 0) {
            bench.settle();
            bench.idle(DRAINED);
            bench.set(random_settings(dice));
        }
        if (dice.below(50000) == 0)
            bench.reset();
    }
    bench.settle();
    bench.take(HOT_QUEUE);
    std::cout << "operations " << bench.ops << "\nepochs " << bench.epochs << "\nempty " << bench.empty << "\nlisted "
              << bench.listed << "\nqueued " << bench.queued << "\nwaits " << bench.waits << "\nmore " << bench.more
              << "\nsaturated " << bench.saturated << "\noverflows " << bench.overflows << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        if (argc != 3)
            throw std::invalid_argument("usage: hot_bench SEED OPERATIONS");
        run(unsigned(std::strtoul(argv[1], nullptr, 10)), std::strtol(argv[2], nullptr, 10));
    });
}
