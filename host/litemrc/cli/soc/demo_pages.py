"""The files of single pages of a demo, compared with the golden models over the simulator's record."""

from dataclasses import replace
from pathlib import Path

from litemrc.checks.pages import check_accessed, check_hot, replay_hot
from litemrc.cli.device.page_files import PageFiles
from litemrc.cli.soc.demo_results import Results
from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.hot import HotSettings
from litemrc.device.link.protocol import Message
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists


def page_files(out: Path, hello: Message) -> PageFiles:
    """Return the files in the folder `out`, of what the device has."""
    return PageFiles(_bitmaps(out) if hello.page_bitmap else None, _lists(out) if hello.hot_pages else None)


def with_pages(results: Results, out: Path) -> Results:
    """Return the results with the comparison of the files in the folder `out`.

    Linux has the bits and the list of the last epoch only. An epoch ends early when a process is followed and
    when it ends, so as many epochs may be overwritten before they are read.
    """
    frames, recording = results.hello.frames, results.recording
    epochs = len(set(results.table.epoch.tolist()))
    may_miss = 2 * len(results.table.processes)
    found = {}
    if results.hello.page_bitmap:
        read = read_page_bitmaps(_bitmaps(out))
        bits = zip(read.epoch.tolist(), read.accessed, read.written, strict=True)
        rows = (AccessedEpoch(epoch, bytes(accessed), bytes(written)) for epoch, accessed, written in bits)
        found["page bitmap"] = check_accessed(recording, rows, frames)
    if results.hello.hot_pages:
        lists = read_hot_lists(_lists(out))
        golden = replay_hot(recording, HotSettings(**lists.settings), frames)
        found["hot pages"] = check_hot(golden, lists.rows)
    remarks, wrong = dict(results.remarks), list(results.wrong)
    for name, check in found.items():
        missing = epochs - check.epochs
        remarks[name] = f"{check.epochs} epochs are those of the golden model"
        if missing:
            remarks[name] += f"; {missing} were overwritten before they were read"
        if check.difference or not 0 <= missing <= may_miss:
            remarks[name] = f"wrong or missing after {check.epochs} of {epochs} epochs"
            wrong.append(f"{name}: {check.difference or remarks[name]}")
    return replace(results, remarks=remarks, wrong=wrong)


def _bitmaps(out: Path) -> Path:
    return out / "pages.parquet"


def _lists(out: Path) -> Path:
    return out / "hot.parquet"
