# SPDX-License-Identifier: BSD-2-Clause
"""Draws and records the page of `litemrc serve --demo` until each program has run: `make results-demo`."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from litemrc.cli.device.serve_demo import demo_runs
from playwright.sync_api import sync_playwright

from scripts.docs.serve_recorded import RECORDING

REPO = Path(__file__).parents[2]
SIZE = {"width": 1120, "height": 900}  # as wide as the documentation shows it without loss
TIMEOUT_MS = 900_000  # all programs in turn on two cores take three minutes


def main() -> None:
    """Serve for as long as it takes, then draw."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--out", type=Path, default=REPO / "docs" / "serve-page.png")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as history:
        command = ["litemrc", "serve", "--demo", "--no-open", "--listen", "127.0.0.1:0", "--history", history]
        server = subprocess.Popen(command, cwd=REPO, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            url = next(line.strip() for line in server.stdout if line.startswith("http://"))
            draw(url, args.out)
        finally:
            server.terminate()
            server.wait()
        shutil.rmtree(RECORDING, ignore_errors=True)
        shutil.copytree(history, RECORDING, ignore=shutil.ignore_patterns("open"))


def draw(url: str, path: Path) -> None:
    """Wait until each program has a curve, and draw the whole page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(url)
        page.get_by_role("radio", name="100", exact=True).first.check()
        page.locator("#contexts tbody tr").nth(len(demo_runs()) - 1).wait_for()
        page.wait_for_timeout(13_000)  # epochs of the last program, and slower parts of the page
        page.screenshot(path=path, full_page=True)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
