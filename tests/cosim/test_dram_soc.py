# SPDX-License-Identifier: BSD-2-Clause
"""The DDR3 model as a simulation module of LiteX, behind soc.add_sdram with two ranks."""

import json
import os
import subprocess
import sys

import numpy
import pytest

from tests.cosim.builder import COSIM
from tests.products import BUILD, REPO, alone_in
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.cosim

NRANKS = 2
WORDS = (1 << 16) // 16  # of the tested 64 KB
SIMULATION = REPO / "litex-soc" / "litemrc_soc" / "simulation"
SOURCES = (
    COSIM / "dram_soc.py",
    SIMULATION / "ddr3.py",
    SIMULATION / "compile.py",
    SIMULATION / "verilated.py",
)


@pytest.fixture(scope="module")
def simulator():
    """The folder in which the simulator runs."""
    folder = BUILD / "dram_soc"
    program = folder / "gateware" / "obj_dir" / "Vsim"
    soc = REPO / "litex-soc"
    model = [*(soc / "ddr3_model").rglob("*.hpp"), *(soc / "sim_modules/ddr3").iterdir()]
    with alone_in(folder):
        newest = max(path.stat().st_mtime_ns for path in [*SOURCES, *model])
        if not program.exists() or program.stat().st_mtime_ns < newest:
            environment = {**os.environ, "PYTHONPATH": str(REPO)}
            command = [sys.executable, COSIM / "dram_soc.py", folder, str(NRANKS)]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            assert done.returncode == 0, done.stdout + done.stderr
    return program.parents[1]


def simulate(simulator, folder, **arguments):
    """Run the simulator in a separate folder, with some arguments of the module changed."""
    config = json.loads((simulator / "sim_config.js").read_text())
    (module,) = [entry for entry in config if entry.get("module") == "ddr3"]
    module["args"].update(arguments)
    (folder / "sim_config.js").write_text(json.dumps(config))
    for entry in simulator.iterdir():
        if entry.name == "modules" or entry.suffix == ".init":
            (folder / entry.name).symlink_to(entry)
    return subprocess.run(
        [simulator / "obj_dir" / "Vsim"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=scaled_timeout(60),
    )


def test_litedrams_self_test_passes_over_the_border_of_two_ranks(simulator, tmp_path):
    said = simulate(simulator, tmp_path).stdout
    assert "errors 0\n" in said
    assert f"seen {2 * WORDS}\n" in said, "the pads that report accesses"
    report = json.loads((tmp_path / "ddr3.json").read_text())
    assert report["device"] == report["lost_reads"] == report["undriven_reads"] == 0
    assert report["reads"] == report["writes"] == WORDS


def test_the_record_of_commands_holds_every_access_and_the_mark(simulator, tmp_path):
    simulate(simulator, tmp_path)
    record = numpy.load(tmp_path / "ddr3.npy")
    reads, writes = record[record["command"] == 5], record[record["command"] == 4]
    assert len(reads) == len(writes) == WORDS
    for rows in (reads, writes):  # half of the words lie in each rank
        assert list(numpy.bincount(rows["rank"])) == [WORDS // 2, WORDS // 2]
        assert numpy.all(numpy.diff(rows["clock"].astype(numpy.int64)) > 0)
    (mark,) = record[record["command"] == 8]
    assert writes["clock"].max() < mark["clock"] < reads["clock"].min() + 10
    report = json.loads((tmp_path / "ddr3.json").read_text())
    assert record["clock"].max() < report["clocks"]
    refreshes = record[record["command"] == 1]
    assert report["clocks"] // 782 * NRANKS <= len(refreshes) <= (report["clocks"] // 782 + 1) * NRANKS


def test_chips_that_refresh_longer_are_not_kept_to(simulator, tmp_path):
    # LiteDRAM waits 160 ns and its margin for these; a chip of 8 Gbit wants 350.
    simulate(simulator, tmp_path, gigabits=8)
    report = json.loads((tmp_path / "ddr3.json").read_text())
    assert set(report["broken"]) == {"tRFC"} and report["device"] == report["broken"]["tRFC"] > 0
    first = report["violations"][0]
    assert first["rule"] == "tRFC" and first["class"] == "device" and first["ps"] == first["clock"] * 2500


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"grade": "900X"}, "got 900X"),
        ({"map": "none"}, "no address map none"),
        ({"contents": {"0x0": "missing.bin"}}, "cannot read missing.bin"),
        ({"contents": {"0x1ffffffc": "sim_config.js"}}, "contents end beyond the DRAM"),  # 512 MB
        ({"address_bits": 10}, "12 to 16 (got 10)"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(simulator, tmp_path, arguments, said):
    done = simulate(simulator, tmp_path, **arguments)
    assert done.returncode != 0 and said in done.stderr
