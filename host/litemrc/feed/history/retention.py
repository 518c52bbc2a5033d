"""Which files of a history are removed: by age and by size, in the order of writing, whatever clocks say.

Age is recorded time, not that of the clock on the wall: the time that newer files were written over, and the
gaps between them. A gap counts as a tenth of what is kept at most, as it may be a clock that stepped forward:
such a step ages the history by a tenth. A clock that steps back is a gap of 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from litemrc.feed.history.index import HistoryFile
from litemrc.feed.history.kinds import KINDS

_LONGEST_GAP = 0.1  # of the time that is kept


@dataclass(frozen=True)
class Retention:
    """How long epochs are kept.

    Attributes:
        seconds: Parquet files whose last epoch is older, in recorded time, are removed; None: no limit.
        bytes: the oldest Parquet files of a device are removed above this; None: no limit.
    """

    seconds: float | None = None
    bytes: int | None = None


def removed(files: Iterable[HistoryFile], retention: Retention) -> tuple[list[HistoryFile], int]:
    """Return the files that are not kept, and how many are kept because gaps do not count in full.

    Files that cannot be read are kept.
    """
    readable = sorted((file for file in files if file.readable), key=lambda file: file.order)
    old: list[HistoryFile] = []
    doubtful = 0
    if retention.seconds is not None:
        for kind in KINDS:
            too_old, spared = _too_old([file for file in readable if file.kind is kind], retention.seconds)
            old += too_old
            doubtful += spared
    kept = [file for file in readable if file not in old]
    total = sum(file.bytes for file in kept)
    for file in kept:
        if retention.bytes is None or total <= retention.bytes:
            break
        old.append(file)
        total -= file.bytes
    return old, doubtful


def _too_old(files: list[HistoryFile], seconds: float) -> tuple[list[HistoryFile], int]:
    most, longest_gap = seconds * 1e6, seconds * 1e6 * _LONGEST_GAP
    age = age_by_clock = 0.0
    found, doubtful = [], 0
    for newer, file in zip([None, *reversed(files)], reversed(files), strict=False):
        if newer:
            assert newer.first is not None and file.last is not None
            gap = max(newer.first - file.last, 0)
            age += newer.recorded_us + min(gap, longest_gap)
            age_by_clock += newer.recorded_us + gap
        if age > most:
            found.append(file)
        else:
            doubtful += age_by_clock > most
    return found, doubtful
