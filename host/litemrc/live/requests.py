# SPDX-License-Identifier: BSD-2-Clause
"""What the keys ask of a device: each is executed in the feed's thread, and returns what is in force then."""

from dataclasses import dataclass

from litemrc.curves.sizes import size_bytes, size_text
from litemrc.device.contexts import Budget, follow, get_budget, get_followed, set_budget
from litemrc.device.device import Device
from litemrc.device.hot import OF_PAGES, counting_pages, get_hot, set_hot
from litemrc.device.link.protocol import host_requests
from litemrc.errors import UserError
from litemrc.live.view import Settings


def read_settings(device: Device) -> Settings:
    """Return the settings that the panels show.

    Raises
    ------
    LinkError
        the device is gone or sends nonsense.
    """
    unit, length = device.numbers(device.request("get_epoch"), 2)
    freeze, _, frozen = device.numbers(device.request("get_freeze"), 3)
    first = 1 if device.hello.system else 0  # context 0 is the kernel's
    budgets = {context: get_budget(device, context) for context in range(first, device.hello.contexts)}
    return Settings(
        epoch_unit=device.choice("set_epoch", "unit", unit),
        epoch_length=length,
        freeze=bool(freeze),
        frozen=bool(frozen),
        budgets={context: budget for context, budget in budgets.items() if budget},
        idle=not device.hello.running and not device.hello.system,
    )


@dataclass(frozen=True)
class EpochLength:
    """A length of epochs."""

    length: int
    unit: str

    @classmethod
    def parse(cls, text: str) -> "EpochLength":
        """Read "N UNIT", such as "10000 accesses".

        Raises
        ------
        UserError
            it is not written like that.
        """
        units = epoch_units()
        number, _, unit = text.replace(",", "").strip().partition(" ")
        unit = unit.strip() or units[0]
        if not number.isascii() or not number.isdigit() or int(number) == 0 or unit not in units:
            raise UserError(
                f"{text!r} is not an epoch length", remedy=f"write a number and {' or '.join(units)}"
            )
        return cls(int(number), unit)

    def __call__(self, device: Device) -> str:
        unit, length = device.numbers(device.request("set_epoch", unit=self.unit, length=self.length), 2)
        return f"epochs have {length:,} {device.choice('set_epoch', 'unit', unit)}"


def epoch_units() -> list[str]:
    """Return the units of an epoch's length."""
    return list(host_requests().field("set_epoch", "unit").choices)


def toggle_freeze(device: Device) -> str:
    """Freeze the monitor, or have it count again; also after a single shot."""
    freeze, _, frozen = device.numbers(device.request("get_freeze"), 3)
    if frozen and not freeze:
        device.request("arm")
        return "armed: it counts until the end of the epoch"
    device.request("freeze", on=not freeze)
    return "counting again" if freeze else "frozen: stacks are updated, nothing is counted, epochs do not end"


def turn_hot_on(device: Device) -> str:
    """Have hot pages counted; their messages come with the next session."""
    settings = get_hot(device)
    if settings.enable != OF_PAGES:
        set_hot(device, counting_pages(settings, device.hello.frames))
    return "hot pages are counted: every page was invalidated, and the epoch restarted"


@dataclass(frozen=True)
class Follow:
    """A context that is to follow a process; None: the first free one; pid 0: it is freed."""

    pid: int
    context: int | None

    @classmethod
    def parse(cls, pid: str, context: str) -> "Follow":
        """Read both numbers; an empty context is the first free one.

        Raises
        ------
        UserError
            they are no numbers, or 0 frees no context.
        """
        follow = cls(_natural(pid, "pid"), _natural(context, "context") if context.strip() else None)
        if not follow.pid and follow.context is None:
            raise UserError("pid 0 frees a context, but none is given", remedy="give the context")
        return follow

    def __call__(self, device: Device) -> str:
        context = _first_free(device) if self.context is None else self.context
        followed = follow(device, context, self.pid)
        if followed.state == "free":
            return f"context {context} is free"
        return f"context {context} follows {followed.comm or 'unnamed'} (pid {followed.pid})"


@dataclass(frozen=True)
class SetBudget:
    """A budget of a context, in pages; None: no limit."""

    context: int
    pages: int | None
    page_bytes: int

    @classmethod
    def parse(cls, context: str, size: str, page_bytes: int) -> "SetBudget":
        """Read a context, and pages, a size such as 2M, or "none".

        Raises
        ------
        UserError
            they are not written like that.
        """
        text = size.strip()
        if text == "none":
            pages = None
        elif text.isascii() and text.isdigit():
            pages = int(text)
        else:
            pages = size_bytes(text) // page_bytes
        return cls(_natural(context, "context"), pages, page_bytes)

    def __call__(self, device: Device) -> str:
        return self._text(set_budget(device, self.context, self.pages))

    def _text(self, budget: Budget) -> str:
        if budget.allowed is None:
            return f"context {self.context} has no limit"
        allowed, used = (size_text(pages, self.page_bytes) for pages in (budget.allowed, budget.used))
        return f"context {self.context} may have {allowed}; it has {used}"


def _first_free(device: Device) -> int:
    for context in range(1, device.hello.contexts):
        if get_followed(device, context).state == "free":
            return context
    raise UserError("no context is free", where=device.url, remedy="free one: pid 0 and its number")


def _natural(text: str, what: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise UserError(f"the {what} must be a number (got {text.strip()!r})", remedy="write digits only")
    return int(text)
