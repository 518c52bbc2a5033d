"""Fields of the gateware's registers, as the gateware exports them (`make registers`)."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Layout:
    """The register map of the gateware that this host knows.

    Attributes:
        versions: of the layout of each block, by its kind: mrc, ranks, refs.
        places: offset in bytes and words of each register, by kind of block and register.
        fields: shift and bits of each field, by kind of block, register and field.
        window_totals: words behind the hits of a context in the monitor's window.
        bitmap_frames: frames of a word of the page bitmap.
        hot_page_words: words of a hot page.
        hot_queued_max: places of the queue of hot pages.
        meter_words: counters of a domain in the rank meter's window.
        state_bits: bits of a domain in the register `state` of the ranks.
        load_initial: the word that loads a reference counter with its initial value.
        numbers: enumerations, name to number.
    """

    versions: dict[str, int]
    places: dict[str, dict[str, tuple[int, int]]]
    fields: dict[str, dict[str, dict[str, tuple[int, int]]]]
    window_totals: list[str]
    bitmap_frames: int
    hot_page_words: int
    hot_queued_max: int
    meter_words: list[str]
    state_bits: int
    load_initial: int
    numbers: dict[str, dict[str, int]]

    def name_of(self, enumeration: str, number: int) -> str:
        """Return the name of a number of an enumeration; KeyError if it is none."""
        return {value: name for name, value in self.numbers[enumeration].items()}[number]


@cache
def layout() -> Layout:
    """Return the exported layout."""
    content = json.loads(files("litemrc.device.bridge").joinpath("registers.json").read_text("utf-8"))
    del content["generated_by"]
    return Layout(**content)
