"""`litemrc simulate placement` as a user meets it: arguments, output, files and an exit code."""

import json
from pathlib import Path

import pytest
from litemrc.cli.main import main

from tests.host.in_process import Done, litemrc

SAMPLE = Path(__file__).parents[4] / "host/litemrc_studies/panwar2015/tests/data/compile.kmem.xz"
SMALL = ("--memory", "256M", "--banks", "32")
PNG = b"\x89PNG\r\n\x1a\n"
KEYS = {
    *("allocator", "offline_percent", "optimal_percent", "max_offline_percent", "migrated_pages"),
    *("unmovable_banks", "alloc_ns_mean", "alloc_ns_max", "metadata_bytes", "energy_mj"),
}


def run(*arguments: object) -> Done:
    return litemrc("simulate", "placement", *arguments)


def test_json_has_a_result_for_each_allocator_of_a_workload():
    done = run(
        *("--workload", "light", "--ticks", "40", "--allocator", "buddy,bank-array,bank-list,adaptive"),
        *(*SMALL, "--migrate-every", "10", "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    got = json.loads(done.stdout)
    results = {result["allocator"]: result for result in got["results"]}
    assert list(results) == ["buddy", "bank-array", "bank-list", "adaptive"]
    for result in results.values():
        assert set(result) >= KEYS
        assert 0 <= result["offline_percent"] <= result["max_offline_percent"] <= 100
        assert result["offline_percent"] <= result["optimal_percent"]
        assert 0 < result["energy_mj"] < result["awake_energy_mj"]
        assert 0 < result["alloc_ns_mean"] <= result["alloc_ns_max"]
    assert results["buddy"]["migrated_pages"] == 0
    assert results["adaptive"]["offline_percent"] > results["buddy"]["offline_percent"]
    assert (got["ticks"], got["banks"], got["memory_bytes"]) == (40, 32, 256 << 20)


def test_a_recording_runs_and_says_what_it_does_not_know(tmp_path):
    plot, banks = tmp_path / "time.png", tmp_path / "map.svg"
    done = run(
        *(SAMPLE, "--memory", "64M", "--banks", "16", "--allocator", "buddy,adaptive"),
        *("--plot", plot, "--plot-map", banks),
    )
    assert done.returncode == 0
    assert "70 frees of blocks allocated before the recording" in done.stderr
    assert "adaptive" in done.stdout
    assert plot.read_bytes().startswith(PNG)
    assert "<svg" in banks.read_text()


@pytest.mark.parametrize(
    ("workload", "ticks"),
    [
        (("--workload", "light", "--ticks", "4"), 2),  # of a second
        (("--workload", "compile", "--files", "20"), 20),  # of 0.1 s
        ((SAMPLE,), 200),  # of 10 ms
        ((SAMPLE, "--tick-ms", "5000"), 1),
    ],
)
def test_migration_is_every_two_seconds_whatever_a_tick_is(workload, ticks, capsys):
    line = [*map(str, workload), "--allocator", "adaptive", "--memory", "64M", "--banks", "16", "--json"]
    assert main(["simulate", "placement", *line]) == 0
    assert json.loads(capsys.readouterr().out)["migrate_every"] == ticks


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no workload is given"),
        (("--workload", "light", "--footprint", "1:2:3"), "more than one workload"),
        (("--workload", "heavy"), "invalid choice: 'heavy'"),
        (("--footprint", "50:40:60"), "mean footprint, 40%"),
        (("--footprint", "10:20"), "LOW:MEAN:HIGH"),
        (("--workload", "light", "--allocator", "buddy,slab"), "no allocator is named 'slab'"),
        (("--workload", "light", "--memory", "3G5"), "must be a number of pages, or bytes with a unit"),
        (("--workload", "light", "--memory", "5M"), "5,242,880 bytes"),
        (("--workload", "light", "--memory", "64M", "--banks", "17"), "17 banks"),
        (("--workload", "light", *SMALL, "--interleave", "4K"), "needs blocks that lie in one bank"),
        (("--workload", "light", "--part", "ddr9"), "ddr9"),
        (("--workload", "light", "--low-state", "nap"), "no low state 'nap'"),
        (("--workload", "light", "--migrate-below", "0"), "number from 1 to 100"),
        (("--workload", "light", "--plot", "x.pdf"), "must end in .png or .svg"),
        (("nowhere.txt",), "cannot read: No such file"),
    ],
)
def test_bad_arguments_are_refused_with_what_to_do(arguments, said, capsys):
    try:
        code = main(["simulate", "placement", *arguments])
    except SystemExit as ended:  # argparse
        code = ended.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_a_broken_recording_is_refused_with_its_line(tmp_path):
    path = tmp_path / "broken.txt"
    path.write_text(
        "# tracer: nop\n x-1 [000] ..... 1.5: mm_page_alloc: page=1 pfn=0x3 order=1 migratetype=1\n"
    )
    done = run(path)
    assert done.returncode == 2
    assert f"{path}:2" in done.stderr
