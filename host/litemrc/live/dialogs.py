# SPDX-License-Identifier: BSD-2-Clause
"""Dialogs: some lines of input, a choice of contexts, and the help."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, SelectionList, Static
from textual.widgets.selection_list import Selection

from litemrc.errors import UserError

Answer = TypeVar("Answer")

CSS = """
ModalScreen { align: center middle; }
ModalScreen > * { width: 76; max-width: 100%; height: auto; max-height: 100%; border: solid $foreground;
    background: $surface; padding: 0 1; }
ModalScreen Input { border: none; height: 1; padding: 0 1; background: $boost; margin-bottom: 1; }
ModalScreen Input:focus { text-style: underline; }
ModalScreen SelectionList { border: none; height: auto; max-height: 14; }
ModalScreen .wrong { text-style: bold reverse; }
"""


class Form(ModalScreen[Answer | None], Generic[Answer]):
    """Asks for some texts; Enter accepts them if `parse` does, Escape gives None.

    Parameters
    ----------
    title
        what is asked.
    fields
        the text that each begins with, by its label.
    parse
        makes the answer of the texts; its UserError is shown.
    """

    BINDINGS: ClassVar[list] = [Binding("escape", "dismiss(None)", "cancel")]

    def __init__(self, title: str, fields: Mapping[str, str], parse: Callable[..., Answer]) -> None:
        super().__init__()
        self._title, self._fields, self._parse = title, fields, parse

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        with Vertical():
            yield Label(f"{self._title} (Enter: send, Esc: cancel)", markup=False)
            for label, text in self._fields.items():
                yield Label(label, markup=False)
                yield Input(text)
            yield Label("", id="wrong", markup=False)

    def on_input_submitted(self) -> None:
        """Accept the texts, or say why not."""
        try:
            answer = self._parse(*(each.value for each in self.query(Input)))
        except UserError as error:
            wrong = self.query_one("#wrong", Label)
            wrong.update(str(error))
            wrong.add_class("wrong")
            return
        self.dismiss(answer)


class Confirm(ModalScreen[bool | None]):
    """Asks before something is lost; gives true for y, None for Escape or n."""

    BINDINGS: ClassVar[list] = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("n,escape", "dismiss(None)", "no"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        with Vertical():
            yield Label(f"{self._question}\n\ny: yes, Esc: no", markup=False)


class Choice(ModalScreen[frozenset[int] | None]):
    """Asks which contexts are shown; `names` are theirs, by number."""

    BINDINGS: ClassVar[list] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("enter", "accept", "show", priority=True),
    ]

    def __init__(self, names: Mapping[int, str], chosen: frozenset[int] | None) -> None:
        super().__init__()
        self._names, self._chosen = names, chosen

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        with Vertical():
            yield Label("Contexts shown (Space: change, Enter: accept, Esc: cancel)", markup=False)
            yield SelectionList[int](
                *(
                    Selection(f"{context} {name}", context, self._chosen is None or context in self._chosen)
                    for context, name in self._names.items()
                )
            )

    def action_accept(self) -> None:
        """Give the chosen contexts."""
        self.dismiss(frozenset(self.query_one(SelectionList).selected))


class Help(ModalScreen[None]):
    """The keys, and what the panels show."""

    BINDINGS: ClassVar[list] = [Binding("escape,question_mark,q,enter", "dismiss(None)", "close")]

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        keys = "\n".join(f"{key:>7}  {purpose}" for key, purpose in self._keys)
        with VerticalScroll():
            yield Static(f"{keys}\n\n{_EXPLAINED}", markup=False)


_EXPLAINED = """\
Curves: miss ratio under LRU by memory size; the numbers on them are contexts.
WSS: working-set size, the memory accessed in the last epoch; its history beside it.
≤min+0.01: smallest size within 0.01 of the minimum miss ratio.
dropped: accesses that the hardware lost before they were counted.
link: frames received, damaged, and missing by their sequence numbers."""
