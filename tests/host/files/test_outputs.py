"""Output files are checked before the work and replaced when complete; scenarios are found by name."""

from pathlib import Path

import litemrc
import pytest
from litemrc.errors import UserError
from litemrc.files import scenarios
from litemrc.files.outputs import check_output_path, replacing
from litemrc.files.scenarios import scenario_path

PACKAGE = Path(litemrc.__file__).resolve().parent
SHIPPED = Path(__file__).resolve().parents[3] / "scenarios"


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


def test_a_scenario_is_a_file_or_a_shipped_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").touch()
    for text, found in (
        ("mine", Path("mine")),
        ("apache_gcc", SHIPPED / "apache_gcc.toml"),
        ("trays/fop", SHIPPED / "trays/fop.toml"),
        ("none", Path("none")),
        ("/apache_gcc", Path("/apache_gcc")),
    ):
        assert scenario_path(text) == found
    (tmp_path / "apache_gcc.toml").touch()
    assert (scenarios._INSTALLED.name, scenarios._INSTALLED.parent) == ("scenarios", PACKAGE)
    monkeypatch.setattr(scenarios, "_INSTALLED", tmp_path)
    assert scenario_path("apache_gcc") == tmp_path / "apache_gcc.toml"
