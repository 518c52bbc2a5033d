# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc traffic FILE`: bandwidth, row hits and row conflicts of a file of DRAM commands, by bank."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import add_epoch_range_arguments, add_output_formats
from litemrc.cli.shared.messages import warning
from litemrc.cli.shared.plain_text import text_facts, text_table
from litemrc.cli.shared.results import print_results
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.epochs.traffic import Traffic

_EPILOG = """\
FILE is that of litemrc collect --traffic, traffic.parquet of a recording of litemrc live, or a file of the
folder traffic in a history of litemrc serve. The peak is what the data bus moves if it is busy in each cycle.
A row hit is a read or write of a row that was read or written before since its ACTIVATE; a row conflict is
an ACTIVATE of a bank that was closed for another row. A device that does not observe rows, as the models in
QEMU and Renode, leaves them unknown.

--json prints one object: epochs, first_epoch, last_epoch, seconds, access_bytes, bytes_read, bytes_written,
read_bandwidth, write_bandwidth and peak_bandwidth (bytes/s), peak_share, row_hit_rate, refresh_share,
queue_peak, banks. Each bank has bank, reads, writes, row_hits, activates, row_conflicts, row_hit_rate and
bandwidth. --csv prints the banks. What is unknown is null.

  litemrc collect --port URL --epochs 40 --run zipf --out curves.parquet --traffic traffic.parquet
  litemrc traffic traffic.parquet
"""
_UNKNOWN = "unknown"
_SUMMED = (
    *("seconds", "access_bytes", "bytes_read", "bytes_written", "read_bandwidth", "write_bandwidth"),
    *("peak_share", "row_hit_rate", "refresh_share", "queue_peak"),
)


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc traffic`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", type=Path, help="traffic table (Parquet)")
    add_epoch_range_arguments(parser)
    add_output_formats(parser)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc traffic`."""
    # Imported here: pyarrow takes long to load.
    from litemrc.epochs.traffic import traffic_sum
    from litemrc.epochs.traffic_files import read_traffic

    table = read_traffic(args.file)
    first = 0 if args.first_epoch is None else args.first_epoch
    last = 2**32 if args.last_epoch is None else args.last_epoch
    chosen = [place for place, epoch in enumerate(table.epochs) if first <= epoch <= last]
    parts = [table.traffic[place] for place in chosen]
    if len({each.access_bytes for each in parts}) > 1:
        what = "the bytes of an access changed between the epochs: they have no bandwidth in common"
        raise UserError(what, where=str(args.file), remedy="choose fewer: --from and --to")
    total = traffic_sum(parts)
    if total is None:
        what = "no epoch in the range" if table.epochs else "the traffic table has no epoch"
        raise UserError(what, where=str(args.file), remedy="choose others: --from and --to, or collect more")
    if table.interrupted:
        warning("the collection was interrupted before its end")
    numbers = [table.epochs[place] for place in chosen]
    document = {
        "epochs": len(numbers),
        "first_epoch": min(numbers),
        "last_epoch": max(numbers),
        **_summary(total),
        "peak_bandwidth": total.access_bytes * table.clock_hz if total.cycles else None,
        "banks": list(_banks(total)),
    }
    print_results(
        args, table=lambda: _text(document, total), document=lambda: document, rows=lambda: _banks(total)
    )
    return 0


def _summary(total: "Traffic") -> dict[str, Any]:
    return {name: getattr(total, name) for name in _SUMMED}


def _banks(total: "Traffic") -> Iterator[dict[str, Any]]:
    from litemrc.epochs.traffic import BANK_COUNTS

    for bank in range(total.reads.size):
        counts = {
            name: None if (each := getattr(total, name)) is None else int(each[bank]) for name in BANK_COUNTS
        }
        accesses = int(total.reads[bank]) + int(total.writes[bank])
        hits = counts["row_hits"]
        yield {
            "bank": bank,
            **counts,
            "row_hit_rate": hits / accesses if hits is not None and accesses else None,
            "bandwidth": total.bandwidth_of(accesses),
        }


def _text(document: dict[str, Any], total: "Traffic") -> str:
    from litemrc.epochs.traffic import bandwidth_text

    def speed(value: float | None) -> str:
        return _UNKNOWN if value is None else bandwidth_text(value)

    def share(value: float | None, of: str) -> str:
        return _UNKNOWN if value is None else f"{value:.1%} of the {of}"

    seconds, peak = total.seconds, document["peak_bandwidth"]
    facts = {
        "epochs": f"{document['epochs']}, {document['first_epoch']} to {document['last_epoch']}",
        "time": _UNKNOWN if seconds is None else f"{seconds:.4g} s",
        "read": f"{speed(total.read_bandwidth)} ({total.bytes_read:,} bytes)",
        "written": f"{speed(total.write_bandwidth)} ({total.bytes_written:,} bytes)",
        "share of the peak": _UNKNOWN
        if total.peak_share is None
        else f"{total.peak_share:.1%} of {speed(peak)}",
        "row hits": share(total.row_hit_rate, "accesses"),
        "refresh": share(total.refresh_share, "cycles"),
        "longest queue": _UNKNOWN if total.queue_peak is None else f"{total.queue_peak} requests",
    }
    headings = ("bank", "reads", "writes", "bandwidth", "row hits", "ACTIVATEs", "row conflicts")
    rows = [
        [
            str(bank["bank"]),
            *(f"{bank[name]:,}" for name in ("reads", "writes")),
            speed(bank["bandwidth"]),
            "-" if bank["row_hit_rate"] is None else f"{bank['row_hit_rate']:.1%}",
            *("-" if bank[name] is None else f"{bank[name]:,}" for name in ("activates", "row_conflicts")),
        ]
        for bank in document["banks"]
    ]
    return f"{text_facts(facts)}\n\n{text_table(headings, rows)}"
