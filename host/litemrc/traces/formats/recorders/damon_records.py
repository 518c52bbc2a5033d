# SPDX-License-Identifier: BSD-2-Clause
"""Snapshots of DAMON (Linux's data access monitor) from the files that damo 3 writes.

JSON, plain or compressed by zlib: `damo record --output_type json` and `json_compressed` (the default), and
`damo report access --json`. A list of records, one for each monitored target:

    {"target_id": .., "intervals": {"sample_us": .., "aggr_us": ..}, "snapshots": [{"start_time": ..,
     "end_time": .., "regions": [{"start": .., "end": .., "nr_accesses": {"samples": ..}}]}]}

Text: `damo report access --raw_form` (blocks of `START-END (LENGTH) NR_ACCESSES AGE`) and `damo record
--output_type perf_script` (lines of the tracepoint damon:damon_aggregated). Numbers may have commas and
times may have units, as damo prints them for people.
"""

import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.bounds import MOST_RECORD_BYTES
from litemrc.traces.bounds import REMEDY as REMEDY_BOUND

REMEDY = "write it with damo record, or damo report access --json"
MOST_ACCESSES = 1 << 20  # sampling intervals in an aggregation interval
_MOST_CONTAINERS = 1 << 23  # lists and objects of JSON, of which each takes some 100 bytes of memory
_LONGEST_NUMBER = 64
_ZLIB = (
    b"\x78\x01",
    b"\x78\x5e",
    b"\x78\x9c",
    b"\x78\xda",
)  # by level; a text may begin with x, which is 0x78
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}
_TRACED = re.compile(
    rb"(\d{1,10})\.(\d{6,9}): damon:damon_aggregated: target_id=(\d{1,20}) nr_regions=(\d{1,9})"
    rb" (\d{1,20})-(\d{1,20}): (-?\d{1,9})(?!\d)"
)
_RAW = re.compile(
    rb"^(?:(base_time_absolute|monitoring_start|monitoring_end|target_id|nr_regions):(.*)"
    rb"|([0-9a-f]{1,16})-([0-9a-f]{1,16}) \(.*\) +(-?\d{1,9})(?: +-?\d+)?) *$"
)


class Snapshot(NamedTuple):
    """Regions of a target over one aggregation interval.

    Attributes
    ----------
    where
        place in the file.
    target
        number of the target, from 0 in the order of the file.
    end_ns
        end of the interval, in nanoseconds.
    starts, ends
        uint64[regions], address ranges [start, end), ascending.
    accesses
        int64[regions], sampling intervals in which the region was found accessed.
    """

    where: str
    target: int
    end_ns: int
    starts: NDArray[np.uint64]
    ends: NDArray[np.uint64]
    accesses: NDArray[np.int64]


def parse_snapshots(data: bytes, name: str, *, bounded: bool = True) -> list[Snapshot]:
    """Return the snapshots of a file, sorted by their ends.

    Parameters
    ----------
    bounded
        refuse a file that takes more memory than `traces/bounds.py` allows.

    Raises
    ------
    UserError
        another format, or a damaged file.
    """
    if data[:2] in _ZLIB:
        data = _decompressed(data, name, bounded)
    if data.lstrip()[:1] in (b"[", b"{"):
        containers = data.count(b"[") + data.count(b"{")
        if bounded and containers > _MOST_CONTAINERS:
            raise UserError(
                f"the record has {containers:,} lists and objects, more than {_MOST_CONTAINERS:,}",
                where=name,
                remedy=REMEDY_BOUND,
            )
        found = list(_of_json(data, name))
    elif b"damon:damon_aggregated:" in data:
        found = list(_of_trace(data, name))
    elif b"monitoring_end:" in data:
        found = list(_of_raw(data, name))
    elif data.startswith(b"PERFILE"):
        raise UserError(
            "this is perf's binary record", where=name, remedy="convert it: damo convert_record_format"
        )
    else:
        raise UserError("this is no record of DAMON", where=name, remedy=REMEDY)
    return sorted(found, key=lambda snapshot: snapshot.end_ns)


def _decompressed(data: bytes, name: str, bounded: bool) -> bytes:
    most = MOST_RECORD_BYTES if bounded else 0  # 0: no limit
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(data, most)
    except zlib.error as error:
        raise UserError(f"damaged: {error}", where=name, remedy="copy the record again") from error
    if most and len(plain) >= most:
        raise too_large(name)
    if not inflate.eof:
        raise UserError("the record is truncated", where=name, remedy="copy the record again")
    return plain


def too_large(name: str) -> UserError:
    """Return the error for a record that is too large to be kept in memory."""
    return UserError(
        f"the record holds more than {MOST_RECORD_BYTES:,} bytes, and is read as a whole",
        where=f"{name}, byte {MOST_RECORD_BYTES:,} (decompressed)",
        remedy=REMEDY_BOUND,
    )


def _of_json(data: bytes, name: str) -> Iterator[Snapshot]:
    try:
        records = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UserError(f"damaged JSON: {error}", where=name, remedy="copy the record again") from error
    if not isinstance(records, list):
        raise UserError("the record is no JSON list", where=name, remedy=REMEDY)
    for target, record in enumerate(records):
        for number, snapshot in enumerate(_member(record, "snapshots", list, f"{name}, record {target}")):
            where = f"{name}, record {target}, snapshot {number}"
            end = _nanoseconds(_member(snapshot, "end_time", object, where), where)
            rows = []
            for region in _member(snapshot, "regions", list, where):
                count = _member(region, "nr_accesses", object, where)
                samples = _samples(count, record, where)
                start, stop = (
                    _number(_member(region, key, object, where), where) for key in ("start", "end")
                )
                rows.append((start, stop, samples))
            if kept := _snapshot(target, end, rows, where):
                yield kept


