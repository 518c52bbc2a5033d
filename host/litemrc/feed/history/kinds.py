# SPDX-License-Identifier: BSD-2-Clause
"""What a history keeps of an epoch, a kind of file each: counters, ranks, hot pages, pages, traffic."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from litemrc.device.rank_commands import Dram
from litemrc.epochs import files as epoch_files
from litemrc.epochs import traffic_files
from litemrc.epochs.columns import COLUMNS as EPOCH_COLUMNS
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.files.sealed_parquet import FileKind, read_description, read_sealed, write_sealed
from litemrc.pages import files as page_files
from litemrc.pages import hot_file
from litemrc.pages.page_bitmaps import PagesShown
from litemrc.ranks import files as rank_files
from litemrc.ranks.table import COLUMNS as RANK_COLUMNS
from litemrc.ranks.table import columns_of

# In every file, beside the columns of its kind.
TYPES: dict[str, pa.DataType] = {"session": pa.int64(), "arrived": pa.timestamp("us", "UTC")}
UNITS = {
    "session": "beginning of the session with the device, in ms since 1970; epoch numbers of two sessions"
    " cannot be compared",
    "arrived": "time of the epoch's last message",
}
_OF_EPOCHS = {
    "name": "process or program of the context; empty if unknown",
    "group_bytes": "memory that a hit counter stands for",
    "lost": "epochs lost on the link since the epoch before; the same in all rows of an epoch",
}
_PARAMETERS = b"litemrc_device"  # in the metadata of an open stream

Columns = Mapping[str, pa.Array | Sequence[Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    folder
        its name.
    file, version, units
        of the sealed file.
    types
        of its own columns, for a device.
    columns
        of an epoch; none: it has none of this kind. `lost` is the number of messages lost before it.
    described
        the description that its reader needs, of a device and the rows of a file.
    optional
        its columns that may have empty fields.
    """

    folder: str
    file: FileKind
    version: int
    units: Mapping[str, str]
    types: Callable[[DeviceParameters], dict[str, pa.DataType]]
    columns: Callable[[DeviceParameters, FeedEpoch, int], Columns]
    described: Callable[[DeviceParameters, pa.Table], dict[str, Any]]
    optional: frozenset[str] = frozenset()

    def schema(self, parameters: DeviceParameters) -> pa.Schema:
        """Return the schema of an open stream of a device."""
        types = TYPES | self.types(parameters)
        fields = [pa.field(name, each, nullable=name in self.optional) for name, each in types.items()]
        return pa.schema(fields, {_PARAMETERS: json.dumps(asdict(parameters)).encode()})

    def batch(
        self, schema: pa.Schema, parameters: DeviceParameters, epoch: FeedEpoch, lost: int
    ) -> pa.RecordBatch | None:
        """Return an epoch as rows of a stream; None: it has none of this kind."""
        columns = self.columns(parameters, epoch, lost)
        if not columns:
            return None
        size = len(columns["epoch"])
        common = {"session": [epoch.session] * size, "arrived": [round(epoch.arrived * 1e6)] * size}
        values = common | dict(columns)
        arrays = [pa.array(values[field.name], field.type) for field in schema]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def seal(self, path: Path, table: pa.Table, **kept: Any) -> None:
        """Write rows of streams as a sealed Parquet file.

        Parameters
        ----------
        kept
            what the history keeps about the file, beside what its reader needs.

        Raises
        ------
        UserError
            the file cannot be written.
        """
        first, last = times_of(table)
        described = self.described(parameters_of(table.schema), table) | {
            "interrupted": False,
            "device": json.loads(table.schema.metadata[_PARAMETERS]),
            "first": first,
            "last": last,
            "epochs": epoch_count(table),
            **kept,
        }
        columns = {name: table.column(name).combine_chunks() for name in table.schema.names}
        units = dict(self.units) | UNITS
        write_sealed(path, self.file, self.version, columns, units, described, optional=self.optional)

    def read(self, path: Path) -> tuple[DeviceParameters, pa.Table]:
        """Return the device of the first session in a sealed file, and the rows as a stream has them.

        Raises
        ------
        UserError
            no such file, truncated or damaged.
        """

        def decode(table: pa.Table, described: dict[str, Any]) -> tuple[DeviceParameters, pa.Table]:
            parameters = parameters_of(table.schema, described)
            schema = self.schema(parameters)
            return parameters, table.select(schema.names).cast(schema)

        read_description(path, self.file)  # whose footer is verified before anything decodes it
        return read_sealed(path, self.file, self.version, decode)


def times_of(table: pa.Table) -> tuple[int, int]:
    """Return the earliest and the latest arrival, in microseconds since 1970; clocks may step back."""
    times = pc.min_max(table.column("arrived").cast(pa.int64())).as_py()
    return times["min"], times["max"]


def epoch_count(table: pa.Table) -> int:
    """Return how many epochs rows are of; sessions have numbers of their own."""
    return len(table.group_by(["session", "epoch"], use_threads=False).aggregate([]))


def parameters_of(schema: pa.Schema, described: Mapping[str, Any] | None = None) -> DeviceParameters:
    """Return the device of an open stream, or of a sealed file with this description."""
    values = dict(described["device"] if described else json.loads(schema.metadata[_PARAMETERS]))
    if values["dram"]:
        values["dram"] = Dram(**values["dram"] | {"states": tuple(values["dram"]["states"])})
    return DeviceParameters(**values | {"programs": tuple(values["programs"])})


