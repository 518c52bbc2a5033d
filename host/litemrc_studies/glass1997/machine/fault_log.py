# SPDX-License-Identifier: BSD-2-Clause
"""The page faults of one memory, each with the page that it evicted (Glass and Cao 1997, figures 5 to 8)."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from litemrc.files.outputs import check_output_path, replacing
from numpy.typing import NDArray

from litemrc_studies._core import NO_PAGE, AddressBook
from litemrc_studies.glass1997.policies import OnlinePolicy

LOG_SUFFIXES = (".parquet", ".csv")  # of the files that hold a log


@dataclass(frozen=True, eq=False)
class FaultLog:
    """Page faults in the order of time; all arrays have one element per fault.

    Attributes
    ----------
    times
        in the trace's unit of time; numbers of references, from 0, if it has no times.
    pages
        page that faulted.
    cold
        its first reference, which faults in every memory.
    evicts
        a page was evicted; otherwise a frame was free.
    victims
        the page evicted; 0 where none was.
    from_sequence
        SEQ chose the victim from a sequence; otherwise LRU, or the policy itself.
    """

    times: NDArray[np.uint64]
    pages: NDArray[np.uint64]
    cold: NDArray[np.bool_]
    evicts: NDArray[np.bool_]
    victims: NDArray[np.uint64]
    from_sequence: NDArray[np.bool_]

    @classmethod
    def joined(cls, logs: list[Self]) -> Self:
        """Return the faults of all logs as one; `logs` is not empty."""
        return cls(
            *(np.concatenate([getattr(log, field.name) for log in logs]) for field in fields(FaultLog))
        )

    def __len__(self) -> int:
        return self.times.size


class FaultRecorder:
    """Records the faults of one memory in its own run of the references.

    Parameters
    ----------
    book
        numbers the pages; new ones in the order of the references given here.
    """

    def __init__(self, book: AddressBook, policy: OnlinePolicy, memory_pages: int) -> None:
        self._book = book
        self._memory = policy.memory(book, memory_pages)
        self._newest = -1
        self._logs: list[FaultLog] = []

    def add(self, numbers: NDArray[np.uint32], times: NDArray[np.uint64]) -> None:
        """Refer to pages, given by their numbers in the book, at these times."""
        places, faulting, victims, from_sequence = self._memory.logged(numbers)
        # The book numbers pages in the order of their first references: these are the ones above all before.
        newest = np.maximum.accumulate(np.concatenate([[self._newest], faulting.astype(np.int64)]))
        self._newest = int(newest[-1])
        evicts = victims != NO_PAGE
        pages = np.zeros(victims.size, np.uint64)
        pages[evicts] = self._book.pages(victims[evicts])
        log = FaultLog(
            times=times[places],
            pages=self._book.pages(faulting),
            cold=faulting > newest[:-1],
            evicts=evicts,
            victims=pages,
            from_sequence=from_sequence.astype(bool),
        )
        self._logs.append(log)

    def result(self) -> FaultLog:
        """Return the faults so far; `add` was called."""
        return FaultLog.joined(self._logs)


def write_fault_log(path: str | Path, log: FaultLog, **described: str | int) -> None:
    """Write a row for each fault: time, page, cold, victim, from_sequence.

    `victim` is empty if a frame was free. `from_sequence` is true if SEQ chose the victim from a sequence.

    Parameters
    ----------
    path
        ends in .parquet or .csv.
    described
        of the run; Parquet's metadata keeps it as JSON under the key `litemrc`.

    Raises
    ------
    UserError
        another suffix, or the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    path = check_output_path(path, LOG_SUFFIXES)
    rows = pa.table(
        {
            "time": log.times,
            "page": log.pages,
            "cold": log.cold,
            "victim": pa.array(log.victims, mask=~log.evicts),
            "from_sequence": log.from_sequence,
        }
    )
    with replacing(path) as partial:
        if path.suffix.lower() == ".csv":
            pyarrow.csv.write_csv(rows, partial)
        else:
            metadata = {b"litemrc": json.dumps(described).encode()}
            pq.write_table(rows.replace_schema_metadata(metadata), partial, compression="zstd")
