# SPDX-License-Identifier: BSD-2-Clause
"""Unfiltered page references from traces of Valgrind's lackey; `litemrc trace capture` models caches.

Time is the number of instructions begun. An access that crosses a page border is a reference to both pages.
The output of lackey with --trace-mem=yes is parsed many lines at once:

    I  04001000,3        an instruction of 3 bytes, fetched
     L 1ffeffe7e,8       a load of 8 bytes
     S 1ffeffe80,4       a store
     M 0421c7cc,4        a load and a store of the same place (modify)

Valgrind's own lines (==PID== ..., --PID-- ..., **PID** ...) are skipped.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource

LARGEST_ACCESS = 4096  # bytes; larger than any x86 access (xsave); it crosses at most one page border

_PREFIXES = (b"I  ", b" L ", b" S ", b" M ")
_OWN = re.compile(rb"^(==|--|\*\*)\d+\1.*\n", re.MULTILINE)
_LINE = re.compile(rb"(I  | [LSM] )([0-9a-f]{1,16}),(\d{1,4})")
_U64 = np.uint64


class Accesses(NamedTuple):
    """Memory accesses of a program, in order.

    Attributes
    ----------
    kinds
        uint8[n], the letters I, L, S, M.
    addresses
        uint64[n], of the first byte.
    sizes
        uint64[n], in bytes, 1 to `LARGEST_ACCESS`.
    """

    kinds: NDArray[np.uint8]
    addresses: NDArray[np.uint64]
    sizes: NDArray[np.uint64]


def parse(block: Block, name: str) -> Accesses:
    """Return the accesses of a block of lines.

    Raises
    ------
    UserError
        a line that lackey does not print; `name` is the file's name.
    """
    if not block.text.endswith(b"\n"):
        raise UserError(
            "the last line is truncated",
            where=f"{name}, line {block.first_line + block.text.count(10)}",
            remedy="record again, or delete that line",
        )
    text = block.text
    if text.translate(None, b"0123456789abcdef,ILSM \n"):
        text = _OWN.sub(b"", text)
    accesses = _parse_fast(text)
    return accesses if accesses is not None else _parse_lines(block, name)


def _parse_fast(text: bytes) -> Accesses | None:
    """Return the accesses, or None if a line differs from lackey's output on a 64-bit machine."""
    count = text.count(b"\n")
    # Each line has one comma, one letter and two spaces, so their counts and places suffice.
    marks = text.count(b","), sum(text.count(kind) for kind in b"ILSM"), text.count(b" ")
    if marks != (count, count, 2 * count) or text.translate(None, b"0123456789abcdef,ILSM \n"):
        return None
    padding = 16  # words of 8 bytes are read from up to 16 bytes before the first comma
    data = np.frombuffer(bytes(padding) + text, dtype=np.uint8)
    words = np.ndarray(data.size - 7, dtype="<u8", buffer=data, strides=(1,))
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.empty_like(ends)
    starts[:1] = padding
    starts[1:] = ends[:-1] + 1
    short = ends - starts < 13  # prefix, 8 digits, comma, a digit
    if short.any():
        return None

    prefix = words[starts] & _U64(0xFFFFFF)
    kinds = np.zeros(count, dtype=np.uint8)
    for known in _PREFIXES:
        kinds[prefix == _U64(int.from_bytes(known, "little"))] = known.strip()[0]
    commas = np.where(data[ends - 2] == ord(","), ends - 2, ends - 3)
    distant = data[commas] != ord(",")
    commas[distant] = ends[distant] - 4
    digits = commas - starts - 3
    if not kinds.all() or (data[commas] != ord(",")).any() or (digits < 8).any() or (digits > 16).any():
        return None
    addresses = _hexadecimal(words[commas - 8])
    long = np.flatnonzero(digits > 8)
    keep = ~_U64(0) << ((16 - digits[long]).astype(_U64) * _U64(8))
    addresses[long] |= _hexadecimal(words[commas[long] - 16] & keep) << _U64(32)

    sizes = np.zeros(count, dtype=np.uint64)
    for place, worth in ((1, 1), (2, 10), (3, 100)):
        digit = data[ends - place]
        inside = ends - place > commas
        if (digit[inside] > ord("9")).any():
            return None
        sizes += np.where(inside, digit & 15, 0).astype(np.uint64) * _U64(worth)
    return Accesses(kinds, addresses, sizes) if sizes.all() else None


