# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc curve` as a user meets it: a process with arguments, two output streams and an exit code."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc.cli import main as cli
from litemrc.cli.curves.curve import json_object
from litemrc.epochs.files import write_epochs
from litemrc.epochs.processes import Owner
from litemrc.errors import UserError

from tests.timeouts import scaled_timeout

COMMAND = [sys.executable, "-m", "litemrc.cli.main"]


@pytest.fixture
def file(tmp_path: Path, epoch_table) -> Path:
    path = tmp_path / "curves.parquet"
    write_epochs(path, epoch_table)
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=scaled_timeout(60)
    )


def test_json_is_one_object_and_nothing_else(file):
    done = run("curve", file, "--context", 1, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    # zipf: 20 + 12 accesses, hits 16 8 2 0: 1 - 16/32, 1 - 24/32, 1 - 26/32.
    assert json.loads(done.stdout) == {
        "context": 1,
        "processes": [],
        "accesses": 32,
        "misses": 6,
        "dropped": 7,
        "outside": 0,
        "unsampled": 0,
        "scale_log2": 0,
        "page_bytes": 4096,
        "resolution_pages": 16,
        "sizes_pages": [16, 32, 48, 64],
        "miss_ratio": [0.5, 0.25, 0.1875, 0.1875],
        "epochs": [0, 1, 2],
        "working_set_pages": [9, 7, 0],
        "tail": None,
    }


def test_json_without_a_context_sums_the_contexts(file):
    curve = json.loads(run("curve", file, "--json").stdout)
    # hits 16 16 2 0 of 42 accesses
    assert (curve["context"], curve["accesses"], curve["misses"], curve["dropped"]) == (None, 42, 8, 7)
    assert curve["miss_ratio"] == [26 / 42, 10 / 42, 8 / 42, 8 / 42]


def test_the_only_context_with_data_is_taken(file):
    curve = json.loads(run("curve", file, "--from", 1, "--json").stdout)
    assert (curve["context"], curve["accesses"]) == (1, 12)


def test_json_stays_pure_beside_a_plot_and_a_warning(tmp_path, epoch_table):
    write_epochs(tmp_path / "t.parquet", replace(epoch_table, interrupted=True, overflow=[True] * 4))
    done = run("curve", tmp_path / "t.parquet", "--json", "--plot", tmp_path / "t.svg")
    assert done.returncode == 0
    assert json.loads(done.stdout)["accesses"] == 42
    assert "interrupted" in done.stderr and "approximate" in done.stderr
    assert "memory size" in (tmp_path / "t.svg").read_text()


def test_a_ratio_of_no_accesses_is_null_in_json(epoch_table):
    idle = epoch_table.between(2, 3)
    assert json_object(idle, [Owner(1)])["miss_ratio"] == [None] * 4


def test_json_of_a_sampled_table_is_in_pages_of_the_memory(tmp_path, sampled_table):
    write_epochs(tmp_path / "t.parquet", sampled_table)
    curve = json.loads(run("curve", tmp_path / "t.parquet", "--context", "loop", "--json").stdout)
    assert (curve["accesses"], curve["outside"], curve["unsampled"], curve["scale_log2"]) == (10, 11, 70, 2)
    assert curve["sizes_pages"] == [16, 32, 48, 64]
    assert (curve["epochs"], curve["working_set_pages"]) == ([0], [2 * 4])


def test_sampled_counts_are_marked_and_all_accesses_reported(tmp_path, sampled_table):
    write_epochs(tmp_path / "t.parquet", sampled_table)
    said = run("curve", tmp_path / "t.parquet").stdout
    assert "sampled: 1 page of 4 is monitored" in said
    # 16 pages: 4 are monitored, give or take the root of 16 x 1/4 x 3/4 = 3, so 1.96 x 3^0.5 / 4 = 85 %.
    assert "error of sizes by sampling (95 %, binomial): 85 % at 64 KiB" in said.replace("85%", "85 %")
    assert "116 accesses in all: 30 counted, 70 to pages not sampled, 11 out of range, 5 dropped" in said


def test_epochs_of_different_sampling_are_refused_and_named(tmp_path, epoch_table):
    write_epochs(tmp_path / "t.parquet", replace(epoch_table, scale_log2=[0, 0, 0, 1]))
    done = run("curve", tmp_path / "t.parquet")
    assert done.returncode == 2
    assert "the sampling rate changed" in done.stderr
    assert "0 to 1 sample 1 page of 1, 2 to 2 sample 1 page of 2" in done.stderr
    assert run("curve", tmp_path / "t.parquet", "--to", 1).returncode == 0


def test_a_context_may_be_named(file):
    assert json.loads(run("curve", file, "--context", "loop", "--json").stdout)["context"] == 2


def test_the_table_lists_all_contexts(file):
    done = run("curve", file)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    # All reuse: zipf hit up to group 2, loop up to group 1, of 64 KiB each. Working set: zipf touched 9, 7
    # and 0 pages of 4 KiB, which is 64/3 KiB on the average; loop 4.
    zipf = next(line for line in lines if line[1:2] == ["zipf"])
    assert zipf[:5] == ["1", "zipf", "32", "6", "7"]
    assert zipf[-6:] == ["192", "KiB", "21.3", "KiB", "36", "KiB"]
    loop = next(line for line in lines if line[1:2] == ["loop"])
    assert loop[-6:] == ["128", "KiB", "16", "KiB", "16", "KiB"]


def test_names_are_no_markup(tmp_path, epoch_table):
    write_epochs(tmp_path / "t.parquet", replace(epoch_table, context_names={1: "[bold]a[/i]"}))
    assert "1 [bold]a[/i]" in run("curve", tmp_path / "t.parquet").stdout


def test_the_table_of_one_context_has_its_curve(file):
    assert "█" in run("curve", file, "--context", 1).stdout


def test_a_range_of_epochs_includes_both_ends(file):
    # zipf: 20 accesses in epoch 0, 12 in epoch 1, none in epoch 2.
    for first, last, accesses in ((0, 0, 20), (0, 1, 32), (1, 2, 12)):
        done = run("curve", file, "--context", 1, "--from", first, "--to", last, "--json")
        assert json.loads(done.stdout)["accesses"] == accesses


def test_csv_has_a_row_for_each_owner_and_size(file):
    lines = run("curve", file, "--csv").stdout.splitlines()
    assert lines[0] == "name,pages,memory_bytes,miss_ratio"
    assert lines[1:3] == ["zipf,16,65536,0.5", "zipf,32,131072,0.25"]
    assert len(lines) == 1 + 2 * 4 and lines[5] == "loop,16,65536,1.0"


def test_what_was_printed_survives_a_picture_that_fails(file, tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise UserError("the disk is full")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    assert cli.main(["curve", str(file), "--json", "--plot", str(tmp_path / "a.png")]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["accesses"] == 42 and "the disk is full" in printed.err


def test_a_picture_is_drawn(file, tmp_path):
    done = run("curve", file, "--plot", tmp_path / "curve.png")
    assert done.returncode == 0
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--context", "7"], "context 7 has no data"),
        (["--context", "nobody"], "contexts with data: 1 (zipf), 2 (loop)"),
        (["--from", "5"], "the file holds epochs 0 to 2"),
        (["--from", "2"], "no context counted an access"),
        (["--from", "x"], "must be the number of an epoch"),
        (["--from", "1", "--to", "0"], "holds no epoch"),
        (["--csv"], "not allowed with argument"),
        (["--plot", "curve.pdf"], "must end in .png or .svg"),
        (["--plot", "no/such/folder/curve.png"], "no such folder"),
        (["--no-such-option"], "unrecognized arguments"),
    ],
)
def test_bad_arguments_exit_with_2_and_say_why(file, arguments, complaint):
    done = run("curve", file, *arguments, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and "Traceback" not in done.stderr


def test_a_bad_file_exits_with_2_and_says_where(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x10
    file.write_bytes(content)
    done = run("curve", file, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "litemrc: error: the file is damaged" in done.stderr
    assert f"where:  {file}" in done.stderr and "remedy: " in done.stderr


def test_a_reader_that_leaves_is_one_line_and_exit_code_1(file):
    process = subprocess.Popen([*COMMAND, "curve", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr.read() == b"litemrc: error: cannot write to standard output: Broken pipe\n"
    process.stderr.close()


def test_a_terminal_without_unicode_gets_its_table(file):
    environment = {"PYTHONIOENCODING": "ascii", "PATH": ""}
    done = subprocess.run(
        [*COMMAND, "curve", file], capture_output=True, text=True, env=environment, timeout=scaled_timeout(60)
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_interruption_exits_with_130(monkeypatch, capsys):
    def interrupt(args):
        raise KeyboardInterrupt

    monkeypatch.setattr("litemrc.cli.curves.curve.main", interrupt)
    assert cli.main(["curve", "any.parquet"]) == cli.EXIT_INTERRUPTED == 130
    assert capsys.readouterr().err == "litemrc: interrupted\n"


def test_help_names_all_commands_and_loads_none():
    code = (
        "import contextlib, sys\nfrom litemrc.cli.main import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])\n"
        "sys.exit('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=scaled_timeout(60)
    )
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("demo", "collect", "curve", "device"))


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["curve"]])
def test_incomplete_commands_exit_with_2(arguments):
    assert run(*arguments).returncode == 2


@pytest.fixture
def tail_file(tmp_path: Path, tail_table) -> Path:
    path = tmp_path / "tail.parquet"
    write_epochs(path, tail_table)
    return path


def printed(capsys, *arguments: object) -> str:
    assert cli.main(["curve", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_json_has_the_curve_beyond_the_memory_and_what_was_evicted(tail_file, capsys):
    curve = json.loads(printed(capsys, tail_file, "--process", "sort", "--json"))
    # 60 accesses, hits 28 2 0 0 without evictions, refaults 0 0 6 10 8; 30, 40 and 44 pages resident.
    assert curve["sizes_pages"] == [16, 32, 48, 64, 80]
    assert curve["miss_ratio"] == [32 / 60, 30 / 60, 24 / 60, 14 / 60, 6 / 60]
    assert (curve["accesses"], curve["misses"]) == (60, 6)
    assert curve["tail"] == {
        "refaults": 24,
        "unidentified": 4,
        "resident_pages": 38.0,
        "resident_least": 30,
        "resident_most": 44,
        "evicted_pages": 30.0,
        "open_refaults": 0,
    }


def test_no_tail_shows_the_hardware_alone(tail_file, capsys):
    curve = json.loads(printed(capsys, tail_file, "--process", "sort", "--json", "--no-tail"))
    assert (curve["sizes_pages"], curve["misses"], curve["tail"]) == ([16, 32, 48, 64], 30, None)
    said = printed(capsys, tail_file, "--process", "sort", "--no-tail")
    assert "refaults" not in said and "evicted" not in said


def test_the_table_says_what_was_resident_and_what_not_identified(tail_file, capsys):
    said = printed(capsys, tail_file)
    lines = [line.split() for line in said.splitlines()]
    sort = next(line for line in lines if line[1:2] == ["sort"])
    assert sort[4:6] == ["60", "6"] and sort[-3:] == ["152", "KiB", "24"]  # 38 pages of 4 KiB
    assert next(line for line in lines if line[1:2] == ["kernel"])[-2:] == ["-", "-"]
    assert "resident at the ends of epochs: sort (pid 57): 120 KiB to 176 KiB" in said
    assert "4 evictions or refaults not identified: such refaults remain misses" in said
    assert "may need more memory" not in said


def test_a_line_separates_resident_from_evicted_sizes(tail_file, capsys):
    """38 pages lie in the third of 5 groups: columns 0 to 25 of 64 show 16 and 32 pages."""
    lines = printed(capsys, tail_file, "--process", "sort").splitlines()
    assert lines[-1] == f"{'resident ':>{5 + 26}}┊ evicted"
    assert all(line[5 + 26] in "┊┴" for line in lines[-11:-2])
    several = printed(capsys, tail_file).splitlines()
    assert several[-1].split() == ["┊", "resident", "|", "evicted"]
    assert next(line for line in several if line.startswith("sort (pid 57)")).index("┊") == 14 + 26


def test_a_damaged_tail_is_a_warning(tmp_path, tail_table, capsys):
    write_epochs(tmp_path / "t.parquet", replace(tail_table, resident=[7, 30, 40, 44]))
    assert cli.main(["curve", str(tmp_path / "t.parquet"), "--json"]) == 0
    assert "the tail is damaged: epoch 0, context 0" in capsys.readouterr().err


def test_refaults_at_the_largest_size_are_noted(tmp_path, tail_table, capsys):
    """4 groups: a tail has 8, and the last counts all that is deeper."""
    write_epochs(tmp_path / "t.parquet", replace(tail_table, tail=[[0] * 8, [0] * 7 + [5], [0] * 8, [0] * 8]))
    assert "5 refaults at the largest size may need more memory" in printed(capsys, tmp_path / "t.parquet")
