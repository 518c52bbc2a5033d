# SPDX-License-Identifier: BSD-2-Clause
"""The panels: curves, contexts, ranks, hot pages, heat map, as lines of exactly the width that they have."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from textual.strip import Strip

from litemrc.curves.sizes import EPSILON, size_text
from litemrc.epochs.traffic import Traffic, bandwidth_text
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.live.ink import STRONG, Ink, count_text, line, spark, title
from litemrc.live.plot import PlottedCurve, plot_lines
from litemrc.live.view import ContextView, RankView, View
from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown, heat_map
from litemrc.ranks.activity import LABELS, PowerState

_STATES = "█▓▒░·"  # by `PowerState`
_BAR_CELLS = 20
_RANK_CELLS = 43  # of a rank's row, without bar and history
_STATE_CELLS = 12
_NAME_CELLS = 14
_FIXED_CELLS = 67  # of a context's row, without its history
_SHADES = " ░▒▓█"
DRAM_LINES = 3  # beside those of its banks
_BANK_CELLS = 36  # of a bank's row, without its bar
_MISSING = "?"
_LABELLED = 3  # rows from address to address
_KEPT = 2000  # columns


def curve_lines(view: View, width: int, height: int, ink: Ink) -> list[Strip]:
    """Draw the curves of the contexts."""
    parameters = view.parameters
    if parameters is None or not view.contexts:
        return message_lines(nothing_yet(view), width, height, ink)
    curves = [
        PlottedCurve(each.curve, str(each.context), ink.series(place))
        for place, each in _with_places(view)
        if each.curve.accesses
    ]
    of = len(view.summed)
    what = f"by memory size, {'last epoch' if of == 1 else f'sum of {of} epochs'}; numbers are contexts"
    lines = [title("miss ratio", what, width, ink)]
    plotted = plot_lines(curves, parameters.frames, parameters.page_bytes, width, height - 1, ink)
    return padded(lines + plotted, width, height)


def context_lines(view: View, width: int, height: int, ink: Ink) -> list[Strip]:
    """A row for each context, with its working sets."""
    if view.parameters is None or not view.contexts:
        return message_lines(nothing_yet(view), width, height, ink)
    page_bytes = view.parameters.page_bytes
    history = max(width - _FIXED_CELLS, 4)
    sampled = " sampled" if view.table and view.table.scale else ""
    head = (
        f"   {'context':<{_NAME_CELLS}}{'accesses':>11}{'misses':>9}{'WSS':>10} "
        f"{f'history{sampled}'[:history]:<{history}}{f'≤min+{EPSILON:g}':>10}{'budget':>9}"
    )
    rows = []
    for place, each in _with_places(view):
        smallest = size_text(each.curve.size_within(), page_bytes, 3) if each.curve.accesses else "-"
        rows.append(
            line(
                [
                    (f"{each.context:>2} ", ink.series(place) + STRONG),
                    f"{each.name[:_NAME_CELLS]:<{_NAME_CELLS}}{count_text(each.curve.accesses, 10):>11}",
                    f"{count_text(each.curve.misses, 8):>9}{size_text(each.working_set, page_bytes, 3):>10} ",
                    (spark(each.history, history), ink.series(place)),
                    f"{smallest:>10}{_budget_text(each, page_bytes):>9}",
                ],
                width,
            )
        )
    more = len(rows) - (height - 1)
    if more > 0:
        rows = [*rows[: height - 2], line([(f"   and {more + 1} more: c chooses contexts", ink.dim)], width)]
    return padded([line([(head, ink.dim)], width), *rows], width, height)


def rank_lines(view: View, width: int, height: int, ink: Ink) -> list[Strip]:
    """A row for each rank: its state, the share of the time asleep, and what it did."""
    dram = view.parameters.dram if view.parameters else None
    if view.parameters and not dram:
        return message_lines("the device has no rank meter (make sim-ranks has one)", width, height, ink)
    if not view.ranks or not dram:
        return message_lines(nothing_yet(view), width, height, ink)
    what = "slices of one rank" if dram.virtual else "ranks"
    bar = min(_BAR_CELLS, max((width - _RANK_CELLS) // 2, 8))
    history = max(width - _RANK_CELLS - bar, 0)
    head = f"    {'state at end':<{_STATE_CELLS}} asleep {'states':<{bar}} {'accesses':>9} {'live':>6} "
    lines = [
        title("ranks", f"{dram.ranks} {what}, {dram.part or 'chips'}", width, ink),
        line([(f"{head}{'history asleep'[:history]}", ink.dim)], width),
    ]
    for place, rank in enumerate(view.ranks):
        state = "awake" if rank.last["state"] == 0 else LABELS[PowerState(rank.last["state"])]
        lines.append(
            line(
                [
                    (f"{rank.last['domain']:>2}{'*' if rank.last['working'] else ' '} ", ink.strong),
                    f"{state[:_STATE_CELLS]:<{_STATE_CELLS}} {rank.asleep:>6.1%} ",
                    (_state_bar(rank, bar), ink.series(place)),
                    f" {count_text(int(rank.activity.accesses), 9):>9} {rank.last['live_pages']:>6} ",
                    (spark(rank.history, history, 1), ink.series(place)),
                ],
                width,
            )
        )
    asleep = [
        f"{_STATES[state]} {LABELS[state]}" for state in PowerState if state.name.lower() in dram.states
    ]
    states = f"standby: {_STATES[0]} active, {_STATES[1]} precharge; {', '.join(asleep)}"
    lines.append(line([(states, ink.dim)], width))
    lines.append(line([("*: holds a page of the working set; live: pages in use", ink.dim)], width))
    return padded(lines, width, height)


def dram_lines(view: View, width: int, height: int, ink: Ink) -> list[Strip]:
    """Bandwidth of each epoch, and a row for each bank with its commands."""
    parameters, traffic = view.parameters, view.traffic
    if parameters and not parameters.banks and not traffic:
        return message_lines("the device does not count DRAM commands", width, height, ink)
    if parameters is None or traffic is None:
        return message_lines(nothing_yet(view), width, height, ink)
    of = len(view.summed)
    facts = [f"{traffic.reads.size} banks"] if traffic.activates is not None else []
    facts += [f"peak {bandwidth_text(parameters.peak_bandwidth)}"] if parameters.peak_bandwidth else []
    facts += [f"{traffic.refresh_share:.1%} in refresh"] if traffic.refresh_share is not None else []
    facts += ["last epoch" if of == 1 else f"{of} epochs"]
    lines = [title("DRAM", ", ".join(facts), width, ink)]
    if view.bandwidths:
        history = spark(view.bandwidths, max(width - 10, 0))
        lines.append(line([("bandwidth ", ink.dim), (history, ink.series(0))], width))
    if traffic.activates is not None:
        room = max(height - len(lines), 0)
        lines += _bank_lines(traffic, width, room, ink)
    return padded(lines, width, height)


def _bank_lines(traffic: Traffic, width: int, height: int, ink: Ink) -> list[Strip]:
    """A bar of each bank: its accesses, of which as many as there were ACTIVATEs are shaded."""
    assert traffic.row_hits is not None and traffic.activates is not None
    accesses = (traffic.reads.astype(np.uint64) + traffic.writes).tolist()
    hits, activates = traffic.row_hits.tolist(), traffic.activates.tolist()
    bar = max(width - _BANK_CELLS, 0)
    highest = max(*accesses, *activates, 1)
    head = f"{'bank':>4}{'accesses':>11}{'ACTIVATEs':>11}{'row hits':>9} "
    lines = [line([(f"{head}{'█ accesses, ▒ ACTIVATEs'[:bar]}", ink.dim)], width)]
    for bank, count in enumerate(accesses):
        rate = f"{hits[bank] / count:.1%}" if count else "-"
        text = f"{bank:>4}{count_text(count, 10):>11}{count_text(activates[bank], 10):>11}{rate:>9} "
        shaded, whole = round(bar * activates[bank] / highest), round(bar * count / highest)
        lines.append(line([text, ("▒" * shaded + "█" * (whole - shaded), ink.series(0))], width))
    more = len(lines) - height
    if more > 0:
        lines = [*lines[: max(height - 1, 0)], line([(f"     and {more + 1} more banks", ink.dim)], width)]
    return lines


def hot_lines(view: View, width: int, height: int, ink: Ink) -> list[Strip]:
    """The pages with the most accesses in the last epoch."""
    if view.parameters and not view.parameters.hot:
        return message_lines(
            "hot pages are not counted: h turns them on, if the device has them", width, height, ink
        )
    hot = next((epoch.hot for epoch in reversed(view.epochs) if epoch.hot), None)
    if hot is None or view.parameters is None:
        return message_lines(nothing_yet(view), width, height, ink)
    listed = f"{len(hot.frames)} pages{', more are hot' if hot.more else ''}"
    lines = [
        title(
            "hot pages",
            f"epoch {hot.epoch}: {hot.share:.1%} of {hot.accesses:,} accesses to {listed}",
            width,
            ink,
        ),
        line([(f"{'frame':>9} {'address':>12} {'accesses':>10} {'share':>7}", ink.dim)], width),
    ]
    bar = max(min(width - 43, 40), 0)
    highest = hot.counts[0] if hot.counts else 1
    for frame, count in list(zip(hot.frames, hot.counts, strict=True))[: max(height - 2, 0)]:
        address = view.parameters.base_address + frame * view.parameters.page_bytes
        share = count / hot.accesses if hot.accesses else 0.0
        text = f"{frame:>9} {address:>#12x} {count:>10,} {share:>7.1%} "
        lines.append(line([text, ("█" * round(bar * count / highest), ink.series(0))], width))
    return padded(lines, width, height)


def nothing_yet(view: View) -> str:
    """Why there is nothing to show."""
    if view.parameters is None:
        return "no session with the device yet"
    if view.settings.idle and not view.epochs:
        return f"the device runs no program: n starts one of {', '.join(view.parameters.programs) or 'none'}"
    if not view.settings.epoch_length and view.settings.epoch_unit and not view.epochs:
        return "the device has no epoch length, so its epochs never end: e sets one"
    return "no epoch has arrived yet"


def message_lines(text: str, width: int, height: int, ink: Ink) -> list[Strip]:
    """A panel with a text alone."""
    return padded([line([(text, ink.dim)], width)], width, height)


def padded(lines: Sequence[Strip], width: int, height: int) -> list[Strip]:
    """Return exactly `height` lines."""
    blank = line([""], width)
    return [*lines, *[blank] * (height - len(lines))][:height]


def _with_places(view: View) -> list[tuple[int, ContextView]]:
    """Contexts with the number of their colour: it stays when others are not shown."""
    return [(view.known.index(each.context), each) for each in view.contexts]


def _budget_text(each: ContextView, page_bytes: int) -> str:
    if each.budget is None:
        return "-"
    return "no limit" if each.budget.allowed is None else size_text(each.budget.allowed, page_bytes, 3)


def _state_bar(rank: RankView, width: int) -> str:
    """Time in the states, as parts of `width` cells."""
    cells, total, done = "", 0.0, 0
    for state in PowerState:
        total += rank.activity.share(state)
        upto = round(total * width)
        cells += _STATES[state] * (upto - done)
        done = upto
    return cells.ljust(width)


class HeatPanel:
    """Draws heat maps; a column of each epoch is computed once, as a memory may have many pages."""

    def __init__(self) -> None:
        self._columns: dict[tuple[int, int, int], NDArray[np.float64]] = {}

    def lines(self, view: View, width: int, height: int, ink: Ink) -> list[Strip]:
        """A row for each range of pages, the lowest addresses below; a column for each epoch."""
        parameters = view.parameters
        if parameters and not parameters.accessed:
            return message_lines(
                "the device has no page bitmap, or it is left out (--no-pages)", width, height, ink
            )
        if parameters is None or view.last is None:
            return message_lines(nothing_yet(view), width, height, ink)
        margin = len(f"{parameters.base_address + parameters.frames * parameters.page_bytes:#x}")
        rows = min(height - 3, parameters.frames)
        if rows < 1 or width < margin + 10:
            return padded([], width, height)
        newest = view.last.number
        columns = {
            epoch.number: self._column(epoch, parameters, rows)
            for epoch in view.epochs[-(width - margin - 1) :]
            if epoch.accessed
        }
        numbers = range(max(newest - (width - margin - 2), view.epochs[0].number), newest + 1)
        highest = max((float(shares.max()) for shares in columns.values()), default=0.0)
        lines = [title("heat map", _legend(highest), width, ink)]
        edges = [parameters.frames * row // rows for row in range(rows)]
        for row in reversed(range(rows)):
            address = f"{parameters.base_address + edges[row] * parameters.page_bytes:#x}"
            named = row % _LABELLED == 0
            cells = "".join(
                _sign(columns[number][row], highest) if number in columns else _MISSING for number in numbers
            )
            text = f"{address if named else '':>{margin}}{'┤' if named else '│'}"
            lines.append(line([(text, ink.dim), (cells, ink.series(1))], width))
        lines.append(line([(f"{'':{margin}}└{'─' * len(numbers)}", ink.dim)], width))
        first, last = f"epoch {numbers.start:,}", f"{newest:,}"
        gap = max(len(numbers) - len(first), len(last) + 1)
        lines.append(line([(f"{'':{margin}} {first}{last:>{gap}}", ink.dim)], width))
        return padded(lines, width, height)

    def _column(self, epoch: FeedEpoch, parameters: DeviceParameters, rows: int) -> NDArray[np.float64]:
        """Return the share of the pages accessed in each range of pages."""
        key = epoch.session, epoch.number, rows
        if key not in self._columns:
            if len(self._columns) > _KEPT:
                self._columns.clear()
            self._columns[key] = heat_map(_bitmaps(epoch, parameters), rows, 1).share[:, 0]
        return self._columns[key]


def _bitmaps(epoch: FeedEpoch, parameters: DeviceParameters) -> PageBitmaps:
    assert epoch.accessed
    bits = [np.frombuffer(each, np.uint8)[None] for each in (epoch.accessed.accessed, epoch.accessed.written)]
    return PageBitmaps(
        shown=PagesShown(
            page_bytes=parameters.page_bytes,
            base_address=parameters.base_address,
            ranges=(range(parameters.frames),),
        ),
        epoch=np.array([epoch.number], np.uint32),
        cycles=np.zeros(1, np.uint64),
        accesses=np.zeros(1, np.uint64),
        accessed=bits[0],
        written=bits[1],
    )


def _sign(share: float, highest: float) -> str:
    # The tolerance keeps a share that is exactly on a limit below it.
    return _SHADES[math.ceil(share / highest * (len(_SHADES) - 1) - 1e-9)] if share else _SHADES[0]


def _legend(highest: float) -> str:
    if not highest:
        return "no page was accessed"
    limits = [f"{shade} ≤{highest * (at + 1) / 4:.2g}" for at, shade in enumerate(_SHADES[1:])]
    return f"share of pages: {'  '.join(limits)}"
