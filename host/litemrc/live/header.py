# SPDX-License-Identifier: BSD-2-Clause
"""The header: the device, the epochs, the link, and what is unusual."""

from dataclasses import dataclass

from textual.strip import Strip

from litemrc.epochs.traffic import bandwidth_text
from litemrc.live.ink import Ink, Part, both_ends, line
from litemrc.live.view import View

TABS = ("Overview", "Contexts", "Ranks", "Hot pages", "Heat map", "DRAM")
_LINES = 4


@dataclass(frozen=True)
class Status:
    """What the program does, beside what the feed gives.

    Attributes
    ----------
    tab
        number in `TABS`.
    paused
        the display stands still.
    recording
        what the header says of it; empty: nothing is recorded.
    silent_s
        seconds since the last epoch arrived, if that is long.
    """

    tab: int = 0
    paused: bool = False
    recording: str = ""
    silent_s: float | None = None


def header_height(view: View) -> int:
    """Return the number of lines: one more for a device that counts its DRAM commands."""
    return _LINES + bool(view.parameters and view.parameters.banks)


def header_lines(view: View, url: str, status: Status, width: int, ink: Ink) -> list[Strip]:
    """Return `header_height` lines."""
    return [
        _device_line(view, url, width, ink),
        *(_lost_lines(view, width, ink) if view.lost else _running_lines(view, status, width, ink)),
        *([line(_traffic_parts(view, ink), width)] if header_height(view) > _LINES else []),
        _tab_line(view, status, width, ink),
    ]


def _device_line(view: View, url: str, width: int, ink: Ink) -> Strip:
    parts: list[Part] = [(" LiteMRC ", ink.alarm), " ", (url, ink.strong)]
    p = view.parameters
    if p is None:
        return line(parts, width)
    facts = [f"{p.engine}, {p.pages:,} pages", f"{p.contexts} contexts", f"{p.clock_hz / 1e6:g} MHz"]
    return line([*parts, ("  " + ", ".join([*facts, *([p.system] if p.system else [])]), ink.dim)], width)


def _running_lines(view: View, status: Status, width: int, ink: Ink) -> list[Strip]:
    last = view.last
    if last is None:
        idle = "the device runs no program: n starts one"
        waiting = idle if view.settings.idle else "waiting for the first epoch"
        return [line([(waiting, ink.dim)], width), line([""], width)]
    epoch: list[Part] = ["epoch ", (f"{last.number:,}", ink.strong)]
    if view.settings.epoch_length:
        epoch.append((f" of {view.settings.epoch_length:,} {view.settings.epoch_unit}", ink.dim))
    if status.silent_s is not None:
        epoch.append((f"  none for {status.silent_s:.0f} s", ink.strong))
    elif view.rate:
        epoch.append(f"  {view.rate:.3g}/s")
    window = f"window {len(view.summed)} of {view.window}" if len(view.summed) < view.window else ""
    window = window or f"window {view.window} epoch{'s' * (view.window > 1)}"
    dropped = f"{view.dropped:,} accesses dropped"
    counts = last.link
    damaged = counts.damaged + counts.oversized
    link: list[Part] = ["link: ", (f"{counts.frames:,}", ink.strong), " frames, "]
    link += [
        _bad(f"{damaged:,} damaged", damaged, ink),
        ", ",
        _bad(f"{counts.lost:,} lost", counts.lost, ink),
    ]
    link += ["; epochs lost: ", _bad(f"{last.lost:,}", last.lost, ink)]
    return [
        both_ends(epoch, [f"  {window}, ", _bad(dropped, view.dropped, ink)], width),
        line(link, width),
    ]


def _traffic_parts(view: View, ink: Ink) -> list[Part]:
    """Return what the DRAM moved in the window; what the device does not know is left out."""
    traffic = view.traffic
    if traffic is None:
        return []
    known = [
        (traffic.read_bandwidth, bandwidth_text, "read"),
        (traffic.write_bandwidth, bandwidth_text, "written"),
        (traffic.peak_share, "{:.1%}".format, "of the peak"),
        (traffic.row_hit_rate, "{:.1%}".format, "row hits"),
    ]
    parts: list[Part] = []
    for value, text, words in known:
        if value is not None:
            parts += [", " if parts else "DRAM: ", (text(value), ink.strong), f" {words}"]
    return parts


def _bad(text: str, count: int, ink: Ink) -> Part:
    return (text, ink.strong) if count else text


def _lost_lines(view: View, width: int, ink: Ink) -> list[Strip]:
    """The reason, on two lines."""
    assert view.lost
    head = f" LINK LOST, try {view.tries} failed " if view.tries > 1 else " LINK LOST, trying again "
    reason, room = view.lost.reason, max(width - len(head) - 1, 1)
    cut = len(reason) if len(reason) <= room else max(reason.rfind(" ", 0, room + 1), 0) or room
    return [line([(head, ink.alarm), " ", reason[:cut]], width), line([reason[cut:].lstrip()], width)]


def _tab_line(view: View, status: Status, width: int, ink: Ink) -> Strip:
    parts: list[Part] = []
    for number, name in enumerate(TABS):
        chosen = number == status.tab
        parts += [(f" {number + 1} {name} ", ink.alarm if chosen else ink.dim)]
    flags: list[Part] = []
    for text in (
        status.recording,
        "PAUSED" if status.paused else "",
        "FROZEN" if view.settings.freeze or view.settings.frozen else "",
    ):
        if text:
            flags += [" ", (f" {text} ", ink.alarm)]
    return both_ends(parts, flags, width)
