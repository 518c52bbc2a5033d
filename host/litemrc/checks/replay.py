"""Runs the golden model of a monitor over the events of a recording, with the settings recorded."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.device.simulation.recording import OPS, Recording
from litemrc.golden.monitor.hit_counters import EpochCounters
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.monitor.positions import NONE, Position


@dataclass(frozen=True, eq=False)
class Replay:
    """Results of the model.

    Attributes:
        epochs: counters of every finished epoch.
        scale_log2: for each epoch, log2 of the pages of memory that a page in the stacks stands for.
        split: for each epoch, whether writes counted apart.
        kind, group, context: uint8[n], the position of each event (`golden.monitor.positions`).
    """

    epochs: list[EpochCounters]
    scale_log2: list[int]
    split: list[bool]
    kind: NDArray[np.uint8]
    group: NDArray[np.uint8]
    context: NDArray[np.uint8]


def replay(
    recording: Recording, model: MonitorModel, progress: Callable[[int], object] = lambda epochs: None
) -> Replay:
    """Run a new model over all events; `progress` is called with the number of epochs finished."""

    def drop(frame: int, context: int, write: bool) -> Position:
        model.drop()
        return NONE

    actions = {
        "access": model.access,
        "dropped": drop,
        "invalidate": lambda frame, context, write: model.invalidate(frame),
        "clear": lambda frame, context, write: model.clear(),
        "mark": lambda frame, context, write: model.mark(),
    }
    do = [actions[op] for op in OPS]
    epochs, scales, splits, positions = [], [], [], bytearray()
    in_force = None
    columns = ("op", "frame", "context", "write", "frozen", "epoch_end", "setting")
    for op, frame, context, write, frozen, epoch_end, setting in recording.events(*columns):
        if setting != in_force:
            in_force = setting
            settings = recording.settings[setting]
            model.set_range(settings.lower, settings.upper)
            model.set_sampling(settings.sampling)
            model.set_split(bool(settings.split))
        model.freeze = bool(frozen)
        positions.extend(do[op](frame, context, write))
        if epoch_end:
            scales.append(model.filter.scale_log2)
            splits.append(bool(model.filter.split))
            epochs.append(model.end_epoch())
            progress(len(epochs))
    kinds, groups, contexts = np.frombuffer(positions, dtype=np.uint8).reshape(-1, 3).T
    return Replay(epochs, scales, splits, kinds, groups, contexts)
