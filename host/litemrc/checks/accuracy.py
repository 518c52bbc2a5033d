"""Errors of estimated curves against exact ones over the same accesses."""

import numpy as np

from litemrc.checks.comparison import ContextAccuracy
from litemrc.checks.replay import Replay
from litemrc.curves.hit_counters import HitCounters
from litemrc.curves.sizes import PAGE_BYTES


def accuracy(
    estimated: Replay, exact: Replay, group_pages: int, page_bytes: int = PAGE_BYTES
) -> list[ContextAccuracy]:
    """Compare two models that ran over the same events, for each context that had accesses.

    Parameters:
        estimated, exact: replays that differ only in the stack engine.
        group_pages: pages of the memory in a group.

    Raises:
        ValueError: they disagree on which accesses hit, or on the owner of a page: neither is estimated.
    """
    if (estimated.kind != exact.kind).any() or (estimated.context != exact.context).any():
        raise ValueError("the models differ in hits, misses or owners")
    off = np.abs(estimated.group.astype(int) - exact.group)
    found = []
    for context in range(len(exact.epochs[0].accesses)) if exact.epochs else ():
        curves = [_counters(replay, context, group_pages).curve(page_bytes) for replay in (estimated, exact)]
        if not curves[1].accesses:
            continue
        errors = np.abs(curves[0].miss_ratio - curves[1].miss_ratio)
        in_use = max(max(curve.max_reuse_distance for curve in curves) // group_pages, 1)
        of_context = off[exact.context == context]
        found.append(
            ContextAccuracy(
                context,
                curves[1],
                float(errors.mean()),
                float(errors[:in_use].mean()),
                float(errors.max()),
                int((of_context == 1).sum()),
                int((of_context > 1).sum()),
            )
        )
    return found


def _counters(replay: Replay, context: int, group_pages: int) -> HitCounters:
    hits = np.sum([epoch.hits[context] for epoch in replay.epochs], axis=0, dtype=np.uint64)
    misses = sum(epoch.misses[context] for epoch in replay.epochs)
    return HitCounters.of(hits, misses, group_pages)
