# SPDX-License-Identifier: BSD-2-Clause
"""Compares the messages of single pages with the golden models: frames accessed, hot pages, queued pages."""

from collections.abc import Iterable
from dataclasses import dataclass

from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.hot import HotSettings
from litemrc.device.simulation.recording import OPS, Recording
from litemrc.golden.monitor.hot_pages import HotPages
from litemrc.golden.monitor.hot_pages import HotSettings as Selection
from litemrc.golden.monitor.working_set import PageBitmap
from litemrc.pages.hot_lists import HotList

_ACCESS, _CLEAR = OPS.index("access"), OPS.index("clear")


@dataclass(frozen=True)
class PagesCheck:
    """Epochs compared, and the first difference; empty if there is none."""

    epochs: int
    difference: str


@dataclass(frozen=True)
class HotReplay:
    """Hot pages of the golden model.

    Attributes
    ----------
    lists
        of the epochs, by number.
    queued
        frames that reached the threshold since the last clear, in order.
    """

    lists: dict[int, HotList]
    queued: list[int]


def check_accessed(recording: Recording, epochs: Iterable[AccessedEpoch], frames: int) -> PagesCheck:
    """Compare the bits of epochs with those of the golden page bitmap over the recorded events."""
    model, expected = PageBitmap(), {}
    columns = ("op", "frame", "write", "frozen", "epoch", "epoch_end", "setting")
    for op, frame, write, frozen, epoch, epoch_end, setting in recording.events(*columns):
        if op == _ACCESS and not frozen:
            in_force = recording.settings[setting]
            if in_force.lower <= frame <= in_force.upper:
                model.access(frame, bool(write))
        elif op == _CLEAR:
            model.clear()
        if epoch_end:
            model.end_epoch()
            expected[epoch] = (_bits(model.accessed, frames), _bits(model.written, frames))
    compared = 0
    for each in epochs:
        for kind, found, golden in zip(
            ("accessed", "written"), (each.accessed, each.written), expected[each.epoch], strict=True
        ):
            if found != golden:
                wrong = int.from_bytes(found, "little") ^ int.from_bytes(golden, "little")
                frame = (wrong & -wrong).bit_length() - 1
                what = f"epoch {each.epoch}: the {kind} bit of frame {frame} is wrong"
                return PagesCheck(compared, f"{what}, with {wrong.bit_count() - 1} others")
        compared += 1
    return PagesCheck(compared, "")


def replay_hot(recording: Recording, settings: HotSettings, frames: int) -> HotReplay:
    """Run the golden hot pages over the recorded events; what precedes the last clear is not to be used.

    Parameters
    ----------
    settings
        those in force since the last clear.
    """
    selection = Selection(
        lower=settings.lower,
        upper=settings.upper,
        reads=settings.reads,
        writes=settings.writes,
        sampling_log2=settings.sampling_log2,
        threshold=settings.threshold,
        wanted=settings.wanted,
        always_on=settings.always_on,
    )
    model = HotPages(frames, settings=selection)
    lists: dict[int, HotList] = {}
    queued: list[int] = []
    columns = ("op", "frame", "write", "frozen", "epoch", "epoch_end")
    for op, frame, write, frozen, epoch, epoch_end in recording.events(*columns):
        if op == _ACCESS and not frozen:
            model.access(frame, bool(write))
            if model.queue:
                queued.append(model.queue.popleft()[0])
        elif op == _CLEAR:
            model.clear()
            queued.clear()
        if epoch_end:
            golden = model.end_epoch()
            listed, counts = zip(*golden.pages, strict=True) if golden.pages else ((), ())
            lists[epoch] = HotList(epoch, golden.accesses, golden.more, golden.saturated, listed, counts)
    return HotReplay(lists, queued)


def check_hot(golden: HotReplay, rows: Iterable[HotList]) -> PagesCheck:
    """Compare the hot pages of epochs with those of the golden model."""
    compared = 0
    for row in rows:
        if row != golden.lists[row.epoch]:
            return PagesCheck(compared, f"device {row}, golden model {golden.lists[row.epoch]}")
        compared += 1
    return PagesCheck(compared, "")


def _bits(frames: Iterable[int], size: int) -> bytes:
    return sum(1 << frame for frame in frames).to_bytes(size // 8, "little")
