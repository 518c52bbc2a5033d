# SPDX-License-Identifier: BSD-2-Clause
"""The public names of `litemrc`: typed, imported when they are first used, and no more."""

import inspect
import subprocess
import sys
from importlib import resources

import litemrc
import litemrc_studies
import pytest

HEAVY = ("numpy", "pyarrow", "matplotlib", "pandas", "serial", "rich", "jinja2")


def loaded_by(program: str) -> set[str]:
    """Modules that are loaded after `program` ran in a new interpreter."""
    program += "\nimport sys; sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def run_command(*arguments: str) -> str:
    return f"""
from litemrc.cli.main import main
try:
    main({list(arguments)!r})
except SystemExit:
    pass
"""


def test_every_public_name_is_there():
    for name in litemrc.__all__:
        assert getattr(litemrc, name) is not None
        assert name in dir(litemrc)
    assert dir(litemrc) == sorted(litemrc.__all__)
    assert litemrc.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        litemrc.nothing  # noqa: B018 (the access is the test)


def test_the_package_has_no_public_name_beside_its_api():
    found = subprocess.run(
        [sys.executable, "-c", "import litemrc, litemrc_studies as s; print(*vars(litemrc), *vars(s))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [name for name in found.stdout.split() if not name.startswith("_")] == []
    assert dir(litemrc_studies) == sorted(litemrc_studies.__all__)
    assert all(getattr(litemrc_studies, name) for name in litemrc_studies.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        litemrc_studies.nothing  # noqa: B018 (the access is the test)


FUNCTIONS = [
    "allocate",
    "collect",
    "compare",
    "heatmap",
    "hot",
    "mrc",
    "mrc_by_context",
    "mrc_windows",
    "read",
    "write_trace",
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_of_a_function_names_types_briefly(name):
    signature = str(inspect.signature(getattr(litemrc, name)))
    assert "numpy." not in signature and "litemrc." not in signature.replace("litemrc.curves.curve", "")


def test_the_package_says_that_it_is_typed():
    assert (resources.files("litemrc") / "py.typed").is_file()


def test_importing_the_package_loads_nothing_heavy():
    loaded = loaded_by("import litemrc")
    assert not loaded.intersection(HEAVY)
    assert {name for name in loaded if name.startswith("litemrc.")} == set()


def test_a_curve_of_numbers_loads_neither_device_nor_pictures():
    loaded = loaded_by("import litemrc\nlitemrc.mrc([1, 3, 1, 1])")
    assert not loaded.intersection(("serial", "matplotlib", "pandas", "rich", "jinja2"))
    assert not {
        name for name in loaded if name.startswith(("litemrc.device", "litemrc.plots", "litemrc.cli"))
    }


def test_a_plot_without_axes_is_one_of_pyplot():
    program = "import litemrc, matplotlib\nmatplotlib.use('agg')\n"
    program += (
        "line = litemrc.mrc([1, 3, 1, 1]).plot().lines[0]\nassert line.get_ydata().tolist() == [0.75, 0.5]"
    )
    assert "matplotlib.pyplot" in loaded_by(program)


def test_help_of_mrc_loads_neither_device_nor_pictures_nor_arrow():
    loaded = loaded_by(run_command("mrc", "--help"))
    assert "litemrc.cli.curves.mrc" in loaded
    assert not loaded.intersection(("pyarrow", "matplotlib", "serial", "pandas", "jinja2"))
    assert not {name for name in loaded if name.startswith(("litemrc.device", "litemrc.plots"))}


def test_hot_pages_of_a_trace_need_no_device(tmp_path):
    trace = tmp_path / "trace.txt"
    trace.write_text("0x1000\n0x2000\n" * 50)
    loaded = loaded_by(run_command("hot", str(trace)))
    assert "litemrc.native.hot_pages" in loaded  # the trace was counted
    assert not loaded.intersection(("serial", "websockets"))