def _epoch_types(_: DeviceParameters) -> dict[str, pa.DataType]:
    types = {name: pa.from_numpy_dtype(each) for name, each in EPOCH_COLUMNS.items()}
    types |= {name: pa.list_(pa.uint32()) for name in ("hits", "tail")}
    return types | {"name": pa.string(), "group_bytes": pa.uint64(), "lost": pa.uint32()}


def _epoch_columns(parameters: DeviceParameters, epoch: FeedEpoch, lost: int) -> Columns:
    group_bytes = (parameters.pages // parameters.groups << epoch.scale_log2) * parameters.page_bytes
    return epoch_files.epoch_columns(epoch.rows) | {
        "name": [epoch.names.get(context, "") for context in epoch.rows["context"].tolist()],
        "group_bytes": [group_bytes] * epoch.rows.size,
        "lost": [lost] * epoch.rows.size,
    }


def _epochs_described(parameters: DeviceParameters, table: pa.Table) -> dict[str, Any]:
    pairs = zip(table.column("context").to_pylist(), table.column("name").to_pylist(), strict=True)
    names: dict[int, set[str]] = {}
    for context, name in pairs:
        names.setdefault(context, set()).add(name)
    columns = (table.column(name).to_pylist() for name in ("session", "epoch", "lost"))
    by_epoch = {(session, epoch): lost for session, epoch, lost in zip(*columns, strict=True)}
    # A context that several programs had in turn has no name for the whole file; the column has each.
    constant = {context: min(each) for context, each in names.items() if len(each) == 1 and "" not in each}
    statistics = {"epoch_messages": len(by_epoch), "epoch_messages_lost": sum(by_epoch.values())}
    described = replace(parameters.table([], constant), link_statistics=statistics)
    return epoch_files.epoch_description(described)


def _rank_types(_: DeviceParameters) -> dict[str, pa.DataType]:
    return {name: pa.from_numpy_dtype(each) for name, each in RANK_COLUMNS.items()}


def _rank_columns(_: DeviceParameters, epoch: FeedEpoch, __: int) -> Columns:
    columns = columns_of(epoch.ranks).items() if epoch.ranks.size else ()
    return {name: np.ascontiguousarray(column) for name, column in columns}


def _ranks_described(parameters: DeviceParameters, _: pa.Table) -> dict[str, Any]:
    assert parameters.dram
    return rank_files.rank_description(parameters.dram.table([], parameters.clock_hz))


def _hot_columns(_: DeviceParameters, epoch: FeedEpoch, __: int) -> Columns:
    return {name: [getattr(epoch.hot, name)] for name in hot_file.TYPES} if epoch.hot else {}


def _hot_described(parameters: DeviceParameters, _: pa.Table) -> dict[str, Any]:
    return {
        "page_bytes": parameters.page_bytes,
        "base_address": parameters.base_address,
        "settings": dict(parameters.hot_settings),
        "source": "",
    }


def _shown(parameters: DeviceParameters) -> PagesShown:
    return PagesShown(
        page_bytes=parameters.page_bytes,
        base_address=parameters.base_address,
        ranges=(range(parameters.frames),),
    )


def _page_types(parameters: DeviceParameters) -> dict[str, pa.DataType]:
    return page_files.bitmap_types(_shown(parameters))


def _page_columns(_: DeviceParameters, epoch: FeedEpoch, __: int) -> Columns:
    if not epoch.accessed:
        return {}
    counts = {"epoch": [epoch.number], "cycles": [0], "accesses": [epoch.accesses]}
    return counts | {"accessed": [epoch.accessed.accessed], "written": [epoch.accessed.written]}


def _pages_described(parameters: DeviceParameters, _: pa.Table) -> dict[str, Any]:
    clock = parameters.clock_hz
    return page_files.bitmaps_description(_shown(parameters), writes_known=True, clock_hz=clock, source="")


def _traffic_columns(_: DeviceParameters, epoch: FeedEpoch, __: int) -> Columns:
    return traffic_files.traffic_columns([epoch.number], [epoch.traffic]) if epoch.traffic else {}


EPOCHS = Kind(
    "epochs",
    epoch_files.KIND,
    epoch_files.VERSION,
    epoch_files.UNITS | _OF_EPOCHS,
    _epoch_types,
    _epoch_columns,
    _epochs_described,
)
RANKS = Kind(
    "ranks",
    rank_files.KIND,
    rank_files.VERSION,
    rank_files.UNITS,
    _rank_types,
    _rank_columns,
    _ranks_described,
)
HOT = Kind(
    "hot",
    hot_file.KIND,
    hot_file.VERSION,
    hot_file.UNITS,
    lambda _: dict(hot_file.TYPES),
    _hot_columns,
    _hot_described,
)
PAGES = Kind(
    "pages",
    page_files.KIND,
    page_files.VERSION,
    page_files.UNITS,
    _page_types,
    _page_columns,
    _pages_described,
)
TRAFFIC = Kind(
    "traffic",
    traffic_files.KIND,
    traffic_files.VERSION,
    traffic_files.UNITS,
    lambda _: dict(traffic_files.TYPES),
    _traffic_columns,
    lambda parameters, _: traffic_files.traffic_description(parameters.clock_hz),
    traffic_files.OPTIONAL,
)
KINDS = (EPOCHS, RANKS, HOT, PAGES, TRAFFIC)
