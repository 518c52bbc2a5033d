# SPDX-License-Identifier: BSD-2-Clause
"""Bounds on what a file may stand for, so that a small one neither keeps a command busy nor fills memory.

Work and memory may be proportional to the stored bytes of a file, however generously, but not to a number
that the file only states: the length of a region, a count of accesses, a run of equal bytes. Real recordings
stay far below: a region of DAMON, some 150 bytes of a record, stands for 300,000 references if it has 64 MiB
that are found accessed 20 times; texts of regular traces compress 100 to 1.
"""

from litemrc.errors import UserError

ALWAYS_REFERENCES = 1 << 28  # allowed to files of any size: a minute of work
REFERENCES_PER_BYTE = 1 << 14
ALWAYS_BYTES = 1 << 30
BYTES_PER_BYTE = 1000  # more than gzip can reach, 1032, only in its best case
MOST_PAGES = 1 << 28  # distinct pages that a single interval may state: 1 TiB of 4 KiB
MOST_RECORD_BYTES = 256 << 20  # of files that are kept in memory
REMEDY = "if you trust the file, add --unbounded"


def references_allowed(stored_bytes: int) -> int:
    """Return how many references the records of a file may stand for."""
    return max(ALWAYS_REFERENCES, REFERENCES_PER_BYTE * stored_bytes)


def bytes_allowed(stored_bytes: int) -> int:
    """Return how many bytes a compressed file may hold."""
    return max(ALWAYS_BYTES, BYTES_PER_BYTE * stored_bytes)


def too_many_references(references: int, stored_bytes: int, where: str) -> UserError:
    """Return the error for records that stand for more than `references_allowed`."""
    return UserError(
        f"the records up to here stand for {references:,} references: a file of {stored_bytes:,} bytes may"
        f" have {references_allowed(stored_bytes):,}",
        where=where,
        remedy=REMEDY,
    )


def too_many_bytes(stored_bytes: int, where: str) -> UserError:
    """Return the error for a compressed file that holds more than `bytes_allowed`."""
    return UserError(
        f"the {stored_bytes:,} compressed bytes up to here hold more than {bytes_allowed(stored_bytes):,}"
        " bytes",
        where=where,
        remedy=REMEDY,
    )
