# SPDX-License-Identifier: BSD-2-Clause
"""Write the versions and the exit codes in docs/stability.md from their sources.

python -m scripts.docs.stability_page
"""

import re
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.bundle import DESCRIPTION
from litemrc.device.bundle import FORMAT as BUNDLE
from litemrc.device.link.schema import schema, version_text
from litemrc.epochs import files as epoch_files
from litemrc.feed.history.kinds import KINDS

from scripts.docs.man_pages import EXIT_STATUS
from scripts.docs.page_tables import REPO, fill_tables, fill_values

PAGE = REPO / "docs/stability.md"
_HEADS = ("interface", "version", "also read or accepted", "defined in")


@dataclass(frozen=True)
class FileFormat:
    """A format of files with a version number, which the host writes or reads.

    Attributes
    ----------
    name
        as in `tests/data/formats/manifest.csv`.
    version, oldest
        the one that is written, and the first one that is read.
    source
        where the number is.
    """

    name: str
    version: int
    oldest: int
    source: str


def file_formats() -> list[FileFormat]:
    """Return every format of files that has a version number."""
    oldest = {epoch_files.KIND: epoch_files.OLDEST_VERSION}
    sources = {
        "epochs": "epochs/files.py",
        "ranks": "ranks/files.py",
        "hot": "pages/hot_file.py",
        "pages": "pages/files.py",
        "traffic": "epochs/traffic_files.py",
    }
    formats = [
        FileFormat(each.file.tag, each.version, oldest.get(each.file, each.version), sources[each.folder])
        for each in KINDS
    ]
    formats.append(FileFormat("bundle", BUNDLE, BUNDLE, "device/bundle.py"))
    return [
        FileFormat(each.name, each.version, each.oldest, f"host/litemrc/{each.source}") for each in formats
    ]


def version_table() -> str:
    """Return the Markdown table of the versions of all interfaces that have a number."""
    protocol = schema().constants["protocol_version"]
    rows = [
        ("protocol of the link", version_text(protocol), _minors(protocol), _PROTOCOL),
        ("driver ABI (`abi` in sysfs)", _defined(_UAPI, "LITEMRC_ABI_VERSION"), "", _UAPI),
        ("C library of models", _defined(_MODEL, "LITEMRC_MODEL_VERSION"), "", _MODEL),
        *(
            (
                f"register layout of the {block}",
                _defined(_REGISTERS, f"LITEMRC_{name}REGS_VERSION"),
                "",
                source,
            )
            for block, name, source in _LAYOUTS
        ),
        *(
            (
                f"file: {_FILES.get(each.name, each.name.removeprefix('file of '))}",
                str(each.version),
                _earlier(each),
                each.source,
            )
            for each in file_formats()
        ),
    ]
    lines = [_HEADS, ("---",) * 4]
    lines += [(*row[:3], f"[`{row[3].rpartition('/')[2]}`](../{row[3]})") for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_PROTOCOL = "firmware/include/litemrc_protocol.h"
_UAPI = "firmware/include/litemrc_uapi.h"
_MODEL = "models/litemrc_model.h"
_REGISTERS = "firmware/include/litemrc_regs.h"  # exported from the gateware
_LAYOUTS = (
    ("monitor", "", "litex-soc/litemrc_gateware/monitor/registers.py"),
    ("ranks", "RANKS_", "litex-soc/litemrc_gateware/ranks/registers.py"),
    ("reference counters", "REFS_", "litex-soc/litemrc_gateware/refs/registers.py"),
)
_FILES = {"bundle": f"bundle of a board (`{DESCRIPTION}`)"}


def _defined(header: str, name: str) -> str:
    (value,) = re.findall(rf"^#define {name} (\d+)$", (REPO / header).read_text("utf-8"), re.MULTILINE)
    return str(value)


def _minors(protocol: int) -> str:
    major = protocol // 1000
    return f"{major}.0 and all later {major}.x"


def _earlier(each: FileFormat) -> str:
    return ", ".join(map(str, range(each.oldest, each.version)))


def write(page: Path) -> None:
    """Write the table and the values into a copy of the page."""
    fill_tables(page, {"versions": version_table()})
    fill_values(page, {"exit-status": EXIT_STATUS})


if __name__ == "__main__":
    write(PAGE)
