# SPDX-License-Identifier: BSD-2-Clause
"""What Glass and Cao say of LRU, OPT and SEQ by category of programs, and our figures for it."""

import math
from collections.abc import Sequence

import numpy as np
from litemrc_studies.glass1997.results.programs import Measured, ratio

from scripts.docs.page_tables import markdown

CATEGORIES = {
    1: "memory-intensive, no pattern",
    2: "memory-intensive, small patterns",
    3: "regular",
}
NEARLY_ALL = 0.9  # of the pages: ratios of the few faults beyond mean little
RARE = 0.02  # of the most faults of OPT: likewise
LEVEL = 0.05  # a plateau: faults fall by less than this share
OVERLAPS = (("es", "opt"), ("gnuplot", "opt"), ("coral", "lru"), ("gcc", "lru"))  # says figure 1
WORSE = 1.02  # SEQ / LRU


def claims(programs: Sequence[Measured]) -> str:
    """Return a table: ratios of faults, plateaus, and LRU's gain by the second quarter of memory."""
    heads = [
        "program (of the paper)",
        "LRU / OPT",
        "in the least memory",
        "most",
        "LRU's plateau",
        "LRU, 1/4 : 1/2 of the pages",
    ]
    heads += ["SEQ / LRU", "least", "most", "SEQ / OPT"]
    rows = []
    for category, name in CATEGORIES.items():
        rows.append([f"**{category}: {name}**", *[""] * (len(heads) - 1)])
        rows += [_claims_row(of) for of in programs if of.program.category == category]
    return markdown(heads, rows)


def _claims_row(of: Measured) -> list[str]:
    lru, opt, seq = (of.faults[name] for name in ("lru", "opt", "seq"))
    of_lru = seq_to_lru(of)
    quarter = quarter_to_half(of)
    return [
        of.program.title,
        f"{ratio(lru, opt):.2f}",
        f"{in_least(of):.1f}",
        f"{most_to_opt(of):.1f}",
        f"{100 * plateau(of):.0f} %",
        "-" if quarter is None else f"{quarter:.1f}",
        f"{ratio(seq, lru):.2f}",
        f"{min(of_lru):.2f}",
        f"{max(of_lru):.2f}",
        f"{ratio(seq, opt):.2f}",
    ]


def in_least(of: Measured) -> float:
    """Return LRU / OPT in LRU's minimum simulatable memory."""
    return of.faults["lru"][0] / of.faults["opt"][0] if of.faults["opt"][0] else math.inf


def most_to_opt(of: Measured) -> float:
    """Return the largest LRU / OPT of memories up to nearly all pages."""
    points = zip(of.sizes, of.faults["lru"], of.faults["opt"], strict=True)
    least = RARE * max(of.faults["opt"])
    ratios = [lru / opt for size, lru, opt in points if size <= NEARLY_ALL * of.pages and opt > least]
    return max(ratios, default=math.inf)


def seq_to_lru(of: Measured) -> list[float]:
    """Return SEQ / LRU of the memories up to nearly all pages."""
    points = zip(of.sizes, of.faults["seq"], of.faults["lru"], strict=True)
    return [seq / lru for size, seq, lru in points if size <= NEARLY_ALL * of.pages and lru]


def plateau(of: Measured) -> float:
    """Return the longest range of memory in which LRU's faults stay level, as a share of all pages."""
    lru, sizes = np.array(of.faults["lru"]), np.array(of.sizes)
    longest = 0
    for begin in np.flatnonzero(lru > LEVEL * lru[0]):
        level = np.flatnonzero(lru[begin:] >= (1 - LEVEL) * lru[begin])
        longest = max(longest, sizes[begin + level[-1]] - sizes[begin])
    return float(longest / of.pages)


