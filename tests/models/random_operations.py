# SPDX-License-Identifier: BSD-2-Clause
"""Random operations on the library and on the golden model, compared whenever an epoch ends.

Runs by itself, too, so that a sanitizer can be loaded before Python: random_operations.py LIBRARY
"""

import random
import sys
from pathlib import Path

from litemrc.golden.monitor.monitor import MonitorModel

from tests.models.model_library import ENGINES, SIZES, Model

_NAMES = {number: name for name, number in ENGINES.items()}


def golden_of(model: Model) -> MonitorModel:
    return MonitorModel(
        model.frames, model.groups, model.contexts, _NAMES[model.engine], model.pages, model.recent_pages
    )


def expected_rows(epoch, groups: int) -> list[list[int]]:
    """The window of an epoch: hits, misses, accesses, touched, zeros."""
    totals = zip(epoch.misses, epoch.accesses, epoch.touched, strict=True)
    return [
        [*hits, *of_context, *[0] * (groups - 3)] for hits, of_context in zip(epoch.hits, totals, strict=True)
    ]


def check(model: Model, golden_epoch) -> None:
    assert model.window_rows() == expected_rows(golden_epoch, model.groups)
    assert model.epoch_outside() == golden_epoch.outside
    assert model.epoch_unsampled() == golden_epoch.unsampled
    assert model.epoch() == golden_epoch.epoch + 1


def run(model: Model, seed: int, operations: int) -> int:
    """Returns the number of epochs compared."""
    draw = random.Random(seed)
    golden, context, epochs = golden_of(model), 0, 0
    lower, upper, sampling = 0, model.frames - 1, 0
    model.control(1, 1, 0, 0, 0)
    # Programs that stay in some pages for a while, and now and then a page from anywhere.
    place, reach = 0, model.frames // 4
    for _ in range(operations):
        kind = draw.random()
        if kind < 0.95:
            if draw.random() < 0.01:
                place, reach = (
                    draw.randrange(model.frames),
                    draw.choice([2, 5, model.frames // 8, model.frames]),
                )
            frame = (place + int(draw.random() ** 2 * reach)) % model.frames
            write = draw.getrandbits(1)
            assert model.access_frame(frame, write) == 0
            golden.access(frame, context, bool(write))
        elif kind < 0.96:
            frame = draw.randrange(model.frames)
            model.invalidate(frame)
            golden.invalidate(frame)
        elif kind < 0.97:
            frame = (place + draw.randrange(reach)) % model.frames
            owner, order = draw.randrange(model.contexts), draw.choice([0, 0, 0, 1, 3])
            model.claim(frame, owner, order)
            golden.claim(frame, owner, order)
        elif kind < 0.98:
            context = draw.randrange(model.contexts)
            model.set_context(context)
        elif kind < 0.985:
            golden.freeze = not golden.freeze
            model.control(1, 1, 0, int(golden.freeze), 0)
        elif kind < 0.99:
            model.end_epoch()
            assert model.epoch_ready()
            check(model, golden.end_epoch())
            model.release()
            assert not model.epoch_ready()
            epochs += 1
        elif kind < 0.992:
            if draw.random() < 0.5:
                lower = draw.randrange(model.frames // 2)
                upper, sampling = draw.randrange(lower, model.frames), draw.randrange(4)
                split = draw.random() < 0.5
                model.set_filter(lower, upper, sampling, int(split))
                golden.set_range(lower, upper)
                golden.set_sampling(sampling)
                golden.set_split(split)
                assert model.scale_log2() == golden.filter.scale_log2
            model.clear()
            golden.clear()
    return epochs


if __name__ == "__main__":
    for size in SIZES:
        print(size, run(Model(Path(sys.argv[1]), size), seed=1, operations=20_000), "epochs equal")
