# SPDX-License-Identifier: BSD-2-Clause
"""The page size of a trace: stored with it, used by every command, never guessed where it is known."""

import json
from pathlib import Path

import litemrc
import numpy as np
import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc.traces import Chunk, open_trace
from litemrc.traces.opening import WriteOptions, create_trace

SUFFIXES = (".parquet", ".txt", ".txt.gz", ".oracleGeneral", ".inout", ".inout.zst")


def written(path: Path, page_bytes: int = 1024) -> Path:
    with create_trace(path, options=WriteOptions(page_bytes, "cycles", interval=10)) as writer:
        pages = np.array([1, 2, 3, 1, 2, 3], np.uint64)
        writer.write(Chunk(pages, np.zeros(6, bool), np.arange(6, dtype=np.uint64)))
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_that_is_written_carries_its_page_size(tmp_path, suffix):
    with open_trace(written(tmp_path / f"t{suffix}")) as trace:
        assert (trace.page_bytes, trace.stored_page_bytes) == (1024, 1024)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_page_size_that_contradicts_the_file_is_an_error_that_names_both(tmp_path, suffix):
    path = written(tmp_path / f"t{suffix}")
    with pytest.raises(UserError, match=r"2048 bytes .* 1024 bytes") as error:
        open_trace(path, page_bytes=2048)
    assert error.value.where == str(path)
    with open_trace(path, page_bytes=1024) as trace:
        assert trace.page_bytes == 1024


@pytest.mark.parametrize("text", ["1\n2\n", "# a comment\n1\n"])
def test_a_text_without_a_page_size_takes_the_one_asked_for(tmp_path, text):
    path = tmp_path / "t.txt"
    path.write_text(text)
    for wanted, size in ((None, 4096), (512, 512)):
        with open_trace(path, page_bytes=wanted) as trace:
            assert (trace.page_bytes, trace.stored_page_bytes) == (size, None)


@pytest.mark.parametrize("size", ["0", "-4096", "1000", "4k", "x", str(1 << 80)])
def test_a_damaged_page_size_is_an_error_with_its_place(tmp_path, size):
    text, inout = tmp_path / "t.txt", tmp_path / "t.inout"
    text.write_text(f"# from a machine\n# page_bytes {size}\n1\n")
    inout.write_text(f"interval 10 page_bytes {size}\n")
    for path, line in ((text, 2), (inout, 1)):
        with pytest.raises(UserError, match=r"page_bytes is") as error:
            open_trace(path)
        assert error.value.where == f"{path}, line {line}"


def test_objects_of_varying_size_are_no_page_size(tmp_path):
    records = np.zeros(3, [("time", "<u4"), ("page", "<u8"), ("size", "<u4"), ("next", "<i8")])
    records["size"] = (512, 4096, 70000)
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(records.tobytes())
    with open_trace(path) as trace:
        assert len(list(trace)) == 1 and trace.stored_page_bytes is None
        assert trace.notes == ["objects have 512 to 70,000 bytes; a curve by pages counts each as one"]


@pytest.mark.parametrize("size, said", [(1, False), (300, True), (4096, False)])
def test_objects_of_one_size_that_is_not_the_page_size_are_noted(tmp_path, size, said):
    records = np.zeros(2, [("time", "<u4"), ("page", "<u8"), ("size", "<u4"), ("next", "<i8")])
    records["size"] = size
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(records.tobytes())
    with open_trace(path) as trace:
        list(trace)
        assert trace.page_bytes == 4096
        assert (
            trace.notes
            == [f"all objects have {size} bytes; a curve by pages counts each as one page of 4,096 bytes"]
            * said
        )


def test_commands_use_the_page_size_of_the_file(tmp_path, capsys):
    path = written(tmp_path / "t.parquet")  # 3 pages of 1 KiB
    assert main(["trace", "info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page_bytes"] == 1024
    assert main(["trace", "info", str(path)]) == 0
    assert "3 (3 KiB)" in capsys.readouterr().out
    assert main(["mrc", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page_bytes"] == 1024
    assert main(["mrc", str(path)]) == 0
    assert "3 KiB" in capsys.readouterr().out
    assert main(["replace", str(path), "--memory", "2", "--policy", "lru"]) == 0
    assert "2 KiB" in capsys.readouterr().out
    assert litemrc.mrc(path).page_bytes == 1024
    assert main(["trace", "convert", str(path), "-o", str(tmp_path / "u.txt")]) == 0
    assert (tmp_path / "u.txt").read_text().startswith("# page_bytes 1024\n")


@pytest.mark.parametrize("command", [["mrc"], ["trace", "info"], ["replace", "--memory", "2"]])
def test_an_option_that_contradicts_the_file_ends_with_exit_code_2(tmp_path, capsys, command):
    path = written(tmp_path / "t.parquet")
    assert main([*command, str(path), "--page-size", "4k"]) == 2
    message = capsys.readouterr().err
    assert "4096" in message and "1024" in message and str(path) in message


def test_programs_with_pages_of_several_sizes_share_no_memory(tmp_path, capsys):
    paths = [str(written(tmp_path / f"{size}.parquet", size)) for size in (1024, 4096)]
    assert main(["replace", *paths, "--global", "--memory", "4", "--policy", "lru"]) == 2
    assert "1024" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["mrc"], ["trace", "info"], ["replace", "--memory", "2"]])
def test_stdin_is_read_as_a_file_is(tmp_path, capsys, monkeypatch, command):
    path = written(tmp_path / "t.txt.gz")
    with path.open("rb") as stdin:
        monkeypatch.setattr("litemrc.traces.formats.streams._STDIN", stdin.fileno())
        assert main([*command, "-", "--format", "text", "--json"]) == 0
    piped = json.loads(capsys.readouterr().out)
    assert main([*command, str(path), "--json"]) == 0
    named = json.loads(capsys.readouterr().out)
    for shown in (piped, named):
        shown.pop("trace", None)
        shown.pop("name", None)
    assert piped == named


def test_stdin_without_a_format_is_an_error(capsys):
    assert main(["mrc", "-"]) == 2
    assert "--format" in capsys.readouterr().err


def test_a_format_that_seeks_refuses_stdin(capsys):
    assert main(["trace", "info", "-", "--format", "parquet"]) == 2
    assert "stdin" in capsys.readouterr().err
