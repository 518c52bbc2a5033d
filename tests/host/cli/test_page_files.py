# SPDX-License-Identifier: BSD-2-Clause
"""Files of single pages: what was asked for and did not come is said."""

from pathlib import Path

import pytest
from litemrc.cli.device.page_files import PageFiles
from litemrc.pages.files import PageBitmapWriter
from litemrc.pages.page_bitmaps import PagesShown


def test_a_file_without_an_epoch_is_named_and_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pages.parquet"
    files = PageFiles(out, None)
    shown = PagesShown(page_bytes=4096, base_address=0, ranges=(range(64),))
    files._pages = PageBitmapWriter(out, shown, clock_hz=1, source="device")
    assert files.save(interrupted=False) == {"pages": None, "hot": None}
    assert not out.exists()
    assert f"no epoch came with the pages accessed: {out} is not written" in capsys.readouterr().err
