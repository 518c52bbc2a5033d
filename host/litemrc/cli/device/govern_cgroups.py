# SPDX-License-Identifier: BSD-2-Clause
"""The cgroups that `litemrc govern` governs: named on the command line, followed in contexts."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from litemrc.cli.shared.messages import warning
from litemrc.device.contexts import Budget, follow, follow_cgroup, get_budget
from litemrc.device.device import Device
from litemrc.device.errors import LinkError
from litemrc.errors import UserError


@dataclass(frozen=True)
class CgroupChoice:
    """A cgroup of the command line: its path from the root of cgroup v2, and the weight of its utility."""

    path: str
    weight: float = 1.0


@dataclass(frozen=True)
class Cgroup:
    """A cgroup that a context follows, and its budget when that began."""

    path: str
    weight: float
    context: int
    budget: Budget


def cgroup_choice(text: str) -> CgroupChoice:
    """Parse PATH or PATH=WEIGHT."""
    path, _, weight = text.rpartition("=") if "=" in text else (text, "", "1")
    try:
        value = float(weight)
    except ValueError:
        value = 0.0
    if not path.startswith("/") or path.endswith("/") or not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(
            f"must be PATH or PATH=WEIGHT, the path from the root of cgroup v2, the weight above 0, such as"
            f" /app/web or /app/web=2 (got {text!r})"
        )
    return CgroupChoice(path, value)


def check_choices(choices: Sequence[CgroupChoice]) -> None:
    """Check that no cgroup is named twice, or lies in another.

    Raises
    ------
    UserError
        one does.
    """
    paths = [choice.path for choice in choices]
    for number, path in enumerate(paths):
        if path in paths[:number]:
            raise UserError(f"{path} is named twice", where="--cgroup", remedy="name it once")
        for other in paths:
            if path.startswith(f"{other}/"):
                raise UserError(
                    f"{path} is inside {other}: its memory would be divided twice",
                    where="--cgroup",
                    remedy="name one of the two, or cgroups beside each other",
                )


def begin_following(device: Device, choices: Sequence[CgroupChoice]) -> list[Cgroup]:
    """Have a context follow each cgroup.

    Raises
    ------
    UserError
        a cgroup has no memory controller, or the device no operating system.
    LinkError
        the device refuses: a cgroup is not listed, or no context is free.
    """
    if choices and not device.hello.system:
        raise UserError(
            "the device has no operating system, hence no cgroups",
            where=device.url,
            remedy="boot Linux on it; on bare metal the tasks of the pager are governed without --cgroup",
        )
    followed: list[Cgroup] = []
    try:
        for choice in choices:
            followed.append(_begin(device, choice))
    except BaseException:
        end_following(device, followed)
        raise
    return followed


def _begin(device: Device, choice: CgroupChoice) -> Cgroup:
    context = follow_cgroup(device, choice.path).context
    budget = get_budget(device, context)
    if budget is None:
        what = f"{choice.path} has no budget"
        raise UserError(what, where=device.url, remedy="enable the memory controller for this cgroup")
    return Cgroup(choice.path, choice.weight, context, budget)


def end_following(device: Device, cgroups: Sequence[Cgroup]) -> None:
    """Free the contexts; a device that is gone does not matter any more."""
    with suppress(LinkError):
        for cgroup in cgroups:
            follow(device, cgroup.context, 0)


def warn_of_guarantee(cgroup: Cgroup, budget: Budget) -> bool:
    """Warn if the kernel protects less than the budget, and return whether: a cgroup above has less."""
    protected = budget.guaranteed_above
    if protected is None or not budget.guaranteed or budget.guaranteed <= protected:
        return False
    warning(
        f"{cgroup.path}: memory.low of a cgroup above it is {protected:,} pages, so the kernel protects no"
        f" more of its {budget.guaranteed:,}; raise memory.low there"
    )
    return True
