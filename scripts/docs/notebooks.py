# SPDX-License-Identifier: BSD-2-Clause
"""Execute the notebooks of examples/ and keep their outputs: `python -m scripts.docs.notebooks [NAME ...]`.

Needs `make sim firmware` for the simulated device.
"""

import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

REPO = Path(__file__).resolve().parents[2]
EXAMPLES = REPO / "examples"
TIMEOUT_S = 1200  # of a cell


def executed(name: str) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of a run; an error in a cell raises."""
    os.environ["LITEMRC_BUILD"] = str(REPO / "build")
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    place = {"metadata": {"path": os.fspath(EXAMPLES)}}
    NotebookClient(notebook, timeout=TIMEOUT_S, resources=place, record_timing=False).execute()
    notebook.metadata.pop("language_info", None)  # the version of this Python
    return notebook


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what each code cell answered as text, without what differs between runs: ports."""
    answers = (
        "".join(output.get("data", {}).get("text/plain", output.get("text", "")) for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    )
    return [re.sub(r"localhost:\d+", "localhost:PORT", answer) for answer in answers]


def main() -> None:
    """Execute and write the notebooks."""
    for name in sys.argv[1:] or sorted(path.name for path in EXAMPLES.glob("*.ipynb")):
        nbformat.write(executed(name), EXAMPLES / name)


if __name__ == "__main__":
    main()
