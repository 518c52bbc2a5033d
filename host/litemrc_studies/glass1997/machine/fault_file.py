"""Fault logs as files: Parquet or CSV, with a row for each page fault."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from litemrc.files.outputs import check_output_path, replacing

from litemrc_studies.glass1997.machine.fault_log import LOG_SUFFIXES, FaultLog


def write_fault_log(path: str | Path, log: FaultLog, **described: str | int) -> None:
    """Write a row for each fault: time, page, cold, victim, from_sequence.

    `victim` is empty if a frame was free. `from_sequence` is true if SEQ chose the victim from a sequence.

    Parameters:
        path: ends in .parquet or .csv.
        described: of the run; Parquet's metadata keeps it as JSON under the key `litemrc`.

    Raises:
        UserError: another suffix, or the file cannot be written.
    """
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
