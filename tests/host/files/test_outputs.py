"""Output files are checked before the work and replaced when complete."""

import pytest
from litemrc.errors import UserError
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