def quarter_to_half(of: Measured) -> float | None:
    """Return LRU's faults in a quarter of the pages to those in half of them; None: not simulatable."""
    faults = dict(zip(of.sizes, of.faults["lru"], strict=True))
    quarter, half = faults.get(of.pages // 4), faults.get(of.pages // 2)
    return quarter / half if quarter and half else None


def knee(of: Measured, policy: str) -> float | None:
    """Return the memory of the knee as a share of all pages, or None (Denning; section 3 of the paper).

    A knee is a maximum of inter-fault time / memory size, after which the ratio falls by a tenth or more.
    Of several, the greatest.
    """
    points = [(size, 1 / (faults * size)) for size, faults in of.line(policy) if faults and size < of.pages]
    rates = np.array([rate for _, rate in points])
    inner = rates[1:-1]
    peaks = [i + 1 for i in range(inner.size) if rates[i] < rates[i + 1] > 1.1 * rates[i + 2 :].min()]
    return points[max(peaks, key=lambda i: rates[i])][0] / of.pages if peaks else None


def knees(programs: Sequence[Measured]) -> str:
    """Return a table of the knees of inter-fault times."""
    heads = ["program (of the paper)", "LRU", "SEQ", "OPT", "LRU / OPT"]
    rows = []
    for of in programs:
        places = [knee(of, policy) for policy in ("lru", "seq", "opt")]
        cells = ["-" if place is None else f"{100 * place:.0f} %" for place in places]
        if any(place is not None for place in places):
            rows.append([of.program.title, *cells, f"{ratio(of.faults['lru'], of.faults['opt']):.2f}"])
    return markdown(heads, rows)


def values(programs: Sequence[Measured]) -> dict[str, str]:
    """Return the values of the map."""
    patternless = [of for of in programs if of.program.category < 3]
    regular = [of for of in programs if of.program.category == 3]
    all_sizes = np.median([ratio(of.faults["lru"], of.faults["opt"]) for of in patternless])
    least = np.median([in_least(of) for of in patternless])
    most = [most_to_opt(of) for of in regular]
    worse = [of for of in programs if ratio(of.faults["seq"], of.faults["lru"]) > WORSE]
    better = [of for of in regular if ratio(of.faults["seq"], of.faults["lru"]) < 1 / WORSE]
    lru_knees = [of.program.name for of in programs if knee(of, "lru") is not None]
    opt_knees = [of.program.name for of in programs if knee(of, "opt") is not None]
    return {
        "patternless-ratio": f"{least:.1f} in the least memory, {all_sizes:.1f} over all",
        "regular-ratio": f"{min(most):.1f} to {max(most):.1f}",
        "seq-worse": ", ".join(f"{of.program.name} {_more(of)}" for of in worse) or "none",
        "seq-better": f"{len(better)} of {len(regular)}",
        "knees": f"LRU: {', '.join(lru_knees) or 'none'}; OPT: {', '.join(opt_knees) or 'none'}",
        "figure1": "; ".join(_beside(programs, *pair) for pair in OVERLAPS),
        "figure2": f"{_beside(programs, 'murphi', 'lru')}; {_beside(programs, 'vortex', 'lru')}",
        "figure3": _knees(programs, "fgm"),
        "figure4": _knees(programs, "turb3d"),
    }


def _beside(programs: Sequence[Measured], name: str, policy: str) -> str:
    """Return SEQ's faults beside another policy's, of our program for one of the paper's."""
    (of,) = [of for of in programs if of.program.stands_for == name]
    return f"{of.program.name}: SEQ / {policy.upper()} {ratio(of.faults['seq'], of.faults[policy]):.2f}"


def _knees(programs: Sequence[Measured], name: str) -> str:
    (of,) = [of for of in programs if of.program.stands_for == name]
    places = {policy: knee(of, policy) for policy in ("lru", "seq", "opt")}
    with_knee = [
        f"{policy.upper()} at {100 * place:.0f} %" for policy, place in places.items() if place is not None
    ]
    return f"{of.program.name}: {', '.join(with_knee) or 'no knee'}"


def _more(of: Measured) -> str:
    return f"{100 * (ratio(of.faults['seq'], of.faults['lru']) - 1):+.0f} %"
