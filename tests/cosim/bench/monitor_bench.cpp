// SPDX-License-Identifier: BSD-2-Clause
// Bench of the whole chain, queue -> page filter around a stack engine -> HitCounters, against the C++ units.
//
//   bench random SEED OPERATIONS
//   bench rate SEED ACCESSES      an access every cycle; the number dropped by a full queue
//   bench stream FILE             accesses to the frames in a file, as one epoch of context 0; prints the RTL's window of it
//
// Compared: every position counted, with its first touch, every word of every epoch's window, and the accesses of each
// epoch that were out of range or not sampled. In every epoch these add up to the accesses that were not frozen. Prints
// counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "filter_ports.hpp"
#include "monitor_chain.hpp"
#include "rtl.hpp"
#include "window_check.hpp"

#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

using namespace litemrc;

namespace {

class MonitorBench {
  public:
    int hold_percent = 0; // cycles in which positions are stalled

    explicit MonitorBench(unsigned seed) : dice_(seed) { reset(); }

    void reset() {
        ::reset(rtl_, chain_.settings);
        chain_.reset();
        window_.reset();
        expected_.clear();
        counted_ = taken_ = 0;
        ending_ = false;
    }

    // New settings followed by a clear, when no operation is in progress.
    void change(const FilterSettings &settings) {
        drain();
        chain_.settings = settings;
        drive(rtl_, settings);
        run(3);
        submit(MemoryOp{OP_CLEAR, 0, 0, 0, 0, 0});
        ++changes_;
    }

    // Offers an operation for a cycle. Returns whether the queue took it.
    bool offer(const MemoryOp &op) {
        rtl_->op_valid = 1;
        drive(rtl_, op);
        const bool taken = clock(&op);
        rtl_->op_valid = 0;
        return taken;
    }

    void submit(const MemoryOp &op) {
        while (op.epoch_end && ending_)
            clock(nullptr);
        while (!offer(op))
            ;
    }

    void run(int clocks) {
        for (int i = 0; i < clocks; ++i)
            clock(nullptr);
    }

    void drain() {
        while (!expected_.empty() || window_.pending() || !rtl_->idle)
            clock(nullptr);
    }

    bool ending() const { return ending_; }
    const std::uint32_t *window() const { return window_.words; }

    void report(std::ostream &out) const {
        out << "accesses " << kinds_[OP_ACCESS] << "\ninvalidations " << kinds_[OP_INVALIDATE] << "\nclaims " << claims_ << "\nclears "
            << kinds_[OP_CLEAR] << "\nmarks " << kinds_[OP_MARK] << "\nfrozen " << frozen_ << "\nengine_ops "
            << chain_.engine_ops << "\nfirst_touches " << first_touches_ << "\nrenumberings " << chain_.renumberings()
            << "\nchanges " << changes_ << "\npositions_compared " << positions_compared_ << "\nepochs_compared "
            << epochs_ << "\nwindow_words_compared " << window_.words_compared << "\nclocks " << rtl_.clocks() << "\n";
    }

  private:
    static constexpr int HANG_CLOCKS = 100000 + 4 * FRAMES;

    bool clock(const MemoryOp *op) {
        rtl_->hold = dice_.percent(hold_percent);
        window_.drive(rtl_);
        rtl_.settle();
        const bool taken = rtl_->op_valid && rtl_->op_ready;
        if (taken)
            take(*op);
        if (rtl_->position_taken)
            compare_position();
        if (rtl_->finished)
            compare(rtl_, uncounted_, epochs_++);
        window_.sample(rtl_);
        ending_ &= window_.pending();
        rtl_.rising_edge();
        quiet_clocks_ = taken || rtl_->position_taken ? 0 : quiet_clocks_ + 1;
        if (quiet_clocks_ > HANG_CLOCKS)
            throw Mismatch("the RTL hangs");
        return taken;
    }

    // The C++ side moves in the cycle in which the queue takes an operation.
    void take(const MemoryOp &op) {
        const Counted counted = chain_.step(op);
        expected_.push_back(counted);
        window_.step(counted);
        ++kinds_[int(op.kind)];
        claims_ += op.kind == OP_INVALIDATE && op.write;
        first_touches_ += counted.first_touch;
        if (op.kind == OP_CLEAR)
            taken_ = counted_ = 0;
        if (op.kind == OP_ACCESS && op.frozen)
            ++frozen_;
        else if (op.kind == OP_ACCESS)
            ++taken_;
        counted_ += counted.position.kind == POSITION_HIT || counted.position.kind == POSITION_MISS;
        if (!op.epoch_end)
            return;
        ending_ = true;
        const std::uint64_t uncounted =
            chain_.uncounted().outside.to_uint64() + chain_.uncounted().unsampled.to_uint64();
        if (taken_ != counted_ + uncounted)
            throw Mismatch("C++: of " + std::to_string(taken_) + " accesses of an epoch " + std::to_string(counted_) +
                           " count and " + std::to_string(uncounted) + " do not");
        taken_ = counted_ = 0;
        uncounted_ = chain_.uncounted();
    }

    void compare_position() {
        const Counted seen = counted_of(rtl_);
        const std::string number = "position " + std::to_string(positions_compared_);
        if (expected_.empty())
            throw Mismatch(number + ": RTL answers what was not asked");
        if (seen != expected_.front())
            throw Mismatch(number + ": RTL " + text(seen) + ", C++ " + text(expected_.front()));
        expected_.pop_front();
        ++positions_compared_;
    }

