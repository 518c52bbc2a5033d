"""Output files that are links or pipes, disks that are full, and names that no file can have."""

import os
import threading

import pytest
from litemrc.errors import OutputError, UserError
from litemrc.files.outputs import check_output_path, replacing


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
