# SPDX-License-Identifier: BSD-2-Clause
"""Costs of a multiprocessor's memory accesses, from `costs.toml` or a similar file."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from litemrc.files.toml_table import Change, TomlTable

PAPER = Path(__file__).with_name("costs.toml")


@dataclass(frozen=True)
class NumaCosts:
    """Costs in cycles; `costs.toml` has those of the paper, table 1(b).

    Attributes
    ----------
    word_bytes
        size of a word.
    network_latency
        part of `remote_read`, not charged separately.
    local_access
        a read or write of the processor's own memory or copy.
    remote_read, remote_write
        of another processor's memory.
    update
        a message to one copy, with a new value or an invalidation.
    word_transfer
        per word of a replicated page.
    page_fault
        operating-system cost of a replication or an interrupt.
    """

    word_bytes: int
    network_latency: int
    local_access: int
    remote_read: int
    remote_write: int
    update: int
    word_transfer: int
    page_fault: int

    def replication(self, page_bytes: int) -> int:
        """Return the cycles of a page copy."""
        return self.page_fault + self.word_transfer * (page_bytes // self.word_bytes)


def read_costs(path: str | Path = PAPER, changes: Sequence[Change] = ()) -> NumaCosts:
    """Read the costs in a file, with changes of its values.

    Raises
    ------
    UserError
        a missing file, or a wrong or missing key.
    """
    table = TomlTable.read(path, changes)
    table.check_keys(("word_bytes", "costs"))
    names = [field.name for field in fields(NumaCosts) if field.name != "word_bytes"]
    costs = table.table("costs")
    costs.check_keys(names)
    values = {name: costs.count(name, lowest=0, highest=10**6) for name in names}
    if not values["local_access"]:
        raise costs.wrong("local_access", "is 0", "a cost above 0, the unit of NAMC")
    return NumaCosts(word_bytes=table.count("word_bytes", highest=64), **values)
