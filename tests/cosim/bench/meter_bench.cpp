// SPDX-License-Identifier: BSD-2-Clause
// Bench of RankMeter behind GroupStack against the C++ units.
//
//   meter_bench random SEED CLOCKS   runs of different rates of everything; resets
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "common/print.hpp"
#include "group_stack/group_stack.hpp"
#include "meter_stimulus.hpp"
#include "rank_meter/rank_meter.hpp"
#include "rtl.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>

using namespace litemrc;

namespace {

constexpr int HIT_WORDS = CONTEXTS * 2 * GROUPS;
constexpr long HANG_CLOCKS = 200000 + 40L * FRAMES;

class MeterBench {
  public:
    explicit MeterBench(unsigned seed) : dice_(seed), stimulus_(seed + 1) { reset(); }

    void reset() {
        rtl_->rst = 1;
        rtl_->op_valid = rtl_->epoch = rtl_->snapshot = rtl_->n_mrc_written = rtl_->n_mrc_automatic = 0;
        rtl_->n_mrc_size = size_ = GROUPS;
        rtl_->n_mrc_epsilon = 0;
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        stack_.clear();
        meter_.reset();
        stimulus_.reset();
        sizes_.clear();
        automatic_ = false;
        reading_ = METER_WINDOW_WORDS + 2;
        published_ = clocks_ = 0;
    }

    void clock() {
        drive_engine();
        drive_settings();
        const MeterClock now = drive_domains();
        drive_window();
        rtl_->n_mrc_bus_reads = dice_.percent(20);
        rtl_->n_mrc_bus_adr = dice_.below(HIT_WORDS);
        rtl_->n_mrc_window_dat_r = hit_words_.back();
        rtl_.settle();

        if (rtl_->n_mrc_bus_reads && rtl_->n_mrc_window_adr != rtl_->n_mrc_bus_adr)
            throw Mismatch(where() + "the bus reads another word of the hit counters");
        hit_words_.push_front(hits_[int(rtl_->n_mrc_window_adr)]);
        hit_words_.pop_back();
        check_size();
        if (rtl_->taken)
            take_snapshot();
        meter_.clock(now);
        ++clocks_;
        check_window();
        if (rtl_->op_valid && rtl_->op_ready) {
            take(op_);
            offered_ = false;
        }
        held += rtl_->held;
        rtl_.rising_edge();
        ++all_clocks;
        if (++quiet_ > HANG_CLOCKS)
            throw Mismatch(where() + "no snapshot for long");
    }

    long all_clocks = 0, ops = 0, moves = 0, clears = 0, snapshots = 0, words = 0, sizes = 0, overflows = 0, held = 0, resets = 0;

  private:
    std::string where() const { return "clock " + std::to_string(all_clocks) + ": "; }

    void drive_engine() {
        if (!offered_ && !dice_.percent(stimulus_.idle_percent())) {
            op_ = stimulus_.op();
            offered_ = true;
        }
        rtl_->hold = dice_.percent(5);
        rtl_->op_valid = offered_;
        rtl_->op_kind = op_.kind;
        rtl_->op_frame = op_.frame;
        rtl_->op_context = op_.context;
        rtl_->op_write = op_.write;
        rtl_->op_epoch_end = 0;
    }

    // Settings change and epochs end only while the meter is not busy, as required; snapshots are requested at any time.
    void drive_settings() {
        rtl_->epoch = rtl_->n_mrc_written = 0;
        rtl_.settle();
        const bool free = !rtl_->busy && reading_ > METER_WINDOW_WORDS;
        rtl_->snapshot = reading_ > METER_WINDOW_WORDS && dice_.below(stimulus_.snapshot_clocks()) == 0;
        if (free && dice_.below(2000) == 0) {
            const bool automatic = dice_.below(2);
            rtl_->n_mrc_epsilon = dice_.percent(50) ? dice_.below(1 << 16) : dice_.below(2000);
            const bool falls = automatic_ && !automatic;
            if (falls || dice_.below(2)) {
                size_ = dice_.below(2 * GROUPS);
                rtl_->n_mrc_size = size_;
                rtl_->n_mrc_written = !falls;
                if (!automatic)
                    for (int context = 0; context < CONTEXTS; ++context)
                        sizes_.push_back({context, std::min(size_, GROUPS)});
            }
            rtl_->n_mrc_automatic = automatic_ = automatic;
        } else if (free && dice_.below(stimulus_.snapshot_clocks()) == 0) {
            end_epoch();
        }
    }

    void end_epoch() {
        rtl_->epoch = 1;
        for (int context = 0; context < CONTEXTS; ++context) {
            counter_t *row = hits_ + context * 2 * GROUPS;
            const int filled = dice_.percent(30) ? 0 : 1 + dice_.below(100);
            const int most = dice_.percent(60) ? 4 : dice_.percent(80) ? 1000 : 1 << 30; // few hits: epsilon falls between two groups
            bool any = false;
            for (int group = 0; group < GROUPS; ++group) {
                row[group] = dice_.percent(filled) ? counter_t(dice_.below(most)) : counter_t(0);
                any |= row[group] != 0;
            }
            row[GROUPS + 1] = any ? 1 + dice_.below(100) : dice_.below(2);
            if (automatic_ && row[GROUPS + 1] != 0)
                sizes_.push_back({context, int(find_n_mrc(row, rtl_->n_mrc_epsilon))});
        }
    }

