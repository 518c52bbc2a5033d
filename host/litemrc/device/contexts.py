"""The process that each context of a device follows, and memory budgets; with an operating system only."""

from dataclasses import dataclass

from litemrc.device.device import Device, printable
from litemrc.device.errors import DeviceFaultError, RequestRefusedError
from litemrc.device.link.protocol import Message, device_messages
from litemrc.device.link.schema import schema


@dataclass(frozen=True)
class Followed:
    """Target of a context: `state` by its name in the schema; pid 0: none, or a cgroup named `comm`."""

    context: int
    state: str
    pid: int
    comm: str


@dataclass(frozen=True)
class Budget:
    """Memory of the programs of a context, in pages; `allowed` None: no limit."""

    context: int
    allowed: int | None
    used: int


def get_followed(device: Device, context: int) -> Followed:
    """Return the process that a context follows.

    Raises:
        LinkError: the device has no processes, or no such context, or sends nonsense.
    """
    return _followed(device, context, device.request("get_process", context=context))


def follow(device: Device, context: int, pid: int) -> Followed:
    """Have a context follow a process; pid 0 frees it.

    Raises:
        LinkError: as `get_followed`; no such process, or it or the context is taken.
    """
    return _followed(device, context, device.request("follow", context=context, pid=pid))


def get_budget(device: Device, context: int) -> Budget | None:
    """Return the budget of a context; None if the device did not start its programs and so has none.

    Raises:
        LinkError: as `get_followed`.
    """
    try:
        return _budget(device, context, device.request("get_budget", context=context))
    except RequestRefusedError as refused:
        if refused.code in ("busy", "unsupported"):
            return None
        raise


def set_budget(device: Device, context: int, pages: int | None) -> Budget:
    """Set what the programs of a context may use before they must give pages back; None: no limit.

    Raises:
        LinkError: as `get_followed`; or the device did not start what runs there.
    """
    answer = device.request(
        "set_budget", context=context, pages=schema().constants["no_budget"] if pages is None else pages
    )
    return _budget(device, context, answer)


def reclaim(device: Device, context: int, pages: int) -> Budget:
    """Have the programs of a context give back that many pages now, or as many as can be.

    Raises:
        LinkError: as `set_budget`.
    """
    return _budget(device, context, device.request("reclaim", context=context, pages=pages))


def _followed(device: Device, context: int, answer: Message) -> Followed:
    (choices,) = (f.choices for f in device_messages().types["process"].body if f.name == "state")
    names = {number: name for name, number in choices}
    try:
        state, pid = answer.values
        return Followed(context, names[state], pid, printable(answer.payload.decode(errors="replace")))
    except (ValueError, KeyError):
        raise _fault(device, context, answer) from None


def _budget(device: Device, context: int, answer: Message) -> Budget:
    try:
        allowed, used = answer.values
    except ValueError:
        raise _fault(device, context, answer) from None
    return Budget(context, None if allowed == schema().constants["no_budget"] else allowed, used)


def _fault(device: Device, context: int, answer: Message) -> DeviceFaultError:
    what = f"the device sent nonsense: {answer.values} about context {context}"
    return DeviceFaultError(what, where=device.url, remedy="report this as a bug")
