# SPDX-License-Identifier: BSD-2-Clause
"""A thread that owns the link to a device and gives each epoch to its listeners."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from litemrc.device import TIMEOUT_S
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.record_rows import MONITOR
from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, DeviceGoneError, RequestRefusedError
from litemrc.device.hot import OF_PAGES, PageMessages, counting_pages, get_hot, page_messages, set_hot
from litemrc.device.link.protocol import Message
from litemrc.device.rank_commands import Dram, get_dram
from litemrc.errors import UserError
from litemrc.feed.backoff import Backoff
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.ranks.table import NO_RANKS
from litemrc.texts import printable

_POLL_S = 0.02  # a request waits so long while nothing comes from the device

Event = DeviceParameters | FeedEpoch | FeedLost | Message
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class FeedOptions:
    """How a session with a device begins.

    Attributes
    ----------
    timeout_s
        limit of a request.
    baud
        bit rate of a device file.
    identifier
        what the gateware must call itself; None: anything.
    take
        replace another host at the port, until the first session has begun, so that one which replaces
        this feed stays.
    pages, hot
        ask for the frames accessed, and the hot pages, of each epoch; hot pages are turned on.
    if_there
        ask for them only where the device has them and counts them already: nothing is turned on.
    epoch_unit, epoch_length
        of an epoch, to be set; None: as it is.
    """

    timeout_s: float = TIMEOUT_S
    baud: int = 115200
    identifier: str | None = None
    take: bool = False
    pages: bool = False
    hot: bool = False
    if_there: bool = False
    epoch_unit: str = "accesses"
    epoch_length: int | None = None


class _ListenerError(Exception):
    """A listener failed; its exception is the cause."""


class Feed:
    """One device: opened, and reopened when the link is lost.

    Listeners are called in the feed's thread, with the device's parameters at the beginning of a session,
    each message, each epoch after its message, and the end of the session.

    Attributes
    ----------
    name, url
        of the device.
    parameters
        of the last session; None before the first one.
    connected
        a session runs.
    failure
        why the last session ended or did not begin; None while one runs.
    sessions
        begun so far.
    """

    def __init__(self, url: str, options: FeedOptions | None = None, *, name: str = "") -> None:
        self.name, self.url = name or url, url
        self.parameters: DeviceParameters | None = None
        self.failure: UserError | None = None
        self.connected = False
        self.sessions = 0
        self._options = options or FeedOptions()
        self._listeners: list[Callable[[Event], None]] = []
        self._actions: deque[tuple[Callable[[Device], Any], Future]] = deque()
        self._closing, self._settled = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._broken: BaseException | None = None
        self._begun: float | None = None  # time of the session's beginning
        self._thread = threading.Thread(target=self._run, name=f"feed {self.name}", daemon=True)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with everything that comes; before `start`."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Open the link, in the feed's thread."""
        self._thread.start()

    def close(self) -> None:
        """End the session and the thread; requests that wait fail."""
        self._closing.set()
        self._thread.join()

    def wait(self, timeout_s: float) -> UserError | None:
        """Wait until the first session has begun or failed; return why it failed."""
        self._settled.wait(timeout_s)
        self.check()
        return self.failure

    def check(self) -> None:
        """Raise what a listener raised, if one did: the feed has ended."""
        if self._broken:
            raise self._broken

    def call(self, action: Callable[[Device], Answer]) -> "Future[Answer]":
        """Execute `action`, which sends requests, in the feed's thread between two messages.

        The future raises what the action raises: RequestRefusedError and others; DeviceGoneError: no session.
        """
        future: Future[Answer] = Future()
        with self._lock:
            if self.connected:
                self._actions.append((action, future))
                return future
        future.set_exception(self._gone())
        return future

    def _gone(self) -> DeviceGoneError:
        why = self.failure.what if self.failure else "the link is not open yet"
        return DeviceGoneError(
            f"no session with the device: {why}", where=self.url, remedy="wait, or check the port"
        )

    def _run(self) -> None:
        backoff = Backoff()
        try:
            while not self._closing.is_set():
                self._begun = None
                try:
                    self._session()
                except UserError as error:  # a LinkError, or a setting that the device refused
                    self._retry(backoff, error)
                except _ListenerError:
                    raise
                except Exception as error:  # of values of the device that no check has foreseen
                    what = f"the device sent nonsense: {type(error).__name__}: {error}"
                    self._retry(
                        backoff, DeviceFaultError(what, where=self.url, remedy="report this as a bug")
                    )
        except _ListenerError as failed:
            self._broken = failed.__cause__
        except BaseException as error:
            self._broken = error
        finally:
            self._end()
            self._settled.set()

    def _retry(self, backoff: Backoff, error: UserError) -> None:
        self._lose(error)
        ran_s = 0.0 if self._begun is None else time.monotonic() - self._begun
        self._closing.wait(backoff.wait_s(error, ran_s))

    def _end(self) -> None:
        with self._lock:
            self.connected = False
            waiting = list(self._actions)
            self._actions.clear()
        for _, future in waiting:
            future.set_exception(self._gone())

    def _lose(self, error: UserError) -> None:
        self.failure = error
        self._end()
        self._settled.set()
        self._give(FeedLost(time.time(), str(error)))

    def _give(self, event: Event) -> None:
        for listener in self._listeners:
            try:
                listener(event)
            except UserError:
                raise
            except Exception as error:
                raise _ListenerError from error

    def _session(self) -> None:
        options = self._options
        with ExitStack() as stack:
            device = stack.enter_context(
                Device(
                    self.url,
                    timeout_s=options.timeout_s,
                    baud=options.baud,
                    identifier=options.identifier,
                    take=options.take and not self.sessions,
                )
            )
            options = _possible(device, options)
            dram = _dram(device)
            if options.epoch_length:
                device.request("set_epoch", unit=options.epoch_unit, length=options.epoch_length)
            settings = get_hot(device) if options.hot else None
            if settings and settings.enable != OF_PAGES:
                settings = set_hot(device, counting_pages(settings, device.hello.frames))
            messages: PageMessages | None = None
            if options.pages or options.hot:
                messages = stack.enter_context(page_messages(device, accessed=options.pages, hot=options.hot))
                messages = replace(messages, accessed=options.pages, hot=options.hot)
            device.start_counting()
            collector = Collector(device, dram, messages, traffic=True)
            self._begin(_parameters(device, messages, dram, asdict(settings) if settings else {}))
            self._listen(device, collector)

    def _begin(self, parameters: DeviceParameters) -> None:
        self.parameters = parameters
        self._give(parameters)
        with self._lock:
            self.connected, self.failure = True, None
            self.sessions += 1
        self._begun = time.monotonic()
        self._settled.set()

    def _listen(self, device: Device, collector: Collector) -> None:
        heard = time.monotonic()
        while not self._closing.is_set():
            self._act(device)
            message = collector.take(_POLL_S)
            if message:
                heard = time.monotonic()
                self._pass(message, collector)
                continue
            if time.monotonic() - heard > device.timeout_s:  # check that the device is there
                for each in collector.ask_hello():
                    self._pass(each, collector)
                heard = time.monotonic()

    def _pass(self, message: Message, collector: Collector) -> None:
        self._give(message)
        if message.name == "epoch":
            assert self.parameters
            self._give(_epoch(self.parameters.session, collector))
        collector.forget()

    def _act(self, device: Device) -> None:
        while self._actions:
            action, future = self._actions.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(action(device))
            except UserError as error:
                future.set_exception(error)
                if isinstance(error, DeviceGoneError):
                    raise
            except BaseException as error:
                future.set_exception(error)


