# SPDX-License-Identifier: BSD-2-Clause
"""libCacheSim's binary traces besides oracleGeneral: LCS, versions 1 to 8, and CloudPhysics' vscsi, 1 and 2.

LCS (libCacheSim/traceReader/customizedReader/lcs.h): a header of 8,192 bytes, which begins and ends with
0x123456789abcdef0 and has the version in its second word, then packed little-endian records:

    version 1: uint32 clock_time, uint64 obj_id, uint32 obj_size, int64 next_access_vtime
    version 2: uint32 clock_time, uint64 obj_id, uint32 obj_size, uint8 op, uint24 tenant, int64 next
    version 3: as version 2, with int64 obj_size, and with uint32 ttl before next
    version 4 to 8: version 3 and 1, 2, 4, 8 or 16 features of 32 bits

Tenants are contexts if there are several. Operations are req_op_e of
libCacheSim/include/libCacheSim/enum.h.

vscsi (customizedReader/vscsi.h): the version is the upper byte of `ver`, the same in all records.

    version 1: uint32 sn, len, nSG, uint16 cmd, ver, uint64 lbn, ts
    version 2: uint16 cmd, ver, uint32 sn, len, nSG, uint64 lbn, ts, rt

As in libCacheSim, the object is the logical block number at which a request begins, and its size the length
of the request in bytes. Times are microseconds. Directions follow from the SCSI operation code.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import BLOCK_BYTES, ByteSource, record_blocks
from litemrc.traces.trace import disorder

HEADER_BYTES = 8192
MAGIC = 0x123456789ABCDEF0
_V1 = [("time", "<u4"), ("page", "<u8"), ("size", "<u4"), ("next", "<i8")]
_V2 = [*_V1[:3], ("op_tenant", "<u4"), ("next", "<i8")]
_V3 = [*_V1[:2], ("size", "<i8"), ("op_tenant", "<u4"), ("ttl", "<u4"), ("next", "<i8")]
LCS_RECORDS = {1: np.dtype(_V1), 2: np.dtype(_V2), 3: np.dtype(_V3)} | {
    4 + power: np.dtype([*_V3, ("features", "<u4", 1 << power)]) for power in range(5)
}
# req_op_e: get 1, gets 2, set 3, add 4, cas 5, replace 6, append 7, prepend 8, delete 9, incr 10, decr 11,
# read 12, write 13, update 14; nop 0 and others are taken as reads, as a cache looks the object up.
_WRITES = np.isin(np.arange(256), [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14])

_COMMON = [("lbn", "<u8"), ("ts", "<u8")]
VSCSI_RECORDS = {
    1: np.dtype([("sn", "<u4"), ("len", "<u4"), ("nSG", "<u4"), ("cmd", "<u2"), ("ver", "<u2"), *_COMMON]),
    2: np.dtype(
        [
            *(("cmd", "<u2"), ("ver", "<u2"), ("sn", "<u4"), ("len", "<u4"), ("nSG", "<u4")),
            *(*_COMMON, ("rt", "<u8")),
        ]
    ),
}
# WRITE(6), (10), (12), (16), with verify (10), (12), (16), WRITE SAME (10), (16): SCSI Block Commands.
_SCSI_WRITES = [0x0A, 0x2A, 0xAA, 0x8A, 0x2E, 0xAE, 0x8E, 0x41, 0x93]
_LARGEST = (1 << 32) - 1  # bytes of an object


class _RecordTrace(SourceTrace):
    """Checks the order of times."""

    def _checked(self, times: NDArray[np.uint64], previous: int, offset: int, record_bytes: int) -> int:
        """Return the last time; UserError if one is below the previous one."""
        index = self._first_disorder(times, previous)
        if index is not None:
            before = int(times[index - 1]) if index else previous
            raise disorder(int(times[index]), before, self._source.where(offset + index * record_bytes))
        return int(times[-1])


class LcsTrace(_RecordTrace):
    """Reads times, objects, sizes and, from version 2 on, directions and tenants."""

    format = "lcs"
    time_unit = "s"

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source)
        head = bytes(source.peek(BLOCK_BYTES)[:HEADER_BYTES])
        words = np.frombuffer(head, "<u8") if len(head) == HEADER_BYTES else np.zeros(2, "<u8")
        if int(words[0]) != MAGIC or int(words[-1]) != MAGIC:
            raise UserError(
                "this is no LCS trace: its header does not begin and end with 0x123456789abcdef0",
                where=self.name,
                remedy="give the format with --format",
            )
        self._version = int(words[1])
        if self._version not in LCS_RECORDS:
            raise UserError(
                f"version {self._version} of LCS is unknown",
                where=source.where(8),
                remedy=f"convert it to one of versions 1 to {max(LCS_RECORDS)} with libCacheSim's traceConv",
            )
        self._stated_requests = int(words[3])  # stat.n_req follows stat.version

    def __iter__(self) -> Iterator[Chunk]:
        record = LCS_RECORDS[self._version]
        previous = count = 0
        for offset, records in record_blocks(self._source, record, HEADER_BYTES):
            if not records.size:
                continue
            times = records["time"].astype(np.uint64)
            previous = self._checked(times, previous, offset, record.itemsize)
            sizes = records["size"].astype(np.int64)
            if sizes.min() < 0 or sizes.max() > _LARGEST:
                row = int(np.argmax((sizes < 0) | (sizes > _LARGEST)))
                raise UserError(
                    f"an object has {sizes[row]} bytes",
                    where=self._source.where(offset + row * record.itemsize),
                    remedy=f"sizes must be 0 to {_LARGEST}",
                )
            writes = contexts = None
            if self._version > 1:
                writes = _WRITES[records["op_tenant"] & 0xFF]
                contexts = records["op_tenant"] >> np.uint32(8)
            count += records.size
            yield Chunk(
                np.ascontiguousarray(records["page"]), writes, times, contexts, sizes.astype(np.uint32)
            )
        if self._stated_requests not in (0, count):
            self.notes.append(f"the header states {self._stated_requests:,} requests; the file has {count:,}")


class VscsiTrace(_RecordTrace):
    """Reads block numbers, lengths, times and directions."""

    format = "vscsi"
    time_unit = "us"

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source)
        head = source.peek(BLOCK_BYTES)
        self._version = next((number for number in (2, 1) if _has_version(head, number)), 0)
        if not self._version and head.nbytes:
            raise UserError(
                "this is no vscsi trace: its first records have neither version 1 nor 2",
                where=self.name,
                remedy="give the format with --format",
            )

    def __iter__(self) -> Iterator[Chunk]:
        if not self._version:
            return
        record = VSCSI_RECORDS[self._version]
        previous = 0
        for offset, records in record_blocks(self._source, record):
            if not records.size:
                continue
            other = records["ver"] >> 8 != self._version
            if other.any():
                row = int(np.argmax(other))
                there = int(records["ver"][row]) >> 8
                raise UserError(
                    f"a record of version {there} in a trace of version {self._version}",
                    where=self._source.where(offset + row * record.itemsize),
                    remedy="download the file again",
                )
            times = np.ascontiguousarray(records["ts"])
            previous = self._checked(times, previous, offset, record.itemsize)
            yield Chunk(
                np.ascontiguousarray(records["lbn"]),
                np.isin(records["cmd"], _SCSI_WRITES),
                times,
                sizes=np.ascontiguousarray(records["len"]),
            )


def _has_version(head: memoryview, version: int) -> bool:
    """Return whether the first two records have this version."""
    record = VSCSI_RECORDS[version]
    count = min(head.nbytes // record.itemsize, 2)
    return count > 0 and bool((np.frombuffer(head, record, count)["ver"] >> 8 == version).all())
