// SPDX-License-Identifier: BSD-2-Clause
// Bench of PageBitmap against the C++ unit.
//
//   bitmap_bench random SEED OPERATIONS   long and very short epochs, with and without free cycles; words are asked for meanwhile
//   bitmap_bench late                     words that are as old as they get, in epochs of one access and one cycle each
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "common/print.hpp"
#include "page_bitmap/bitmap_reference.hpp"
#include "rtl.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

using namespace litemrc;

namespace {

constexpr int RTL_BANK_WORDS = BANK_WORDS > 2 ? BANK_WORDS : 2;

class BitmapBench {
  public:
    BitmapBench() { reset(); }

    void reset() {
        rtl_->rst = 1;
        rtl_->asks = 0;
        drive(nullptr);
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        bitmap_.reset();
        reference_ = BitmapReference();
        asked_ = -1;
    }

    // Executes one operation when the RTL takes it.
    void submit(const Op &op) {
        for (rtl_.settle(); !rtl_->ready; rtl_.settle(), ++waits)
            clock(nullptr);
        clock(&op);
    }

    void idle(int clocks) {
        for (int i = 0; i < clocks; ++i)
            clock(nullptr);
    }

    // Asks for a word of accessed frames, or, from BANK_WORDS on, of written ones.
    void ask(int number) {
        asked_ = number;
        rtl_->asks = 1;
        rtl_->adr = number < BANK_WORDS ? number : number - BANK_WORDS + RTL_BANK_WORDS;
    }

    bool asks() const { return asked_ >= 0; }

    std::uint64_t ops = 0, bits = 0, epochs = 0, waits = 0, words = 0;

  private:
    void drive(const Op *op) {
        rtl_->touch = op && op->kind == OP_ACCESS;
        rtl_->write = op && op->write;
        rtl_->clear = op && op->kind == OP_CLEAR;
        rtl_->advance = op && op->epoch_end;
        rtl_->frame = op ? int(op->frame) : int(ops % FRAMES);
    }

    void clock(const Op *op) {
        drive(op);
        rtl_.settle();
        if (rtl_->answers)
            compare();
        rtl_.rising_edge();
        if (op)
            execute(*op);
    }

    void compare() {
        if (!asks())
            throw Mismatch("operation " + std::to_string(ops) + ": an answer, but no word is asked for");
        const int number = asked_ % BANK_WORDS;
        while (!bitmap_.may_ask())
            bitmap_.sweep();
        const BitmapWord word = bitmap_.published(number);
        const bool written = asked_ >= BANK_WORDS;
        const std::uint64_t cpp = written ? word.written.to_uint64() : word.accessed.to_uint64();
        const std::uint64_t reference = written ? reference_.written(number) : reference_.accessed(number);
        const std::uint64_t rtl = std::uint64_t(rtl_->dat_r);
        if (rtl != cpp || cpp != reference)
            throw Mismatch("operation " + std::to_string(ops) + ", word " + std::to_string(asked_) + ": RTL " +
                           std::to_string(rtl) + ", C++ " + std::to_string(cpp) + ", reference " + std::to_string(reference));
        ++words;
        bits += rtl != 0;
        asked_ = -1;
        rtl_->asks = 0;
    }

    void execute(const Op &op) {
        bitmap_.step(op);
        reference_.step(op);
        ++ops;
        epochs += op.epoch_end;
    }

    Rtl rtl_;
    PageBitmap bitmap_;
    BitmapReference reference_;
    int asked_ = -1;
};

void random_bench(unsigned seed, long operations) {
    Dice dice(seed);
    BitmapBench bench;
    int epoch_ops = 1, frames = FRAMES, idle_percent = 0, ask_percent = 1;
    bool only_accesses = false;
    for (long i = 0; i < operations; ++i) {
        if (i % 500 == 0) {
            epoch_ops = 1 + dice.below(dice.percent(40) ? 3 : dice.percent(50) ? 20 : 5000);
            only_accesses = dice.percent(50); // others leave a cycle free
            frames = dice.percent(40) ? 1 + dice.below(4) : 1 + dice.below(FRAMES);
            idle_percent = dice.percent(50) ? 0 : dice.below(90);
            ask_percent = dice.percent(50) ? 1 : 50; // asking renews a word: mostly so seldom that the sweep must
        }
        Op op{OP_ACCESS, frame_t(dice.below(frames)), 0, ap_uint<1>(dice.percent(30)), ap_uint<1>(dice.below(epoch_ops) == 0)};
        const int kind = only_accesses ? 1000 : dice.below(1000);
        if (kind < 50)
            op.kind = OP_INVALIDATE;
        else if (kind < 60)
            op.kind = OP_MARK;
        else if (kind == 60)
            op.kind = OP_CLEAR;
        while (dice.percent(idle_percent))
            bench.idle(1);
        if (!bench.asks() && dice.percent(ask_percent))
            bench.ask((dice.percent(50) ? dice.below(BANK_WORDS) : dice.below(frames) / BITMAP_PAGES) +
                      dice.below(2) * BANK_WORDS);
        while (bench.asks() && op.epoch_end) // the answer would be of either epoch
            bench.idle(1);
        bench.submit(op);
        if (dice.below(20000) == 0)
            bench.reset();
    }
    std::cout << "operations " << bench.ops << "\nwords " << bench.words << "\nbits " << bench.bits << "\nepochs " << bench.epochs
              << "\nwaits " << bench.waits << "\n";
}

// All frames are accessed in epoch 15. In epoch 16 the sweep renews these words, and until epoch 47, whose tag and bank are
// the same, no cycle is free but those that the sweep is waited for.
void late_bench() {
    BitmapBench bench;
    bench.idle(FRAMES);
    for (int epoch = 0; epoch < 16; ++epoch)
        for (int frame = 0; frame < FRAMES; ++frame)
            bench.submit(Op{OP_ACCESS, frame_t(frame), 0, 1, ap_uint<1>(frame == FRAMES - 1)});
    bench.idle(FRAMES);
    for (int epoch = 16; epoch < 48; ++epoch)
        bench.submit(Op{OP_ACCESS, 0, 0, 0, 1});
    std::cout << "waits " << bench.waits << "\n";
    for (int number = 0; number < 2 * BANK_WORDS; ++number)
        for (bench.ask(number); bench.asks();)
            bench.idle(1);
    std::cout << "words " << bench.words << "\nbits " << bench.bits << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
        else if (mode == "late" && argc == 2)
            late_bench();
        else
            throw std::invalid_argument("usage: bench random SEED OPERATIONS | late");
    });
}