def _hexadecimal(text: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the value of eight lower-case hexadecimal digits (or zero bytes), the first in the low byte."""
    letters = (text >> _U64(6)) & _U64(0x0101010101010101)
    digits = (text & _U64(0x0F0F0F0F0F0F0F0F)) + letters * _U64(9)
    pairs = (digits << _U64(4) | digits >> _U64(8)) & _U64(0x00FF00FF00FF00FF)
    fours = (pairs << _U64(8) | pairs >> _U64(16)) & _U64(0x0000FFFF0000FFFF)
    return (fours << _U64(16) | fours >> _U64(32)) & _U64(0xFFFFFFFF)


def _parse_lines(block: Block, name: str) -> Accesses:
    rows: list[tuple[int, int, int]] = []
    for number, line in enumerate(block.text.split(b"\n")[:-1], block.first_line):
        if _OWN.match(line + b"\n"):
            continue
        match = _LINE.fullmatch(line)
        if not match or not 0 < int(match[3]) <= LARGEST_ACCESS:
            raise UserError(
                f"{line.decode('ascii', 'replace')[:60]!r} is not a line of lackey",
                where=f"{name}, line {number}",
                remedy="record with: valgrind --tool=lackey --trace-mem=yes --log-file=FILE PROGRAM",
            )
        rows.append((match[1].strip()[0], int(match[2], 16), int(match[3])))
    kinds, addresses, sizes = zip(*rows, strict=True) if rows else ((), (), ())
    return Accesses(
        np.array(kinds, dtype=np.uint8),
        np.array(addresses, dtype=np.uint64),
        np.array(sizes, dtype=np.uint64),
    )


class LackeyTrace(SourceTrace):
    """Reads lackey's text; addresses become numbers of pages of `page_bytes`, a power of two."""

    format = "lackey"
    time_unit = "instructions"

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source)
        self.page_bytes = page_bytes

    def __iter__(self) -> Iterator[Chunk]:
        instructions = 0
        for block in blocks(self._source):
            accesses = parse(block, self.name)
            if not accesses.kinds.size:
                continue
            times = instructions + instruction_counts(accesses)
            instructions = int(times[-1])
            yield page_references(accesses, times, self.page_bytes)


def instruction_counts(accesses: Accesses) -> NDArray[np.uint64]:
    """Return uint64[n], the instructions begun up to each access, including its own."""
    return np.cumsum(accesses.kinds == ord("I"), dtype=np.uint64)


def page_references(accesses: Accesses, times: NDArray[np.uint64], page_bytes: int) -> Chunk:
    """Return the pages touched, in order, each with the time and direction of its access."""
    pages, index = blocks_touched(accesses.addresses, accesses.sizes, page_bytes)
    return Chunk(pages, is_write(accesses.kinds)[index], times[index])


def is_write(kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which accesses store: S and M."""
    return (kinds == ord("S")) | (kinds == ord("M"))


def blocks_touched(
    addresses: NDArray[np.uint64], sizes: NDArray[np.uint64], block_bytes: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64] | slice]:
    """Return the aligned blocks (pages, cache lines) that accesses touch, in order.

    Parameters
    ----------
    block_bytes
        a power of two.

    Returns
    -------
    the block numbers, and an index that maps each to its access.
    """
    shift = np.uint64(block_bytes.bit_length() - 1)
    first = addresses >> shift
    last = addresses + (sizes - np.uint64(1))
    last = np.where(last < addresses, ~np.uint64(0), last) >> shift  # an access ends with the memory
    if np.array_equal(first, last):
        return first, slice(None)
    return numbered(first, last - first + np.uint64(1))


def numbered(
    first: NDArray[np.uint64], spans: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the blocks of runs of consecutive blocks, and an index that maps each to its run."""
    counts = spans.astype(np.int64)
    index = np.repeat(np.arange(counts.size), counts)
    step = np.arange(index.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return first[index] + step.astype(np.uint64), index
