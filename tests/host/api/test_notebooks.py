"""The notebooks of examples/ run from their first cell to their last, and are kept without outputs."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
SIMULATOR = ROOT / "build/sim/gateware/obj_dir/Vsim"
FIRMWARE = ROOT / "build/firmware/firmware.bin"
CELL_TIMEOUT_S = 1200


def executed(name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text each code cell answered; an error in a cell raises."""
    monkeypatch.setenv("LITEMRC_BUILD", str(ROOT / "build"))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    NotebookClient(
        notebook, timeout=CELL_TIMEOUT_S, resources={"metadata": {"path": os.fspath(EXAMPLES)}}
    ).execute()
    return [
        "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(not cell.outputs and cell.execution_count is None for cell in cells)


def test_the_trace_notebook_runs(monkeypatch):
    answers = executed("trace.ipynb", monkeypatch)
    # The loop of 4,096 pages, 20 times: 4,096 cold misses of 81,920 references, all others at distance 4,096.
    assert answers[3].endswith(f"4096, 1.0, {4096 / 81920})")
    assert float(answers[-1]) < 0.05


@pytest.mark.soc
@pytest.mark.skipif(
    not (SIMULATOR.exists() and FIRMWARE.exists()), reason="no simulator: run make sim firmware"
)
def test_the_device_notebook_runs(monkeypatch):
    answers = executed("simulated_device.ipynb", monkeypatch)
    assert "socket://localhost:" in answers[1]
    assert "programs:" in answers[2] and "zipf" in answers[2]
    assert "'loop': (" in answers[4] and "'zipf': (" in answers[4]