def _epoch(session: int, collector: Collector) -> FeedEpoch:
    """Return the epoch that a collector, which forgets each, has noted."""
    rows = collector.counts[-1]
    return FeedEpoch(
        session=session,
        number=int(rows["epoch"][0]),
        arrived=time.time(),
        rows=rows,
        names=collector.names_now(rows["context"].tolist()),
        ranks=collector.ranks[-1] if collector.ranks else NO_RANKS,
        accessed=collector.accessed[-1] if collector.accessed else None,
        hot=collector.hot[-1] if collector.hot else None,
        lost=collector.link_statistics["epoch_messages_lost"],
        link=collector.link_counts,
        followed=collector.processes.followed,
        traffic=collector.traffic[-1][1] if collector.traffic else None,
    )


def _dram(device: Device) -> Dram | None:
    """Return the DRAM of the rank meter; None: there is no meter, whatever ranks the memory has."""
    try:
        return get_dram(device)
    except RequestRefusedError as refused:
        if refused.code != "unsupported":
            raise
        return None


def _possible(device: Device, options: FeedOptions) -> FeedOptions:
    """Return the options without single pages that `if_there` leaves out."""
    if not options.if_there:
        return options
    counted = options.hot and bool(device.hello.hot_pages) and get_hot(device).enable == OF_PAGES
    return replace(options, pages=options.pages and bool(device.hello.page_bitmap), hot=counted)


def _parameters(
    device: Device, messages: PageMessages | None, dram: Dram | None, hot_settings: Mapping[str, Any]
) -> DeviceParameters:
    hello = device.hello
    return DeviceParameters(
        session=int(time.time() * 1000),
        clock_hz=hello.clock_hz,
        page_bytes=1 << hello.page_shift,
        **{name: getattr(hello, name) for name in MONITOR},
        system=printable(hello.system),
        programs=tuple(printable(name) for name in hello.workloads),
        dram=dram,
        accessed=bool(messages and messages.accessed),
        hot=bool(messages and messages.hot),
        hot_settings=hot_settings,
        base_address=messages.base_address if messages else 0,
        banks=hello.banks,
        access_bytes=hello.access_bytes,
    )