    Rtl rtl_;
    Dice dice_;
    MonitorChain chain_;
    WindowCheck window_;
    std::deque<Counted> expected_;
    Uncounted uncounted_{0, 0};
    bool ending_ = false; // an end of epoch is in progress: the next one waits, as in the monitor
    std::uint64_t taken_ = 0, counted_ = 0; // accesses of the running epoch, not frozen
    std::uint64_t kinds_[4] = {}, claims_ = 0, frozen_ = 0, first_touches_ = 0, changes_ = 0;
    std::uint64_t positions_compared_ = 0, epochs_ = 0;
    int quiet_clocks_ = 0;
};

// Runs of programs, each with a context, a working set and an access pattern, mixed with all other operations.
void random_bench(unsigned seed, long operations) {
    static const int PERCENTS[] = {0, 0, 25, 75};
    static const int INVALIDATE_PERCENTS[] = {0, 0, 1, 10, 40};
    constexpr long RUN = 2000;
    Dice dice(seed);
    MonitorBench bench(seed + 1);
    long resets = 0;
    bool frozen = false;
    for (long run = 0; run * RUN < operations; ++run) {
        if (run % 20 == 19) {
            FilterSettings settings{0, memory_frame_t(MEMORY_FRAMES - 1), sampling_t(dice.percent(60) ? 0 : dice.below(4)),
                                    ap_uint<1>(dice.percent(40))};
            if (dice.percent(40)) {
                settings.lower = dice.below(MEMORY_FRAMES / 2);
                settings.upper = int(settings.lower) + dice.below(MEMORY_FRAMES / 2);
            }
            bench.change(settings);
        }
        const int idle_percent = PERCENTS[dice.below(4)];
        const int context = dice.below(CONTEXTS), base = dice.below(MEMORY_FRAMES);
        const int working_set = 1 + dice.below(dice.percent(60) ? MEMORY_FRAMES : 8);
        const int repeat_percent = dice.percent(50) ? 0 : 85, invalidate_percent = INVALIDATE_PERCENTS[dice.below(5)];
        const int epoch_ops = dice.percent(30) ? 20 : 3000;
        const bool in_turn = dice.percent(40);
        bench.hold_percent = PERCENTS[dice.below(4)];
        for (int i = 0, page = 0; i < RUN; ++i) {
            if (!dice.percent(repeat_percent))
                page = in_turn ? (page + 1) % working_set : dice.below(working_set);
            MemoryOp op{OP_ACCESS, memory_frame_t((base + page) % MEMORY_FRAMES), context_t(context), ap_uint<1>(dice.below(2)), 0, 0};
            if (dice.percent(5))
                op.context = dice.below(CONTEXTS);
            if (dice.percent(invalidate_percent)) { // with `write` a claim, by any context
                op.kind = OP_INVALIDATE;
                op.context = dice.below(CONTEXTS);
            } else if (dice.below(200) == 0)
                op.kind = OP_MARK;
            else if (dice.below(40000) == 0)
                op.kind = OP_CLEAR;
            op.epoch_end = dice.below(epoch_ops) == 0;
            frozen = dice.below(500) == 0 ? !frozen : frozen;
            op.frozen = frozen;
            while (dice.percent(idle_percent))
                bench.run(1);
            bench.submit(op);
        }
        if (run % 100 == 99) {
            bench.run(dice.below(20));
            bench.reset();
            ++resets;
        }
    }
    bench.submit(MemoryOp{OP_MARK, 0, 0, 0, 1, 0});
    bench.drain();
    std::cout << "resets " << resets << "\n";
    bench.report(std::cout);
}

// An access every cycle to random pages, epochs of 10,000; accesses that find the queue full are dropped.
void rate_bench(unsigned seed, long accesses) {
    Dice dice(seed);
    MonitorBench bench(seed + 1);
    long lost = 0;
    bench.run(8 * FRAMES); // until the sweep is done
    for (long i = 0; i < accesses; ++i) {
        MemoryOp op{OP_ACCESS, memory_frame_t(dice.below(MEMORY_FRAMES)), context_t(dice.below(CONTEXTS)), 0, 0, 0};
        op.epoch_end = i % 10000 == 9999 && !bench.ending();
        lost += !bench.offer(op);
    }
    bench.drain();
    std::cout << "lost " << lost << "\n";
    bench.report(std::cout);
}

void stream_bench(const char *path) {
    std::ifstream file(path);
    const std::vector<int> frames{std::istream_iterator<int>(file), std::istream_iterator<int>()};
    if (!file.eof() || frames.empty())
        throw std::invalid_argument(std::string(path) + " is no list of frames");
    MonitorBench bench(1);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (frames[i] < 0 || frames[i] >= MEMORY_FRAMES)
            throw std::invalid_argument("no frame " + std::to_string(frames[i]));
        bench.submit(MemoryOp{OP_ACCESS, memory_frame_t(frames[i]), 0, 0, ap_uint<1>(i + 1 == frames.size()), 0});
    }
    bench.drain();
    bench.report(std::cout);
    for (int word = 0; word < WINDOW_WORDS; ++word)
        std::cout << "word_" << word << " " << bench.window()[word] << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "stream" && argc == 3)
            return stream_bench(argv[2]);
        if (argc != 4 || (mode != "random" && mode != "rate"))
            throw std::invalid_argument("usage: bench random SEED OPERATIONS | rate SEED ACCESSES | stream FILE");
        const unsigned seed = unsigned(std::strtoul(argv[2], nullptr, 10));
        (mode == "random" ? random_bench : rate_bench)(seed, std::strtol(argv[3], nullptr, 10));
    });
}
