# SPDX-License-Identifier: BSD-2-Clause
"""The process that each context of a device follows, and memory budgets; with an operating system only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litemrc.device.errors import RequestRefusedError
from litemrc.device.link.protocol import Message, host_requests
from litemrc.device.link.schema import schema
from litemrc.errors import UserError
from litemrc.texts import printable

if TYPE_CHECKING:
    from litemrc.device.device import Device


@dataclass(frozen=True)
class Followed:
    """Target of a context: `state` by its name in the schema; pid 0: none, or a cgroup named `comm`."""

    context: int
    state: str
    pid: int
    comm: str


@dataclass(frozen=True)
class Budget:
    """Memory of a context, in pages.

    Attributes
    ----------
    allowed
        its budget; None: no limit.
    used
        what it holds.
    guaranteed
        what reclaim of other memory leaves to it; None: the device does not report it.
    guaranteed_above
        least guarantee of the cgroups above, a bound of `guaranteed`; None: none is above.
    allowed_above
        least limit of the cgroups above, and its hard limit; None: none.
    """

    context: int
    allowed: int | None
    used: int
    guaranteed: int | None = None
    guaranteed_above: int | None = None
    allowed_above: int | None = None


def get_followed(device: "Device", context: int) -> Followed:
    """Return the process that a context follows.

    Raises
    ------
    LinkError
        the device has no processes, or no such context, or sends nonsense.
    """
    return _followed(device, context, device.request("get_process", context=context))


def follow(device: "Device", context: int, pid: int) -> Followed:
    """Have a context follow a process; pid 0 frees it.

    Raises
    ------
    LinkError
        as `get_followed`; no such process, or it or the context is taken.
    """
    return _followed(device, context, device.request("follow", context=context, pid=pid))


def follow_cgroup(device: "Device", path: str, context: int = 0) -> Followed:
    """Have a context follow a cgroup and those below it.

    Parameters
    ----------
    path
        from the root of cgroup v2, such as /app/web; one that the device's administrator listed.
    context
        0: the one that follows it already, or a free one.

    Raises
    ------
    UserError
        the path is too long for the link, or empty.
    LinkError
        as `get_followed`; the cgroup is not listed, or no context is free.
    """
    longest = host_requests().field("follow_cgroup", "path").most
    if not 1 <= len(path.encode()) <= longest:
        what = f"the path of a cgroup must have 1 to {longest} bytes (got {len(path.encode())})"
        raise UserError(what, where=device.url, remedy="give a path such as /app/web")
    answer = device.request("follow_cgroup", context=context, path=path)
    if len(answer.values) != 3 or not 0 < answer.values[2] < device.hello.contexts:
        raise device.fault(f"{answer.values} about context {context}")
    return _followed(device, answer.values[2], answer, answer.values[:2])


def get_budget(device: "Device", context: int) -> Budget | None:
    """Return the budget of a context; None if it has neither a program of the device nor a listed cgroup.

    Raises
    ------
    LinkError
        as `get_followed`.
    """
    try:
        return _budget(device, context, device.request("get_budget", context=context))
    except RequestRefusedError as refused:
        if refused.code in ("busy", "unsupported"):
            return None
        raise


def set_budget(device: "Device", context: int, pages: int | None) -> Budget:
    """Guarantee memory to a context, and limit it to the same; None: neither.

    Raises
    ------
    LinkError
        as `get_followed`; the context has no budget, or the cgroups above allow less.
    """
    answer = device.request(
        "set_budget", context=context, pages=schema().constants["no_budget"] if pages is None else pages
    )
    return _budget(device, context, answer)


def reclaim(device: "Device", context: int, pages: int) -> Budget:
    """Have the programs of a context give back that many pages now, or as many as can be.

    Raises
    ------
    LinkError
        as `set_budget`.
    """
    return _budget(device, context, device.request("reclaim", context=context, pages=pages))


def _followed(
    device: "Device", context: int, answer: Message, values: Sequence[int] | None = None
) -> Followed:
    names = {number: name for name, number in schema().enums["context_state"].items()}
    try:
        state, pid = answer.values if values is None else values
        return Followed(context, names[state], pid, printable(answer.payload.decode(errors="replace")))
    except (ValueError, KeyError):
        raise device.fault(f"{answer.values} about context {context}") from None


def _budget(device: "Device", context: int, answer: Message) -> Budget:
    if len(answer.values) not in (2, 5):
        raise device.fault(f"{answer.values} about context {context}")
    no_budget = schema().constants["no_budget"]
    allowed, used, *more = answer.values
    guaranteed, *above = more or (None, no_budget, no_budget)
    return Budget(
        context,
        None if allowed == no_budget else allowed,
        used,
        guaranteed,
        *(None if pages == no_budget else pages for pages in above),
    )
