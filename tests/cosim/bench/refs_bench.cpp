// SPDX-License-Identifier: BSD-2-Clause
// Bench of RefCounters against the C++ unit and plain arrays, cycle by cycle.
//
//   refs_bench random SEED CLOCKS   runs of random requests, settings, commands and resets
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "refs_rig.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>

using namespace litemrc;

namespace {

// Phases of a few hundred cycles with different stimuli.
class RefsWorkload {
  public:
    explicit RefsWorkload(unsigned seed) : dice_(seed) {}

    RefsInputs next(RefSettings &settings) {
        if (left_-- == 0)
            begin_phase(settings);
        if (dice_.below(settings_every_) == 0)
            change(settings);
        RefsInputs in;
        if (dice_.percent(request_percent_)) {
            in.request = op(REF_REQUEST);
        }
        if (!command_ && dice_.percent(command_percent_))
            command_ = op(dice_.percent(50) ? REF_READ : REF_LOAD);
        in.command = command_; // until it is taken
        in.reset = dice_.below(reset_every_) == 0;
        in.take = dice_.percent(take_percent_);
        return in;
    }

    void command_taken() { command_.reset(); }
    bool resets_hardware() { return dice_.below(50000) == 0; }

  private:
    RefOp op(RefOpKind kind) {
        const int value = dice_.percent(70) ? dice_.below(4) : dice_.below(1 << REFERENCE_BITS);
        const int page = (base_ + dice_.below(pages_)) % FRAMES;
        return RefOp{kind,
                     frame_t(page),
                     ap_uint<1>(dice_.below(2)),
                     master_t(dice_.below(MASTERS)),
                     context_t(dice_.below(CONTEXTS)),
                     ap_uint<1>(dice_.below(2)),
                     reference_t(value),
                     0};
    }

    template <int n> int one_of(const int (&choices)[n]) { return choices[dice_.below(n)]; }

    void begin_phase(RefSettings &settings) {
        left_ = 1 + dice_.below(600);
        pages_ = std::min(FRAMES, one_of({1, 2, 4, ROW_PAGES, 4 * ROW_PAGES, FRAMES, FRAMES}));
        base_ = dice_.percent(50) ? dice_.below(FRAMES) : 0;
        request_percent_ = one_of({100, 100, 97, 70, 10});
        command_percent_ = one_of({0, 3, 30, 100});
        take_percent_ = one_of({0, 10, 100, 100});
        reset_every_ = one_of({1 << 30, 1 << 30, 300, 10, 1});
        settings_every_ = one_of({1 << 30, 100, 2});
        change(settings);
    }

    void change(RefSettings &settings) {
        for (int counter = 0; counter < PAGE_COUNTERS; ++counter) {
            RefSelector &selector = settings.selectors[counter];
            selector.reads = dice_.percent(80);
            selector.writes = dice_.percent(80);
            selector.masters = dice_.percent(70) ? (1 << MASTERS) - 1 : dice_.below(1 << MASTERS);
            selector.contexts = dice_.percent(70) ? (1 << CONTEXTS) - 1 : dice_.below(1 << CONTEXTS);
            selector.lower = dice_.percent(70) ? 0 : (base_ + dice_.below(pages_)) % FRAMES;
            selector.upper = dice_.percent(70) ? FRAMES - 1 : (base_ + dice_.below(pages_)) % FRAMES;
            settings.initials[counter] = dice_.percent(80) ? 1 + dice_.below(3) : dice_.below(1 << REFERENCE_BITS);
        }
    }

    Dice dice_;
    std::optional<RefOp> command_;
    int left_ = 0, pages_ = 1, base_ = 0, request_percent_ = 0, command_percent_ = 0, take_percent_ = 0;
    int reset_every_ = 1, settings_every_ = 1;
};

void print(const RefsCounts &c) {
    std::cout << "clocks " << c.clocks << "\nrequests " << c.requests << "\ncounted " << c.counted << "\nreads " << c.reads
              << "\nloads " << c.loads << "\ncommands_waited " << c.commands_waited << "\nresets " << c.resets
              << "\nresets_refused " << c.resets_refused << "\nhardware_resets " << c.hardware_resets << "\npasses "
              << c.passes << "\nfired " << c.fired << "\nboth_fired " << c.both_fired << "\ntaken " << c.taken << "\nleft "
              << c.left << "\nlost " << c.lost << "\n";
    for (int distance = 1; distance <= FORWARDED; ++distance)
        std::cout << "same_page_" << distance << " " << c.same_page[distance] << "\nsame_row_" << distance << " "
                  << c.same_row[distance] << "\n";
}

void random_bench(unsigned seed, long clocks) {
    const auto rig = std::make_unique<RefsRig>();
    RefsWorkload workload(seed);
    while (rig->counts.clocks < clocks) {
        if (rig->clock(workload.next(rig->settings)))
            workload.command_taken();
        if (workload.resets_hardware()) {
            rig->reset_hardware();
            ++rig->counts.hardware_resets;
        }
    }
    rig->finish();
    print(rig->counts);
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
        else
            throw std::invalid_argument("usage: bench random SEED CLOCKS");
    });
}