    MeterClock drive_domains() {
        const MeterClock now = stimulus_.clock();
        rtl_->access = now.access;
        rtl_->access_domain = now.access_domain;
        rtl_->write = now.write;
        rtl_->activate = now.activate;
        rtl_->activate_domain = now.activate_domain;
        rtl_->refresh = now.refresh;
        rtl_->waking = now.waking;
        rtl_->wakes = now.wakes;
        std::uint64_t rank_state = 0;
        int open = 0;
        for (int domain = 0; domain < DOMAINS; ++domain) {
            const int state = int(now.state >> (STATE_BITS * domain)) & 7;
            open |= (state == STATE_ACTIVE_STANDBY || (state != STATE_PRECHARGE_STANDBY && dice_.below(2))) << domain;
            rank_state |= std::uint64_t(state < STATE_POWER_DOWN ? 0 : state) << (STATE_BITS * domain);
        }
        rtl_->rank_state = rank_state;
        rtl_->open = open;
        return now;
    }

    void take(const Op &op) {
        hls::stream<move_word_t> reported;
        stack_.step(op, reported);
        for (; !reported.empty(); ++moves)
            meter_.move(unpack_move(reported.read()));
        if (op.kind == OP_CLEAR) {
            meter_.clear_pages();
            ++clears;
        }
        ++ops;
    }

    void check_size() {
        if (!rtl_->set_done) {
            if (!rtl_->n_mrc_busy && !sizes_.empty())
                throw Mismatch(where() + "N_mrc of context " + std::to_string(sizes_.front().context) + " is not set");
            return;
        }
        const Size seen{int(rtl_->set_context), int(rtl_->set_size)};
        if (sizes_.empty() || sizes_.front().context != seen.context || sizes_.front().size != seen.size)
            throw Mismatch(where() + "N_mrc of context " + std::to_string(seen.context) + " becomes " +
                           std::to_string(seen.size) + ", in C++ " +
                           (sizes_.empty() ? "nothing" : std::to_string(sizes_.front().size) + " of context " +
                                                             std::to_string(sizes_.front().context)));
        sizes_.pop_front();
        meter_.set_n_mrc(seen.context, seen.size);
        ++sizes;
    }

    void take_snapshot() {
        if (rtl_->working != meter_.working())
            throw Mismatch(where() + "working domains are " + std::to_string(rtl_->working) + ", in C++ " +
                           std::to_string(int(meter_.working())));
        meter_.snapshot(taken_window_);
        taken_clocks_ = clocks_;
        clocks_ = 0;
        quiet_ = 0;
    }

    void drive_window() { rtl_->window_adr = reading_ < METER_WINDOW_WORDS ? reading_ : dice_.below(METER_WINDOW_WORDS); }

    // Reads the window from the cycle of its publication on; a word comes two cycles after its address.
    void check_window() {
        if (rtl_->published) {
            ++published_;
            ++snapshots;
            if (rtl_->snapshots != published_ || rtl_->snapshot_clocks != taken_clocks_ ||
                bool(rtl_->overflow) != meter_.overflow())
                throw Mismatch(where() + "snapshot " + std::to_string(published_) + " of " + std::to_string(taken_clocks_) +
                               " clocks: the RTL reports " + std::to_string(rtl_->snapshots) + " of " +
                               std::to_string(rtl_->snapshot_clocks) + ", overflow " + std::to_string(rtl_->overflow));
            std::copy(taken_window_, taken_window_ + METER_WINDOW_WORDS, window_);
            overflows += meter_.overflow();
            reading_ = 0;
            return;
        }
        if (reading_ >= METER_WINDOW_WORDS + 2)
            return;
        const int word = reading_ - 2;
        if (word >= 0 && rtl_->window_dat_r != window_[word])
            throw Mismatch(where() + "word " + std::to_string(word) + " of the window is " +
                           std::to_string(rtl_->window_dat_r) + ", in C++ " + std::to_string(unsigned(window_[word])));
        words += word >= 0;
        ++reading_;
    }

    struct Size {
        int context, size;
    };

    Rtl rtl_;
    Dice dice_;
    MeterStimulus stimulus_;
    GroupStack stack_;
    RankMeter meter_;
    counter_t hits_[HIT_WORDS] = {}, taken_window_[METER_WINDOW_WORDS] = {}, window_[METER_WINDOW_WORDS] = {};
    std::deque<counter_t> hit_words_ = std::deque<counter_t>(2, counter_t(0));
    std::deque<Size> sizes_; // to be set
    Op op_{};
    bool offered_ = false, automatic_ = false;
    int size_ = GROUPS, reading_ = 0;
    unsigned published_ = 0, taken_clocks_ = 0, clocks_ = 0;
    long quiet_ = 0;
};

void random_bench(unsigned seed, long clocks) {
    constexpr int RESETS = 5;
    static MeterBench bench(seed);
    for (int part = 0; part <= RESETS; ++part) {
        if (part > 0) {
            bench.reset();
            ++bench.resets;
        }
        for (long i = 0; i < clocks / (RESETS + 1); ++i)
            bench.clock();
    }
    std::cout << "clocks " << bench.all_clocks << "\nops " << bench.ops << "\nmoves " << bench.moves << "\nclears "
              << bench.clears << "\nsnapshots " << bench.snapshots << "\nwords_compared " << bench.words
              << "\nsizes_set " << bench.sizes << "\noverflows " << bench.overflows << "\nheld_clocks " << bench.held
              << "\nresets " << bench.resets << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        if (argc != 4 || std::string(argv[1]) != "random")
            throw std::invalid_argument("usage: bench random SEED CLOCKS");
        random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
    });
}
