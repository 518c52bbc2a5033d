# SPDX-License-Identifier: BSD-2-Clause
"""Options that set what hot pages count, and the text of these settings."""

import argparse
import re
from dataclasses import replace
from typing import Any

from litemrc.cli.shared.arguments import natural, positive
from litemrc.device.device import Device
from litemrc.device.hot import OF_ROWS, HotSettings, get_hot, set_hot

_ON_OR_OFF = argparse.BooleanOptionalAction
_KINDS = {"reads": (True, False), "writes": (False, True), "all": (True, True)}


def frame_range(text: str) -> tuple[int, int | None]:
    """Parse frames, such as 1024:2047 or 1024:; the upper end is None if it is not given."""
    match = re.fullmatch(r"(\d+):(\d*)", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(
            f"must be a range of frames, such as 1024:2047 or 1024: (got {text!r})"
        )
    lower, upper = match.groups()
    return int(lower), int(upper) if upper else None


def add_hot_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the settings of hot pages."""
    hot = parser.add_argument_group("hot pages", "a setting that is not given stays unchanged")
    hot.add_argument("--hot", action=_ON_OR_OFF, help="count the accesses of each page")
    hot.add_argument("--hot-k", metavar="K", type=positive, help="pages listed at most")
    hot.add_argument("--hot-threshold", metavar="N", type=positive, help="accesses that make a page hot")
    hot.add_argument("--hot-only", choices=_KINDS, help="accesses that are counted")
    hot.add_argument("--hot-sample", metavar="N", type=natural, help="count 1 access of 2^N, 0 to 15")
    hot.add_argument("--hot-range", metavar="A:B", type=frame_range, help="count only frames A to B")
    hot.add_argument("--hot-queue", action=_ON_OR_OFF, help="also report pages as soon as they are hot")
    hot.add_argument("--hot-watermark", metavar="N", type=positive, help="pages such a report waits for")


def set_hot_options(device: Device, args: argparse.Namespace) -> None:
    """Set what `add_hot_arguments` declared, if anything was given.

    Raises
    ------
    LinkError
        the device has no hot pages, or no such setting.
    """
    lower, upper = args.hot_range or (None, None)
    if args.hot_range and upper is None:
        upper = device.hello.frames - 1
    change_hot(
        device,
        enable=args.hot,
        wanted=args.hot_k,
        threshold=args.hot_threshold,
        only=args.hot_only,
        sampling_log2=args.hot_sample,
        lower=lower,
        upper=upper,
        always_on=args.hot_queue,
        watermark=args.hot_watermark,
    )


def change_hot(device: Device, *, only: str | None = None, **values: Any) -> tuple[HotSettings | None, bool]:
    """Set these settings, those that are None left out; return those in force, and whether any changed.

    Parameters
    ----------
    only
        reads, writes or all.
    values
        by the names of `HotSettings`.

    Raises
    ------
    LinkError
        the device has no hot pages, or no such setting.
    """
    given = {name: value for name, value in values.items() if value is not None}
    if only:
        given |= dict(zip(("reads", "writes"), _KINDS[only], strict=True))
    if not given:
        return None, False
    before = get_hot(device)
    wanted = replace(before, **given)
    return (before, False) if wanted == before else (set_hot(device, wanted), True)


def hot_text(settings: HotSettings | None) -> str:
    """Return the settings in force, for people; None: the device has no hot pages."""
    if settings is None:
        return "none"
    if not settings.enable:
        return "off (--hot)"
    if settings.enable == OF_ROWS:
        return f"rows of the DRAM, {settings.wanted} at most, from {settings.threshold:,} ACTIVATEs on"
    kinds = [name for name in ("reads", "writes") if getattr(settings, name)]
    parts = [
        f"{settings.wanted} listed at most",
        f"from {settings.threshold:,} {' and '.join(kinds)} on",
        f"frames {settings.lower} to {settings.upper}",
    ]
    if settings.sampling_log2:
        parts.append(f"1 access of {1 << settings.sampling_log2} counted")
    if settings.always_on:
        parts.append(f"reported when {settings.watermark} are hot")
    return ", ".join(parts)
