# SPDX-License-Identifier: BSD-2-Clause
"""The keys of the program, and what each does."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding
from textual.screen import ModalScreen

from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.live.connection import Connection
from litemrc.live.dialogs import Choice, Confirm, Form, Help
from litemrc.live.header import TABS
from litemrc.live.requests import (
    EpochLength,
    Follow,
    SetBudget,
    read_settings,
    toggle_freeze,
    turn_hot_on,
)
from litemrc.live.view import WINDOWS, Settings, View

_SETTINGS_S = 2.0  # from one question for the settings to the next
_HOT_LOSES = """\
Count hot pages? Every page becomes invalid, the stacks start again, and the session begins anew:
the curves and pages on the screen are dropped. A recording is completed."""
_GOOD_S, _WRONG_S = 4, 12  # that a message is shown


def _key(key: str, action: str, name: str, purpose: str, *, show: bool = True, shown: str = "") -> Binding:
    return Binding(key, action, name, tooltip=purpose, show=show, key_display=shown or None)


class KeyedApp(App[int]):
    """What the keys do; the display is that of `LiveApp`.

    Attributes
    ----------
    settings
        of the device, as it answered last.
    window, tab, paused, chosen
        what is shown; as in `View` and `Status`.
    messages
        the last ones that were shown, and whether something was wrong.
    """

    BINDINGS: ClassVar[list] = [
        *(
            _key(str(tab + 1), f"tab({tab})", name, f"show: {name}", show=False)
            for tab, name in enumerate(TABS)
        ),
        _key("e", "epoch_length", "Epoch", "set the length of epochs, in accesses or cycles"),
        _key("f", "freeze", "Freeze", "freeze the monitor, or have it count again"),
        _key("c", "choose", "Show", "choose the contexts that are shown"),
        _key("p", "follow", "Pid", "have a context follow a process (needs an operating system)"),
        _key("b", "budget", "Budget", "set the memory budget of a context"),
        _key("w", "window", "Sum", f"sum the last {', '.join(map(str, WINDOWS))} epochs, in turn"),
        _key("space", "pause", "Pause", "hold the display; the feed and a recording go on", shown="space"),
        _key("r", "record", "Rec", "start or stop a recording into Parquet files"),
        _key("s", "screenshot", "Shot", "save the screen as an SVG file", show=False),
        _key("n", "start_program", "Run", "start a program of the device", show=False),
        _key("h", "count_hot", "Hot", "turn hot pages on; every page becomes invalid", show=False),
        _key("t", "theme", "Theme", "dark or light colours", show=False),
        _key("question_mark", "help", "Help", "show the keys, and what the panels mean", shown="?"),
        _key("q", "quit", "Quit", "end the program; a recording is saved"),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, connection: Connection, window: int) -> None:
        super().__init__()
        self.settings = Settings()
        self.window, self.tab, self.paused = window, 0, False
        self.chosen: frozenset[int] | None = None
        self.messages: deque[tuple[str, bool]] = deque(maxlen=100)
        self._connection = connection
        self._asked, self._asking = 0.0, False

    def arrange(self) -> None:
        """Fit the panels to the window and the tab."""
        raise NotImplementedError

    def draw_soon(self) -> None:
        """Draw what changed."""
        raise NotImplementedError

    def new_view(self) -> View:
        """Return the last epochs, as they are to be shown."""
        raise NotImplementedError

    def tell(self, text: str, wrong: bool = False) -> None:
        """Show a message; a wrong one for longer."""
        self.messages.append((text, wrong))
        severity, timeout = ("error", _WRONG_S) if wrong else ("information", _GOOD_S)
        self.notify(text, severity=severity, timeout=timeout, markup=False)  # type: ignore[arg-type]

    def ask(self, action: Callable[[Device], str], then: Callable[[], object] | None = None) -> None:
        """Have the feed send a request, and show its answer: also a refusal, with reason and remedy.

        Parameters
        ----------
        then
            is called if it was not refused.
        """

        def answered(future: "Future[str]") -> None:
            error = future.exception()
            if error is None:
                self.call_later(self.tell, future.result())
                if then:
                    self.call_later(then)
            else:
                self.call_later(self.tell, _error_text(error), True)
            self.call_later(self.ask_settings)

        self._connection.feed.call(action).add_done_callback(answered)

    def ask_settings(self) -> None:
        """Have the settings read; what comes at once is asked once."""
        if self._asking:
            return
        self._asking = True
        wait = self._asked + _SETTINGS_S - time.monotonic()
        self.set_timer(max(wait, 0.001), self._read_settings)

    def _read_settings(self) -> None:
        def answered(future: "Future[Settings]") -> None:
            if future.exception() is None:
                self.call_later(self._set_settings, future.result())
            elif not isinstance(future.exception(), DeviceGoneError):  # which the header shows
                self.call_later(self.tell, _error_text(future.exception()), True)

        self._asking, self._asked = False, time.monotonic()
        self._connection.feed.call(read_settings).add_done_callback(answered)

    def _set_settings(self, settings: Settings) -> None:
        self.settings = settings
        self.draw_soon()

    def action_tab(self, tab: int) -> None:
        """Show other panels."""
        self.tab = tab
        self.arrange()
        self.draw_soon()

    def action_start_program(self) -> None:
        """Ask for a program of the device, and start it."""
        parameters = self._connection.recent.parameters
        if not parameters or not parameters.programs:
            self.tell("the device has no programs" if parameters else "no session with the device yet", True)
            return
        programs = self._connection.programs

        def started(text: str) -> Callable[[Device], str]:
            run = Run.parse(text.strip())

            def start(device: Device) -> str:
                programs.begin(device, [run])
                return f"{run.workload} runs"

            return start

        names = parameters.programs
        label = f"{', '.join(names)}; NAME:CONTEXT:SCALE for another context or a longer run"
        self._form(Form("Start a program", {label: names[0]}, started))

    def action_epoch_length(self) -> None:
        """Ask for a length of epochs."""
        now = self.settings
        begin = f"{now.epoch_length} {now.epoch_unit}" if now.epoch_length else "10000 accesses"
        self._form(Form("Epoch length", {"number and unit": begin}, EpochLength.parse))

    def action_freeze(self) -> None:
        """Freeze, or count again."""
        self.ask(toggle_freeze)

    def action_choose(self) -> None:
        """Ask which contexts are shown."""
        view = self.new_view()
        names = {context: view.table.name_of(context) if view.table else "" for context in view.known}
        if not names:
            self.tell("no context has accesses yet", True)
            return

        def choose(chosen: frozenset[int] | None) -> None:
            if chosen is not None:
                self.chosen = None if chosen >= set(names) else chosen
                self.arrange()
                self.draw_soon()

        self.push_screen(Choice(names, self.chosen), choose)

    def action_follow(self) -> None:
        """Ask for a process."""
        parameters = self._connection.recent.parameters
        if not parameters or not parameters.system:
            self.tell(
                "the device has no operating system, hence no processes\n"
                "on bare metal each program has its own context already",
                True,
            )
            return
        fields = {"pid; 0: free the context": "", "context; empty: the first free one": ""}
        self._form(Form("Follow a process", fields, Follow.parse))

    def action_budget(self) -> None:
        """Ask for a budget."""
        parameters = self._connection.recent.parameters
        if not parameters:
            self.tell("no session with the device yet", True)
            return
        page_bytes = parameters.page_bytes
        first = min(self.settings.budgets, default=1)
        fields = {"context": str(first), "pages, a size such as 2M, or none": ""}
        self._form(
            Form("Memory budget", fields, lambda context, size: SetBudget.parse(context, size, page_bytes))
        )

    def action_window(self) -> None:
        """Sum other numbers of epochs."""
        self.window = WINDOWS[(WINDOWS.index(self.window) + 1) % len(WINDOWS)]
        self.draw_soon()

    def action_pause(self) -> None:
        """Hold the display, or let it go on."""
        self.paused = not self.paused
        self.draw_soon()

    def action_record(self) -> None:
        """Start or stop a recording."""
        recorder = self._connection.recorder
        try:
            if recorder.on:
                self.tell(recorder.stop())
            else:
                recorder.start()
                self.tell("recording from the next epoch on; r stops it")
        except UserError as error:
            self.tell(_error_text(error), True)
        self.draw_soon()

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Save the screen."""
        out = Path(path or self._connection.out)
        name = filename or f"live-{time.strftime('%Y%m%d-%H%M%S')}.svg"
        try:
            out.mkdir(parents=True, exist_ok=True)
            self.tell(f"saved {self.save_screenshot(name, str(out))}")
        except OSError as error:
            self.tell(f"{out / name}: cannot write: {error.strerror or error}\nchoose another --out", True)

    def action_count_hot(self) -> None:
        """Turn hot pages on, in a new session; it asks for their messages."""
        connection = self._connection
        parameters = connection.recent.parameters
        if not parameters:
            self.tell("no session with the device yet", True)
        elif parameters.hot:
            self.tell("hot pages are on")
        else:

            def confirmed(yes: bool | None) -> None:
                if yes:
                    self.ask(turn_hot_on, then=lambda: self.run_worker(connection.restart, thread=True))

            self.push_screen(Confirm(_HOT_LOSES), confirmed)

    def action_theme(self) -> None:
        """Dark or light."""
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"
        self.draw_soon()

    def action_help(self) -> None:
        """Show the help."""
        self.push_screen(Help(key_table()))

    async def action_quit(self) -> None:
        """End."""
        self.exit(0)

    def _form(self, form: ModalScreen) -> None:
        def accepted(action: Callable[[Device], str] | None) -> None:
            if action is not None:
                self.ask(action)

        self.push_screen(form, accepted)


def key_table() -> list[tuple[str, str]]:
    """Return the keys and what they do, in their order."""
    return [(each.key_display or each.key, each.tooltip) for each in KeyedApp.BINDINGS if each.tooltip]


def _error_text(error: BaseException | None) -> str:
    if not isinstance(error, UserError):
        return f"{type(error).__name__}: {error}"
    return "\n".join(filter(None, (error.what, error.remedy)))
