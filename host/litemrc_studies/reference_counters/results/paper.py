"""What the paper reports of its four programs, and the same of the stand-ins, for `reference_counters.py`.

Source: "Reference counters", section 2 and conclusions; the values of SPEECH are in its text.
"""

from collections.abc import Mapping, Sequence

from litemrc_studies.reference_counters.machine.numa import best
from litemrc_studies.reference_counters.results.programs import PAGES, SURFACE, Program, pair_name, worst

from scripts.docs.page_tables import percent

SMALL = PAGES[0]
FIRST_TOUCH, BEST_DELAY, BEST_ALONE, BEST_BOTH = 23.0, 512, 6.14, 5.55
PAIR = (64, 32)  # DELAY, UPDATE
Programs = Mapping[str, Program]


def values(programs: Programs) -> dict[str, str]:
    """Return the values of the map, by name."""
    speech, weather = programs["speech"], programs["weather"]
    touches = [speech.others[size]["first-touch"].namc for size in PAGES]
    least = speech.least()
    return {
        "speech-first-touch": span(touches),
        "speech-best": f"{least.namc:.2f} at {least.delay}",
        "speech-doubling": delays(speech),
        "simple-doubling": delays(programs["simple"]),
        "weather-flat": f"at most {percent(flat(weather))}",
        "weather-factor": f"{factor(weather):.1f}",
        "speech-factor": f"{factor(speech):.1f}",
        "fft-flat": flat_by_size(programs["fft"]),
        "speech-pair": f"{speech.pair(SMALL, *PAIR).namc:.2f}",
        "speech-pair-best": best_both(speech)[1],
    }


def span(numbers: Sequence[float]) -> str:
    """Return the range of numbers."""
    return f"{min(numbers):.1f} to {max(numbers):.1f}"


def factor(program: Program) -> float:
    """Return NAMC at first touch over NAMC at the best DELAY, smallest pages."""
    return program.others[SMALL]["first-touch"].namc / program.least().namc


def delays(program: Program) -> str:
    """Return the best DELAY of each page size."""
    return ", ".join(str(program.least(size).delay) for size in PAGES)


def doubles(program: Program) -> bool:
    """Return whether the best DELAY doubles with each page size."""
    delays = [program.least(size).delay for size in PAGES]
    return delays == [delays[0] << step for step in range(len(PAGES))]


def flat(program: Program, sizes: Sequence[int] = PAGES) -> float:
    """Return the highest NAMC at DELAY 200 to 2,048 over the minimum of its page size."""
    return max(worst(program.flat[size], program.least(size).namc) for size in sizes)


def flat_by_size(program: Program) -> str:
    """Return `flat` for the smallest pages and for all."""
    return f"at most {percent(flat(program, PAGES[:1]))} with 1 KiB, {percent(flat(program))} with all"


def best_both(program: Program) -> tuple[float, str]:
    """Return the minimum of figure 2's pairs, and its place."""
    run = best(program.pair(SMALL, delay, update) for delay in SURFACE for update in SURFACE)
    return run.namc, f"{run.namc:.2f} at {pair_name(run)}"