def _samples(count: Any, record: Any, where: str) -> int:
    if not isinstance(count, dict):
        return _number(count, where)
    if count.get("samples") is not None:
        return _number(count["samples"], where)
    intervals = record.get("intervals")
    if not isinstance(intervals, dict):
        raise UserError("intervals are missing or of another type", where=where, remedy=REMEDY)
    sample, aggregation = (_nanoseconds(intervals.get(key), where, 1000) for key in ("sample_us", "aggr_us"))
    return round(_number(count.get("percent"), where) / 100 * aggregation / max(sample, 1))


def _of_trace(data: bytes, name: str) -> Iterator[Snapshot]:
    targets: dict[int, int] = {}
    waiting: dict[int, tuple[int, list[tuple[int, int, int]]]] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"damon_aggregated" not in line:
            continue
        where = f"{name}, line {number}"
        found = _TRACED.search(line)
        if not found:
            raise UserError("damaged line of damon:damon_aggregated", where=where, remedy="record again")
        seconds, fraction, target, count, start, end, accesses = (int(word) for word in found.groups())
        end_ns = seconds * 10**9 + fraction * 10 ** (9 - len(found[2]))
        index = targets.setdefault(target, len(targets))
        _, rows = waiting.setdefault(index, (end_ns, []))
        rows.append((start, end, accesses))
        if len(rows) == count and (kept := _snapshot(index, waiting.pop(index)[0], rows, where)):
            yield kept


def _of_raw(data: bytes, name: str) -> Iterator[Snapshot]:
    targets: dict[str, int] = {}
    base = end = count = target = 0
    rows: list[tuple[int, int, int]] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        where = f"{name}, line {number}"
        found = _RAW.match(line)
        if not found:
            if line.strip() and not line.startswith((b"#", b"data source", b"monitoring_duration")):
                raise UserError(
                    f"{line.decode('ascii', 'replace')[:60]!r} is no line of damo report",
                    where=where,
                    remedy=REMEDY,
                )
            continue
        key, value = (found[1] or b"").decode(), (found[2] or b"").strip().decode("ascii", "replace")
        if key == "base_time_absolute":
            base = _nanoseconds(value, where)
        elif key == "monitoring_end":
            end = base + _nanoseconds(value, where)
        elif key == "target_id":
            target = targets.setdefault(value, len(targets))
        elif key == "nr_regions":
            count, rows = int(_number(value, where)), []
        elif not key:
            rows.append((int(found[3], 16), int(found[4], 16), int(found[5])))
            if len(rows) == count and (kept := _snapshot(target, end, rows, where)):
                yield kept


def _snapshot(target: int, end_ns: int, rows: list[tuple[int, int, int]], where: str) -> Snapshot | None:
    """Return the snapshot; None for the one that damo adds to mark an end: a region 0-0 with -1 accesses."""
    if not rows or (len(rows) == 1 and rows[0] == (0, 0, -1)):
        return None
    if not 0 <= end_ns < 1 << 64:
        raise UserError(f"time {end_ns} ns does not fit into 64 bits", where=where, remedy="record again")
    rows.sort()
    previous = 0
    for start, end, accesses in rows:
        if not previous <= start <= end < 1 << 64 or not 0 <= accesses <= MOST_ACCESSES:
            raise UserError(
                f"region {start}-{end} with {accesses} accesses is malformed or overlaps another one",
                where=where,
                remedy="record again",
            )
        previous = end
    starts, ends, counts = zip(*rows, strict=True)
    return Snapshot(
        where,
        target,
        end_ns,
        np.array(starts, dtype=np.uint64),
        np.array(ends, dtype=np.uint64),
        np.array(counts, dtype=np.int64),
    )


def _member(value: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(value, dict) or not isinstance(value.get(key), kind) or value.get(key) is None:
        raise UserError(f"{key} is missing or of another type", where=where, remedy=REMEDY)
    return value[key]


def _short(value: Any) -> str:
    """Return a value as text, longer ones cut where they can be no number."""
    return str(value[: _LONGEST_NUMBER + 1] if isinstance(value, str) else value)[: _LONGEST_NUMBER + 1]


def _number(value: Any, where: str) -> int:
    """Return a whole number, from JSON or from text with commas."""
    text = _short(value).replace(",", "").replace("%", "").strip()
    if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,20}(\.0*)?", text):
        raise UserError(f"{_short(value)!r} is not a whole number", where=where, remedy=REMEDY)
    return int(text.partition(".")[0])


def _nanoseconds(value: Any, where: str, unit: int = 1) -> int:
    """Return a time such as 104599000, "104599000", "1 m 2.5 s" or "104 ms 599 us"."""
    text = _short(value).replace(",", "").strip()
    if not isinstance(value, bool) and re.fullmatch(r"\d{1,20}(\.\d+)?", text):
        whole, _, rest = text.partition(".")
        return int(whole) * unit + (int(float("0." + rest) * unit) if rest else 0)
    parts = re.findall(r"(\d{1,20}(?:\.\d+)?) *(ns|us|ms|s|m|h|d)(?![a-z])", text)
    if not parts or re.sub(r"\d+(?:\.\d+)? *(ns|us|ms|s|m|h|d)(?![a-z])", "", text).strip():
        raise UserError(f"{_short(value)!r} is not a time", where=where, remedy=REMEDY)
    return sum(round(float(number) * _NANOSECONDS[name]) for number, name in parts)
