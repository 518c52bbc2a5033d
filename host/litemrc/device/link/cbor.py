# SPDX-License-Identifier: BSD-2-Clause
"""CBOR (RFC 8949) of messages, read strictly: one encoding of a message, at a cost bounded by its length.

A message needs integers, strings, arrays, maps, true and false. Options of later versions may also hold
negative integers, null, undefined and floats; they are skipped. Everything else is refused at its first byte,
before anything is built: tags (which a general decoder replaces by objects and shared references), lengths
that are indefinite or exceed what is left, and arrays or maps nested deeper than any message needs.
"""

import struct
from typing import Any

_SIMPLE = {20: False, 21: True, 22: None, 23: None}  # undefined is read as null: both are only skipped
_FLOATS = {25: struct.Struct(">e"), 26: struct.Struct(">f"), 27: struct.Struct(">d")}
_LEAST = (1, 0, 24, 1 << 8, 0, 1 << 16)  # integers that need n bytes; 0 bytes: none of them
_UINT, _NEGATIVE, _BYTES, _TEXT, _ARRAY, _MAP, _TAG = range(7)
_STRINGS = {_BYTES: "byte string", _TEXT: "text"}


class CBORError(Exception):
    """Bytes that are not CBOR as messages use it; the text names the byte.

    Attributes
    ----------
    canonical
        whether they are at least in the shortest encoding as far as they were read.
    """

    def __init__(self, at: int, what: str, *, canonical: bool = True) -> None:
        super().__init__(f"byte {at}: {what}")
        self.canonical = canonical


def read_array(payload: bytes, items: list[Any], deepest: int) -> None:
    """Append the items of an array, which is all that `payload` holds, to `items`.

    Time and memory are proportional to the length of `payload`.

    Parameters
    ----------
    deepest
        arrays and maps in each other, this array included.

    Raises
    ------
    CBORError
        it is none; `items` has those before the damage.
    """
    reader = _Reader(payload, deepest)
    reader.fill(items, reader.length_of_array())
    if reader.at < len(payload):
        left = len(payload) - reader.at
        raise CBORError(reader.at, f"{left} more behind the message", canonical=False)


class _Reader:
    """Reads the items of `data` one by one; `at` is the byte that is next."""

    def __init__(self, data: bytes, deepest: int) -> None:
        self._data, self._deepest, self._depth = data, deepest, 0
        self.at = 0

    def length_of_array(self) -> int:
        """Read the first byte of the message's array."""
        if not self._data or self._data[0] >> 5 != _ARRAY:
            raise CBORError(0, "not an array")
        return self._length(_ARRAY)[1]

    def fill(self, items: list[Any], count: int) -> None:
        """Append that many items to `items`. Most are integers of up to 4 bytes, which are read here."""
        self._enter(count)
        data, at = self._data, self.at
        last = len(data) - 5
        for _ in range(count):
            if at <= last:
                first = data[at]
                if first < 24:
                    items.append(first)
                    at += 1
                    continue
                if first == 24:
                    number, size = data[at + 1], 2
                elif first == 25:
                    number, size = data[at + 1] << 8 | data[at + 2], 3
                elif first == 26:
                    number, size = int.from_bytes(data[at + 1 : at + 5], "big"), 5
                else:
                    number, size = 0, 0
                if number >= _LEAST[size]:
                    items.append(number)
                    at += size
                    continue
            self.at = at
            items.append(self._item())
            at = self.at
        self.at = at
        self._depth -= 1

    def _enter(self, items: int) -> None:
        self._depth += 1
        if self._depth > self._deepest:
            raise CBORError(self.at - 1, f"arrays and maps are nested more than {self._deepest} deep")
        self._need(items, "items")

    def _need(self, count: int, what: str) -> None:
        left = len(self._data) - self.at
        if count > left:
            raise CBORError(self.at, f"{count} {what} in {left} bytes")

    def _length(self, kind: int) -> tuple[int, int]:
        """Read the head of an item; return its low five bits and the number behind them."""
        at, data = self.at, self._data
        low = data[at] & 31
        self.at = at + 1
        if low < 24:
            return low, low
        if low > 27:
            what = (
                "an indefinite length"
                if low == 31 and _BYTES <= kind <= _MAP
                else f"no item is 0x{data[at]:02x}"
            )
            raise CBORError(at, what, canonical=False)
        size = 1 << low - 24
        if self.at + size > len(data):
            raise CBORError(at, f"a number of {size} bytes, of which {len(data) - self.at} are there")
        number = int.from_bytes(data[self.at : self.at + size], "big")
        if kind <= _MAP and number < (24 if size == 1 else 1 << 4 * size):
            raise CBORError(at, f"{number} in {size + 1} bytes, and it needs fewer", canonical=False)
        self.at += size
        return low, number

    def _item(self) -> Any:
        at = self.at
        if at >= len(self._data):
            raise CBORError(at, "the message ends within an array or a map")
        kind = self._data[at] >> 5
        if kind == _TAG:
            raise CBORError(at, "a tag; messages have none")
        low, number = self._length(kind)
        if kind == _UINT:
            return number
        if kind == _NEGATIVE:
            return -1 - number
        if kind in _STRINGS:
            return self._string(kind, number)
        if kind == _ARRAY:
            items: list[Any] = []
            self.fill(items, number)
            return items
        if kind == _MAP:
            return self._map(number)
        return self._simple(at, low)

    def _string(self, kind: int, length: int) -> str | bytes:
        self._need(length, f"bytes of a {_STRINGS[kind]}")
        begin, self.at = self.at, self.at + length
        found = self._data[begin : self.at]
        if kind == _BYTES:
            return found
        try:
            return found.decode()
        except UnicodeDecodeError as error:
            raise CBORError(begin + error.start, "a text that is not UTF-8") from None

    def _map(self, count: int) -> dict[Any, Any]:
        self._enter(2 * count)
        values: dict[Any, Any] = {}
        keys: set[bytes] = set()
        for _ in range(count):
            begin = self.at
            key = self._item()
            encoded = self._data[begin : self.at]
            if encoded in keys:
                raise CBORError(begin, "a key that the map has already", canonical=False)
            keys.add(encoded)
            # Only integers are keys of options. Others are refused there; some, Python could not look up.
            values[key if type(key) is int else encoded] = self._item()
        self._depth -= 1
        return values

    def _simple(self, at: int, low: int) -> Any:
        if low in _SIMPLE:
            return _SIMPLE[low]
        if low in _FLOATS:
            (value,) = _FLOATS[low].unpack_from(self._data, at + 1)
            return value
        raise CBORError(at, f"no item is 0x{self._data[at]:02x}")
