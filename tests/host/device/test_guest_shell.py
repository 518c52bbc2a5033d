# SPDX-License-Identifier: BSD-2-Clause
"""Files of a guest are read by its shell."""

import subprocess

from litemrc.device.simulation.guest_shell import values_of


def test_the_lines_of_files_are_read_by_their_names(tmp_path):
    for name, text in (("faults", "3"), ("part", "MT41J256M8 of four"), ("none", "")):
        (tmp_path / name).write_text(f"{text}\n")
    (tmp_path / "scans").write_text("4\n")

    def run(command: str) -> str:
        return subprocess.run(["sh", "-c", command], check=True, capture_output=True, text=True).stdout

    assert values_of(run, f"{tmp_path}/[fnp]*") == {"faults": "3", "none": "", "part": "MT41J256M8 of four"}
    assert values_of(run, f"{tmp_path}/scans", f"{tmp_path}/faults") == {"scans": "4", "faults": "3"}
