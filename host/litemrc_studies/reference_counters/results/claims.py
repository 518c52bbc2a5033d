# SPDX-License-Identifier: BSD-2-Clause
"""The paper's claims about its four programs beside the stand-ins, for `reference_counters.py`."""

from dataclasses import dataclass

from litemrc_studies.reference_counters.results.programs import (
    BEST_ALONE,
    BEST_BOTH,
    BEST_DELAY,
    FIRST_TOUCH,
    LOW,
    PAGES,
    PAIR,
    SMALL,
    SURFACE,
    Programs,
    best_both,
    delays,
    doubles,
    factor,
    flat,
    flat_by_size,
    size_name,
    span,
)

from scripts.docs.page_tables import markdown, percent

CLOSE = 0.05  # "close to", of a value
IMPROVEMENT = 5  # by DELAY, in both figures that section 3 names
NEAR = 1.25  # "close to the optimal", of the minimum


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and what the stand-ins show.

    Attributes
    ----------
    where
        its place in the paper.
    says
        the statement.
    ours
        what the stand-ins show.
    agrees
        whether it holds for them.
    """

    where: str
    says: str
    ours: str
    agrees: bool


def claims_table(programs: Programs) -> tuple[str, dict[str, str]]:
    """Return all claims as a table, and values of the map by name."""
    claims = [claim for of in (_figure1a, _other_panels, _comments, _figure2) for claim in of(programs)]
    rows = [[claim.where, claim.says, claim.ours, "yes" if claim.agrees else "**no**"] for claim in claims]
    lines = markdown(["in the paper", "the paper says", "ours", "agrees"], rows).split("\n")
    lines[1] = "| --- | --- | --- | --- |"
    found = {"claims-agree": f"{sum(claim.agrees for claim in claims)} of {len(claims)}"}
    for name, comment in zip(("comment-1", "comment-2", "comment-3"), _comments(programs), strict=True):
        found[name] = comment.ours
    return "\n".join(lines), found


def _figure1a(programs: Programs) -> list[Claim]:
    speech = programs["speech"]
    where = "Figure 1(a)"
    touches = [speech.others[size]["first-touch"].namc for size in PAGES]
    least = {size: speech.least(size) for size in PAGES}
    best_size = min(PAGES, key=lambda size: least[size].namc)
    at = least[SMALL]
    half, twice = (speech.single(SMALL, delay) / at.namc for delay in (at.delay // 2, 2 * at.delay))
    poor = speech.single(SMALL, 64)
    largest = max(run.namc for run in least.values())
    return [
        Claim(
            where,
            "DELAY 1: close to 23 with all page sizes",
            span(touches),
            all(_close(namc, FIRST_TOUCH) for namc in touches),
        ),
        Claim(
            where,
            "DELAY 1: 4 times higher (than the best: 23 / 6.14 = 3.7)",
            f"{factor(speech):.1f} times the best",
            _close(factor(speech), FIRST_TOUCH / BEST_ALONE),
        ),
        Claim(where, "lowest with DELAY 512", f"{at.delay}", at.delay == BEST_DELAY),
        Claim(where, "lowest with pages of 1 KiB", size_name(best_size), best_size == SMALL),
        Claim(
            "Section 2", "lowest NAMC with DELAY alone: 6.14", f"{at.namc:.2f}", _close(at.namc, BEST_ALONE)
        ),
        Claim(
            where,
            "fast decrease up to the best DELAY, slow increase beyond",
            f"half of it {percent(half)}, twice {percent(twice)}",
            half > twice > 1,
        ),
        Claim(
            where,
            "large pages with a good DELAY are better than small pages with a poor one",
            f"at most {largest:.1f} at the best DELAY; 1 KiB at 64: {poor:.1f}",
            largest < poor,
        ),
        Claim(where, "the best DELAY doubles with the page size", delays(speech), doubles(speech)),
    ]


def _other_panels(programs: Programs) -> list[Claim]:
    simple, weather, speech, fft = (programs[name] for name in ("simple", "weather", "speech", "fft"))
    excess = {program.name: flat(program) for program in (speech, simple, weather)}
    each = ", ".join(f"{name} {percent(value)}" for name, value in excess.items())
    return [
        Claim(
            "Figure 1(b)",
            "SIMPLE: the best DELAY doubles with the page size",
            delays(simple),
            doubles(simple),
        ),
        Claim(
            "Figure 1(c)",
            "WEATHER: close to the best from 200 to 2,048 (printed: 2028)",
            f"all page sizes: at most {percent(flat(weather))}",
            flat(weather) < 1.1,
        ),
        Claim(
            "Figure 1(c)",
            "DELAY must be chosen more carefully for SIMPLE and SPEECH",
            f"200 to 2,048, all page sizes: {each}",
            excess["weather"] < min(excess["speech"], excess["simple"]),
        ),
        Claim(
            "Figure 1(d)",
            "FFT behaves much like WEATHER",
            f"200 to 2,048: {flat_by_size(fft)}",
            flat(fft) < NEAR,
        ),
        Claim(
            "Section 3",
            "improvement by a factor of 5, figures 1(a) and 1(c)",
            f"first touch / best DELAY: {factor(speech):.1f} and {factor(weather):.1f}",
            _close(factor(speech), IMPROVEMENT) and _close(factor(weather), IMPROVEMENT),
        ),
    ]


def _comments(programs: Programs) -> list[Claim]:
    worse = [
        program.others[size]["first-touch"].cycles > program.others[size]["always-remote"].cycles
        for program in programs.values()
        for size in PAGES
    ]
    near = {
        size: [
            program.single(size, delay) <= NEAR * program.least(size).namc
            for program in programs.values()
            for delay in LOW
        ]
        for size in PAGES
    }
    every = [hit for hits in near.values() for hit in hits]
    gains = {
        name: program.others[SMALL]["always-remote"].namc / program.least().namc
        for name, program in programs.items()
    }
    return [
        Claim(
            "Section 2",
            "comment 1: DELAY 1 costs more than all pages remote in most cases",
            f"{sum(worse)} of {len(worse)} cases",
            2 * sum(worse) > len(worse),
        ),
        Claim(
            "Section 2",
            "comment 2: DELAY 256 to 2,048 is usually close to the optimum",
            f"within 25 %: {sum(near[SMALL])} of {len(near[SMALL])} cases with 1 KiB,"
            f" {sum(every)} of {len(every)} with all page sizes",
            2 * sum(every) > len(every),
        ),
        Claim(
            "Section 2",
            "comment 3: the best DELAY is much better than all pages remote",
            "all remote / best: " + ", ".join(f"{name} {gain:.1f}" for name, gain in gains.items()),
            min(gains.values()) >= 1.5,
        ),
    ]


def _figure2(programs: Programs) -> list[Claim]:
    speech = programs["speech"]
    where = "Figure 2"
    touch = speech.others[SMALL]["first-touch"].namc
    at, alone = speech.pair(SMALL, *PAIR).namc, speech.least()
    least, place = best_both(speech)
    surface = [speech.pair(SMALL, delay, update) for delay in SURFACE for update in SURFACE]
    low = SURFACE[0]
    eager, dropped = speech.single(SMALL, low), speech.pair(SMALL, low, 32).namc
    late = [delay for delay in SURFACE if delay >= alone.delay]
    by_delay = {
        delay: [run.namc / speech.single(SMALL, delay) for run in surface if run.delay == delay]
        for delay in late
    }
    hurt = max(max(ratios) for ratios in by_delay.values())
    gain = min(min(ratios) for ratios in by_delay.values())
    good = sum(run.namc < alone.namc for run in surface)
    paper_good = f"{100 * (1 - BEST_BOTH / BEST_ALONE):.0f} %"
    return [
        Claim(where, "NAMC 5.55 at (64, 32)", f"{at:.2f}", _close(at, BEST_BOTH)),
        Claim(where, "the minimum of all pairs is at (64, 32)", place, at < 1.005 * least),
        Claim(
            where,
            f"both counters better than the best DELAY alone, by {paper_good}",
            f"{100 * (1 - at / alone.namc):.0f} %",
            at < alone.namc,
        ),
        Claim(
            where,
            f"ratio at (64, 32): {FIRST_TOUCH / BEST_BOTH:.1f} (23 / 5.55)",
            f"{touch / at:.1f}",
            _close(touch / at, FIRST_TOUCH / BEST_BOTH),
        ),
        Claim(
            where,
            "small DELAY: UPDATE improves significantly",
            f"DELAY {low}: {eager:.1f} alone, {dropped:.1f} with UPDATE 32",
            dropped < 0.75 * eager,
        ),
        Claim(
            where,
            "best DELAY or later: UPDATE improves little or not",
            f"DELAY {late[0]} to {late[-1]}: {percent(gain)} at best",
            gain > 0.95,
        ),
        Claim(
            where,
            "an untimely drop may hurt",
            f"DELAY {late[0]} to {late[-1]}: {percent(hurt)} at worst",
            hurt > 1,
        ),
        Claim(
            where,
            "very good over a large range of both values",
            f"{good} of {len(surface)} pairs better than the best DELAY alone",
            good >= len(surface) / 4,
        ),
    ]


def _close(value: float, paper: float) -> bool:
    return abs(value / paper - 1) <= CLOSE
