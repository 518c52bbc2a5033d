"""The register map as JSON, for the host's bridge: it reads registers without the firmware."""

import json

from litemrc_gateware.counters.hot_pages import QUEUE
from litemrc_gateware.counters.tagged_words import PAGES_PER_WORD
from litemrc_gateware.counters.totals import TOTALS
from litemrc_gateware.monitor.hot import PAGE_WORDS
from litemrc_gateware.monitor.registers import ENGINE_NUMBERS, REGISTERS_VERSION
from litemrc_gateware.ranks.records import MeterWord, Policy, PowerState
from litemrc_gateware.ranks.registers import RANK_REGISTERS_VERSION, STATE_BITS
from litemrc_gateware.refs.control import LOAD_INITIAL
from litemrc_gateware.refs.records import Counter, Master
from litemrc_gateware.refs.registers import REF_COUNTER_REGISTERS_VERSION
from litemrc_gateware.refs.traffic_generator import Pattern


def host_file(blocks, repair):
    """The text of registers.json.

    Parameters
    ----------
    blocks : dict
        what ``export.registers.registers`` returns.
    repair : str
        the command that writes the file.
    """
    numbers = {"power_state": PowerState, "policy": Policy, "counter": Counter, "master": Master}
    numbers |= {"pattern": Pattern}
    described = {
        "generated_by": repair,
        "versions": {
            "mrc": REGISTERS_VERSION,
            "ranks": RANK_REGISTERS_VERSION,
            "refs": REF_COUNTER_REGISTERS_VERSION,
        },
        # Bytes from the base of the block, and words, of each register.
        "places": {
            name: {r.name: [r.offset, -(-r.size // 32)] for r in found} for name, found in blocks.items()
        },
        # Shift and size of each field of each register.
        "fields": {name: {r.name: _fields(r) for r in found} for name, found in blocks.items()},
        # A context's row of the monitor's window has 2 * groups words: the hits of each group, then these.
        "window_totals": list(TOTALS),
        # Words that may follow: frames of a word of the page bitmap, words of a hot page.
        "bitmap_frames": PAGES_PER_WORD,
        "hot_page_words": PAGE_WORDS,
        # Places of the queue of hot pages.
        "hot_queued_max": QUEUE,
        # A domain's row of the rank meter's window.
        "meter_words": [word.name.lower() for word in MeterWord],
        "state_bits": STATE_BITS,
        # The word that loads a reference counter with its initial value.
        "load_initial": 1 << LOAD_INITIAL,
        "numbers": {
            "engine": ENGINE_NUMBERS,
            **{
                name: {member.name.lower(): int(member) for member in enumeration}
                for name, enumeration in numbers.items()
            },
        },
    }
    return json.dumps(described, indent=1) + "\n"


def _fields(register):
    return {field.name: [field.offset, field.size] for field in register.fields}
