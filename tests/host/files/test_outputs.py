# SPDX-License-Identifier: BSD-2-Clause
"""Output files are checked before the work and replaced when complete; links, pipes, and full disks."""

import os
import threading

import pytest
from litemrc.errors import OutputError, UserError
from litemrc.files.outputs import check_output_path, replacing


@pytest.mark.parametrize(
    ("name", "suffixes", "why"),
    [
        ("a.png", (".png", ".svg"), None),
        ("a.SVG", (".png", ".svg"), None),
        ("a.txt", (), None),
        ("a.txt", (".png", ".svg"), "must end in .png or .svg"),
        ("folder", (), "is a folder"),
        ("none/a.txt", (), "no such folder"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_the_work(tmp_path, name, suffixes, why):
    (tmp_path / "folder").mkdir()
    if why is None:
        assert check_output_path(str(tmp_path / name), suffixes) == tmp_path / name
        return
    with pytest.raises(UserError, match=why):
        check_output_path(tmp_path / name, suffixes)


def test_a_folder_without_permission_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("litemrc.files.outputs.os.access", lambda *_: False)
    with pytest.raises(UserError, match="the folder cannot be written"):
        check_output_path(tmp_path / "a.txt")


def test_a_file_is_replaced_when_complete_and_kept_otherwise(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(KeyError), replacing(path) as partial:
        partial.write_text("half")
        raise KeyError
    with pytest.raises(UserError, match="cannot write: no reason given") as refused, replacing(path):
        raise OSError("no reason given")
    assert refused.value.where == str(path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with replacing(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_a_full_disk_keeps_the_file_and_leaves_no_partial_one(tmp_path):
    file = tmp_path / "result"
    file.write_text("old")
    with pytest.raises(OutputError, match="No space left") as caught, replacing(file) as partial:
        partial.write_text("new")
        raise OSError(28, "No space left on device")

    assert caught.value.exit_code == 1 and caught.value.where == str(file)
    assert os.listdir(tmp_path) == ["result"] and file.read_text() == "old"


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/result")
    with replacing(link) as partial:
        partial.write_text("new")

    assert link.is_symlink()
    assert (tmp_path / "folder/result").read_text() == "new"


def test_a_pipe_is_written_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    with replacing(pipe) as direct:
        direct.write_text("new")
    reader.join()

    assert received == ["new"] and pipe.is_fifo()


def test_a_name_that_is_too_long_is_refused_before_the_work(tmp_path):
    with pytest.raises(UserError, match="cannot write: File name too long") as caught:
        check_output_path(tmp_path / ("x" * 300))

    assert caught.value.exit_code == 2 and caught.value.remedy
