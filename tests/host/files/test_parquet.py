# SPDX-License-Identifier: BSD-2-Clause
"""A short Parquet file that claims a long list: refused without the memory for the list."""

import subprocess
import sys
from pathlib import Path

import pytest

# Thrift's compact protocol: version 2; a schema of one element "x"; 0 rows; one row group of 999,999 columns.
FOOTER = b"\x15\x04" + b"\x19\x1c\x48\x01x\x15\x00\x00" + b"\x16\x00" + b"\x19\x1c" + b"\x19\xfc\xbf\x84\x3d"
CLAIMS = b"PAR1" + FOOTER + len(FOOTER).to_bytes(4, "little") + b"PAR1"

READ = {
    "sealed": "from litemrc.epochs.files import read_epochs; read_epochs(path)",
    "kind": "from litemrc.files.sealed_parquet import kind_of; kind_of(path); raise UserError('none')",
    "trace": "from litemrc.traces.opening import open_trace; open_trace(path)",
}
PROGRAM = """
import resource, sys
import pyarrow.parquet
from litemrc.errors import UserError
path, before = sys.argv[1], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    {}
except UserError as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("reader", READ)
def test_a_footer_of_few_bytes_takes_little_memory(reader, tmp_path: Path):
    path = tmp_path / "claims.parquet"
    path.write_bytes(CLAIMS)
    program = PROGRAM.format(READ[reader])
    ran = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 300_000, f"{ran.stdout} KiB"
