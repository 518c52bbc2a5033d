# SPDX-License-Identifier: BSD-2-Clause
"""Debian packages of two groups at once, as of `make -j2`. The stand-in of apt-get refuses to run twice."""

import os
import shutil
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/setup/install_packages.sh"
# The folder is apt-get's lock.
APT_GET = """#!/bin/sh
mkdir apt-runs || exit 100
sleep 0.3
[ "$1" = update ] || echo "$@" >>installed
rmdir apt-runs
"""
STAND_INS = {
    "apt-get": APT_GET,
    "apt-cache": "#!/bin/sh\n",
    "dpkg-query": "#!/bin/sh\nexit 1\n",
    "id": "#!/bin/sh\necho 0\n",
}


def test_two_groups_at_once_are_installed_one_after_the_other(tmp_path):
    script = Path(shutil.copy(SCRIPT, tmp_path))
    (tmp_path / "apt").mkdir()
    for name, text in STAND_INS.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for group in ("one", "two"):
        (tmp_path / "apt" / f"{group}.txt").write_text(f"package-{group}\n")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    running = [
        subprocess.Popen([script, group], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
        for group in ("one", "two")
    ]
    assert [process.wait() for process in running] == [0, 0]
    installed = (tmp_path / "installed").read_text().splitlines()
    assert sorted(line.split()[-1] for line in installed) == ["package-one", "package-two"]
