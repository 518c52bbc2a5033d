#include "chip_machine.hpp"
#include "expecting_chips.hpp"
#include "idle_costs.hpp"
#include "successors.hpp"

namespace litemrc_native {

ChipRun run_predictive(const ChipTrace &trace, const ChipPower &power, const PredictiveParameters &parameters) {
    const IdleCosts::Tariff tariff(power, parameters.price_uw);
    ExpectingChips chips(power, trace.chips);
    Successors successors(trace.page_count, trace.chips, power.exit_fs[2], parameters.tolerance_fs);
    std::vector<IdleCosts> costs(size_t(trace.chips) * 2);
    std::vector<uint8_t> written(trace.chips); // direction of a chip's last access
    uint32_t expected = Successor::NONE;
    uint64_t now = 0;
    for (uint64_t i = 0; i < trace.count; ++i) {
        const uint32_t page = trace.pages[i], chip = trace.chip_of[page];
        const bool write = trace.writes[i];
        now += trace.gaps_fs[i];
        successors.learn(chip, trace.gaps_fs[i]);
        const uint64_t idle = chips.idle(chip, now);
        if (idle != NEVER)
            costs[2 * size_t(chip) + written[chip]].learn(tariff, idle);
        written[chip] = write;
        if (expected != Successor::NONE)
            chips.forget(expected, now);
        const IdleCosts &known = costs[2 * size_t(chip) + write];
        const uint64_t issued = now;
        now = chips.access(chip, issued, known.nap_after_fs(tariff), known.deep_after_fs(tariff));
        const Successor &next = successors.after(page, chip, write);
        expected = Successor::NONE;
        if (!next.sure())
            continue;
        expected = next.chip;
        const uint64_t tolerance = successors.tolerance(next.gap_fs);
        if (expected == chip && next.gap_fs > power.exit_fs[2] + tolerance)
            chips.nap_at_once(chip);
        chips.expect(expected, expected == chip ? now : issued, now + next.gap_fs - tolerance,
                     now + next.gap_fs + tolerance + parameters.hold_fs);
    }
    ChipRun run;
    run.total_fs = now;
    run.chips = chips.finish(now);
    return run;
}

} // namespace litemrc_native
