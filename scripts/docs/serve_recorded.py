# SPDX-License-Identifier: BSD-2-Clause
"""Writes a recording of `litemrc serve --demo` as one page that needs no server: `make docs`.

    python -m scripts.docs.serve_recorded --out build/recorded.html

The page is that of the server, unchanged; `recorded.js` answers its requests from the recording, which is a
history of the server that `scripts.docs.serve_picture` writes.
"""

import argparse
import json
import re
import shutil
import sys
import tempfile
from base64 import b64encode
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from litemrc.cli.device.serve_demo import DEMO
from litemrc.serve.api.routes import JSON_EPOCHS, LATEST
from litemrc.serve.epoch_json import DIGITS, context_records, epoch_record, parameters_record
from litemrc.serve.kept import KeptEpochs
from litemrc.serve.page import page_files

REPO = Path(__file__).parents[2]
RECORDING = REPO / "docs" / "serve-demo"
_HERE = Path(__file__).parent
_MODULE = re.compile(r'(from|import) "\./')  # a module of a data: URL has no folder
_NOTE = """\
<p class="recording"><strong>A recording</strong> of <code>litemrc serve --demo</code> on {date}:
{epochs} epochs of the simulated SoC arrive again. Drag the handles of <em>History</em> to see any of them.
No server answers: no CSV or Parquet, no control. <a href="serve.html" target="_top">How to serve a device</a>
<button type="button" onclick="location.reload()">Play again</button></p>
"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--out", type=Path, required=True)
    write_page(parser.parse_args().out)


def write_page(path: Path) -> None:
    """Write the page of the recording; it loads no other file."""
    recorded = answers(RECORDING)
    files = page_files()
    modules = {name: file.read_text("utf-8") for name, file in files.items() if name.endswith(".js")}
    plotly = modules.pop("plotly.js")
    page = files["index.html"].read_text("utf-8")
    style = files["style.css"].read_text("utf-8") + (_HERE / "recorded.css").read_text("utf-8")
    note = _NOTE.format(epochs=len(recorded["epochs"]), date=day_of(recorded["epochs"][0]))
    for old, new in {
        '<link rel="stylesheet" href="/static/style.css">': f"<style>{style}</style>",
        '<script src="/static/plotly.js" defer></script>': f"<script>{plotly}</script>",
        '<script type="module" src="/static/main.js"></script>': scripts(recorded, modules),
        '<p id="status" role="status" aria-live="polite">Waiting for the server.</p>': (
            f'{note}<p id="status" role="status" aria-live="polite"></p>'
        ),
        ' · <a href="/docs">API</a> · <a href="/metrics">metrics</a>': "",
    }.items():
        before, found, after = page.partition(old)
        if not found or old in after:
            raise ValueError(f"index.html must have once: {old}")
        page = before + new + after
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, "utf-8")


def answers(folder: Path, device: str = DEMO) -> dict[str, Any]:
    """Return what the server would answer of a history: the device, and all its epochs."""
    with tempfile.TemporaryDirectory() as copied:  # a history is opened for writing
        shutil.copytree(folder, copied, dirs_exist_ok=True)
        kept = KeptEpochs(Path(copied), device, None, print)
        found = kept.epochs(0, LATEST, JSON_EPOCHS, damages := [], lambda rows: None)
        extent = kept.extent
        kept.close()
    if damages or not found:
        raise ValueError(f"{folder}: {damages or 'no epochs'}")
    seconds = found[-1][1].arrived - found[0][1].arrived
    described = {
        "name": device,
        "labels": {},
        "connected": True,
        "failure": None,
        "rate": (len(found) - 1) / seconds,
        "idle_s": 0,
        "epochs": len(found),
        "sessions": 1,
        "history": vars(extent),
        "parameters": parameters_record(found[0][0]),
    }
    epochs = [
        epoch_record(device, parameters, epoch) | {"contexts": context_records(parameters, epoch)}
        for parameters, epoch in found
    ]
    return {"device": described, "version": version("litemrc"), "digits": DIGITS, "epochs": epochs}


def scripts(recorded: dict[str, Any], modules: dict[str, str]) -> str:
    """Return the recording, what answers from it, and the page's modules, which no file:// imports."""
    data = json.dumps(recorded, separators=(",", ":")).replace("<", r"\u003c")
    urls = {name: _data_url(_MODULE.sub(r'\1 "', text)) for name, text in modules.items()}
    return "\n".join(
        [
            f'<script type="application/json" id="recording">{data}</script>',
            '<script>document.documentElement.classList.toggle("embedded", self !== top);</script>',
            f"<script>{(_HERE / 'recorded.js').read_text('utf-8')}</script>",
            f'<script type="importmap">{json.dumps({"imports": urls})}</script>',
            '<script type="module">import "main.js";</script>',
        ]
    )


def _data_url(module: str) -> str:
    return f"data:text/javascript;base64,{b64encode(module.encode()).decode()}"


def day_of(epoch: dict[str, Any]) -> str:
    """Return the day on which an epoch arrived."""
    return datetime.fromtimestamp(epoch["arrived"], UTC).date().isoformat()


if __name__ == "__main__":
    sys.exit(main())
