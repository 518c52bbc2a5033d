#include "chip_machine.hpp"
#include "sleeping_chips.hpp"
#include "working_chips.hpp"
#include "working_pages.hpp"

#include <algorithm>

namespace litemrc_native {

ChipRun run_chips(const ChipTrace &trace, const ChipPower &power, const PerState &after_fs,
                  const MrcParameters &mrc) {
    ChipRun run;
    SleepingChips chips(power, after_fs, trace.chips);
    uint64_t now = 0;
    if (!mrc.epoch_fs) {
        for (uint64_t i = 0; i < trace.count; ++i)
            now = chips.access(trace.chip_of[trace.pages[i]], now + trace.gaps_fs[i]);
        run.total_fs = now;
        run.chips = chips.finish(now);
        return run;
    }
    WorkingPages pages(trace.chips, mrc.chip_pages, mrc.epsilon_ppm);
    WorkingChips working(trace.page_count, trace.chips, trace.chips * mrc.chip_pages);
    for (uint32_t chip = 0; chip < trace.chips; ++chip)
        chips.power_down(chip, 0); // no page of it is in the stack
    uint64_t epoch_end = mrc.epoch_fs;
    for (uint64_t i = 0; i < trace.count; ++i) {
        const uint64_t issued = now + trace.gaps_fs[i];
        if (issued >= epoch_end) {
            if (!pages.empty()) {
                const uint64_t end = std::max(now, epoch_end), top = pages.end_epoch();
                working.resize(top, [&](uint32_t chip) { chips.power_down(chip, end); });
                ++run.epochs;
                run.working_pages += top;
            }
            epoch_end += (issued - epoch_end) / mrc.epoch_fs * mrc.epoch_fs + mrc.epoch_fs;
        }
        const uint32_t page = trace.pages[i], chip = trace.chip_of[page];
        const WorkingChips::Moved moved = working.access(page, chip);
        pages.count(moved.distance);
        if (moved.idle != WorkingChips::NONE)
            chips.power_down(moved.idle, issued);
        now = chips.access(chip, issued);
    }
    run.total_fs = now;
    run.chips = chips.finish(now);
    return run;
}

namespace {

using Wide = unsigned __int128; // microwatts x femtoseconds

// The cheapest state to wait in for `gap`; with a way back at its end, if the chip is used again.
unsigned cheapest(const ChipPower &power, uint64_t gap, bool used_again) {
    unsigned best = 0;
    Wide least = Wide(power.waiting_uw[0]) * gap;
    for (unsigned state = 1; state < MOST_STATES; ++state) {
        const uint64_t back = used_again ? power.exit_fs[state] : 0;
        const Wide waiting = Wide(power.waiting_uw[state]) * (gap > back ? gap - back : 0);
        const Wide cost = waiting + Wide(power.exit_uw[state]) * back;
        if (cost < least) {
            least = cost;
            best = state;
        }
    }
    return best;
}

} // namespace

ChipRun run_oracle(const ChipTrace &trace, const ChipPower &power) {
    ChipRun run;
    run.chips.resize(trace.chips);
    std::vector<uint64_t> since(trace.chips);
    uint64_t now = 0;
    const auto wait = [&](uint32_t chip, uint64_t until, bool used_again) {
        const uint64_t gap = until - since[chip];
        const unsigned state = cheapest(power, gap, used_again);
        const uint64_t back = used_again ? power.exit_fs[state] : 0;
        run.chips[chip].waited_fs[state] += gap > back ? gap - back : 0;
        run.chips[chip].wakes[state] += used_again && state;
    };
    for (uint64_t i = 0; i < trace.count; ++i) {
        const uint32_t chip = trace.chip_of[trace.pages[i]];
        now += trace.gaps_fs[i];
        wait(chip, now, true);
        now += power.access_fs;
        ++run.chips[chip].accesses;
        since[chip] = now;
    }
    for (uint32_t chip = 0; chip < trace.chips; ++chip)
        wait(chip, now, false);
    run.total_fs = now;
    return run;
}

} // namespace litemrc_native
