# SPDX-License-Identifier: BSD-2-Clause
"""The application: panels that follow a feed."""

import asyncio
import os
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message as AppMessage
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import Footer

from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.live import dialogs, panels
from litemrc.live.connection import Connection
from litemrc.live.header import Status, header_height, header_lines
from litemrc.live.ink import Ink, Panel
from litemrc.live.keys import KeyedApp
from litemrc.live.panels import HeatPanel
from litemrc.live.view import WINDOWS, View

WIDE = 140  # columns from which the overview has all panels
_DRAWS_PER_S = 10
_BANKS = 8  # that the overview has room for
_LEFT, _RIGHT = ("curves", "contexts"), ("ranks", "dram", "hot", "heat")
_SHOWN = (_LEFT, ("contexts",), ("ranks",), ("hot",), ("heat",), ("dram",))  # by tab
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_SILENT_S = 3.0

_DrawPanel = Callable[[View, int, int, Ink], list[Strip]]


class LiveApp(KeyedApp):
    """Shows a connection, whose feed runs already; the exit code is 128 + that of a signal that ended it.

    Attributes
    ----------
    latencies
        seconds from the arrival of each epoch shown to the update of the screen.
    failure
        what a listener of the feed raised; None: nothing.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "LiteMRC live"
    CSS = f"""
    #body {{ height: 1fr; }}
    #left {{ width: 3fr; }}
    #right {{ width: 2fr; }}
    .beside {{ margin-left: 2; }}
    Panel {{ height: 1fr; width: 1fr; }}
    {dialogs.CSS}
    """

    class Woken(AppMessage):
        """Events wait."""

    def __init__(self, connection: Connection, window: int = WINDOWS[0]) -> None:
        super().__init__(connection, window)
        self.latencies: deque[float] = deque(maxlen=10_000)
        self.failure: Exception | None = None
        self._events: deque[Event] = deque()
        self._tries, self._drawn = 0, 0.0
        self._followed: dict[int, str] = {}
        self._next_draw: Timer | None = None
        self._waiting: list[float] = []  # arrivals of epochs that are not drawn yet
        self._displaying: list[float] = []  # of epochs that are drawn, but not yet on the screen
        self._view = self.new_view()
        heat = HeatPanel()
        self._draws: dict[str, _DrawPanel] = {
            "curves": panels.curve_lines,
            "contexts": panels.context_lines,
            "ranks": panels.rank_lines,
            "dram": panels.dram_lines,
            "hot": panels.hot_lines,
            "heat": heat.lines,
        }
        self._panels: dict[str, Panel] = {}
        background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
        self.theme = "textual-light" if background in ("7", "15") else "textual-dark"

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        self._panels = {name: Panel(id=name) for name in ("header", *_LEFT, *_RIGHT)}
        yield self._panels["header"]
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield from (self._panels[name] for name in _LEFT)
            with Vertical(id="right"):
                yield from (self._panels[name] for name in _RIGHT)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Begin to listen."""
        self._connection.program = self
        self.set_interval(1, self._tick)
        self.ask_settings()
        self.arrange()
        for number in _SIGNALS:
            with suppress(ValueError, RuntimeError, NotImplementedError):  # not the main thread, or no Unix
                asyncio.get_running_loop().add_signal_handler(number, self.exit, 128 + number)

    def on_unmount(self) -> None:
        """Listen no more."""
        self._connection.program = None
        for number in _SIGNALS:
            with suppress(ValueError, RuntimeError, NotImplementedError):
                asyncio.get_running_loop().remove_signal_handler(number)

    def heard(self, event: Event) -> None:
        """Take an event, in the feed's thread."""
        if isinstance(event, DeviceParameters | FeedEpoch | FeedLost) or event.name == "event":
            self._events.append(event)
            self.post_message(self.Woken())

    def told(self, text: str, wrong: bool) -> None:
        """Show a message, in the feed's thread."""
        self.call_later(self.tell, text, wrong)

    def on_live_app_woken(self) -> None:
        """Take the events that wait."""
        while self._events:
            event = self._events.popleft()
            if isinstance(event, FeedEpoch):
                self._waiting.append(event.arrived)
                if self._followed != (followed := {c: each.label for c, each in event.followed.items()}):
                    self._followed = followed
                    self.ask_settings()
            elif isinstance(event, FeedLost):
                self._tries += 1
            else:
                self._tries = 0 if isinstance(event, DeviceParameters) else self._tries
                self.ask_settings()
        self.draw_soon()

    def on_resize(self) -> None:
        """Fit the panels to the window."""
        self.call_after_refresh(self.arrange)

    def arrange(self) -> None:
        """Show the panels of the tab; a wide window has all of them in the overview."""
        parameters = self._connection.recent.parameters
        there = {
            "ranks": bool(parameters and parameters.dram),
            "dram": bool(parameters and parameters.banks),
            "hot": bool(parameters and parameters.hot),
            "heat": bool(parameters and parameters.accessed),
        }
        shown = set(_SHOWN[self.tab])
        overview = self.tab == 0
        if overview and self.size.width >= WIDE:
            shown |= {name for name, is_there in there.items() if is_there}
        for name in (*_LEFT, *_RIGHT):
            self._panels[name].display = name in shown
        self.query_one("#left").display = bool(shown & set(_LEFT))
        right = self.query_one("#right")
        right.display = bool(shown & set(_RIGHT))
        right.set_class(overview, "beside")
        rows = min(len(self._view.contexts) + 1, max(self.size.height // 2, 2))
        self._panels["contexts"].styles.height = rows if overview and rows > 1 else "1fr"
        if overview and parameters and parameters.dram:
            self._panels["ranks"].styles.height = parameters.dram.ranks + 5
        else:
            self._panels["ranks"].styles.height = "1fr"
        banks = parameters.banks if overview and parameters else 0
        self._panels["dram"].styles.height = min(banks, _BANKS) + panels.DRAM_LINES if banks else "1fr"
        self._panels["header"].styles.height = header_height(self._view)
        self.call_after_refresh(self._draw)

    def _tick(self) -> None:
        try:
            self._connection.feed.check()
        except Exception as error:  # a listener's: the feed has ended
            self.failure = error
            self.exit(1)
        self.draw_soon()

    def draw_soon(self) -> None:
        """Draw now, or as soon as a screen may follow the last one."""
        if self._next_draw is None:
            wait = max(self._drawn + 1 / _DRAWS_PER_S - time.monotonic(), 0.001)
            self._next_draw = self.set_timer(wait, self._draw)

    def new_view(self) -> View:
        """Return the last epochs, as they are to be shown."""
        return View(
            self._connection.recent,
            self.settings,
            window=self.window,
            chosen=self.chosen,
            tries=self._tries,
        )

    def _draw(self) -> None:
        if self._next_draw:  # may still run: a screen that is arranged anew is drawn at once
            self._next_draw.stop()
        self._next_draw, self._drawn = None, time.monotonic()
        if not self.paused:
            before, self._view = self._view, self.new_view()
            self._displaying += self._waiting
            if len(before.known) != len(self._view.known) or before.parameters != self._view.parameters:
                self.arrange()
        self._waiting.clear()
        view, ink, url, status = (
            self._view,
            Ink(self.current_theme.dark),
            self._connection.url,
            self._status(),
        )
        self._panels["header"].show(lambda width, _: header_lines(view, url, status, width, ink))
        for name, draw in self._draws.items():
            panel = self._panels[name]
            if panel.display:
                panel.show(lambda width, height, draw=draw: draw(view, width, height, ink))  # type: ignore[misc]

    def _status(self) -> Status:
        recorder, last = self._connection.recorder, self._view.last
        silent = time.time() - last.arrived if last else 0.0
        usual = _SILENT_S + (2 / self._view.rate if self._view.rate else 0.0)
        return Status(
            tab=self.tab,
            paused=self.paused,
            recording=f"REC {recorder.epochs:,}" if recorder.on else "",
            silent_s=silent if silent > usual and not self.paused else None,
        )

    def post_display_hook(self) -> None:
        """Note the latencies of the epochs that the screen now has; Textual calls this."""
        now = time.time()
        self.latencies.extend(now - arrived for arrived in self._displaying)
        self._displaying.clear()
