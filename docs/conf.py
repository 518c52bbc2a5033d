# SPDX-License-Identifier: BSD-2-Clause
"""The documentation site (`make docs`): the repository's Markdown pages and the API of both packages.

Sphinx reads the repository itself: pages keep their paths, and one link works on GitHub, in editors and here.
"""

import re
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

REPO = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPO)]
from scripts.docs.markdown_links import page_of  # noqa: E402

project = "LiteMRC"
copyright = "the LiteMRC authors, BSD 2-Clause"
root_doc = "README"
extensions = ["myst_parser", "sphinx_argparse_cli"]
suppress_warnings = ["toc.not_included"]  # a folder's README is reached by links
exclude_patterns = ["build", ".*"]

_PAGES = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
include_patterns = subprocess.run(
    _PAGES, cwd=REPO, check=True, capture_output=True, text=True
).stdout.splitlines()

myst_heading_anchors = 4

html_theme = "furo"
html_title = "LiteMRC"
html_copy_source = False
html_show_sourcelink = False

PARTS = {
    "Tutorial": """
        A first hour <docs/first-hour>
        docs/tutorial/trace
        docs/tutorial/simulated-board
        docs/tutorial/renode
        docs/tutorial/real-board""",
    "How-to": """
        Install <docs/install>
        Programs in QEMU <docs/qemu>
        Measure and compare curves <docs/mrc>
        Curves of large traces <docs/cluster>
        Hot pages <docs/hot-pages>
        Bandwidth of the DRAM <docs/bandwidth>
        Heat maps <docs/heatmap>
        Live on the terminal <docs/live>
        Devices over HTTP <docs/serve>
        Divide memory by curves <docs/allocation>
        Govern a device <docs/govern>
        Curves beyond the memory <docs/evicted>
        Put ranks to sleep <docs/ranks>
        Empty a rank under Linux <docs/ranks-linux>
        Replicate remote pages <docs/remote_pages>
        Follow Linux processes <docs/linux>
        Linux on VexRiscv-SMP <docs/linux-on-litex>
        Accessed bits for Linux <docs/accessed>
        The tracker without hardware <docs/os-tracker>
        Test in Renode <docs/renode>
        Build for a board <docs/boards/README>
        Contribute <CONTRIBUTING>""",
    "Reference": """
        All pages <docs/README>
        Commands <docs/commands>
        Python API <docs/reference/host>
        Gateware API <docs/reference/gateware>
        Stock targets <docs/targets>
        Bridges of LiteX <docs/bridges>
        Two harts <docs/smp>
        Registers <docs/registers>
        Engines <docs/engines>
        Formal proofs <docs/formal>
        Energy model <docs/energy>
        Linux driver files <firmware/linux/ABI>
        What 1.0 promises <docs/stability>
        Changes <CHANGELOG>""",
    "Results": """
        All figures <docs/results/measured>
        DAMON beside the truth <docs/damon-truth>
        Zhou et al. 2004 <host/litemrc_studies/zhou2004/page>
        Glass and Cao 1997 <host/litemrc_studies/glass1997/page>
        Reference counters <host/litemrc_studies/reference_counters/page>
        Panwar and Gopinath 2015 <host/litemrc_studies/panwar2015/page>
        Jantz et al. 2013 <host/litemrc_studies/jantz2013/page>""",
    "Studies": """
        Simulate several programs <host/litemrc_studies/zhou2004/multiprogram>
        Simulate memory chips that sleep <host/litemrc_studies/zhou2004/chip_energy>
        Simulate colors and trays <host/litemrc_studies/jantz2013/trays>
        Sweep parameters on a cluster <host/litemrc_studies/sweeps/README>""",
}


_RECORDED = "docs/serve-demo.html"  # of the site
_PICTURE = re.compile(r"^\[!\[[^\]]*\]\(docs/curves\.svg\)\]\(docs/serve\.md[^)]*\)$", re.MULTILINE)
_FRAME = f"""\
```{{raw}} html
<iframe src="{_RECORDED}" title="A recording of litemrc serve"
        style="width: 100%; height: 48rem; border: 0"></iframe>
<p><a href="{_RECORDED}">The recording on a page of its own</a>, with DRAM traffic and pages accessed</p>
```"""


def setup(app: Sphinx) -> None:
    app.connect("source-read", _prepare)
    app.connect("build-finished", _record)


def _record(app: Sphinx, error: Exception | None) -> None:
    """Write the page that the first page shows in its frame."""
    from scripts.docs.serve_recorded import write_page

    if error is None:
        write_page(Path(app.outdir) / _RECORDED)


def _prepare(app: Sphinx, name: str, source: list[str]) -> None:
    """Name the README in links to folders; put the navigation below the first page."""
    folder = (REPO / name).parent

    def named(link: re.Match[str]) -> str:
        path = link[1].rstrip("/")
        return f"]({path}/README.md{link[2]})" if page_of(folder / path) != folder / path else link[0]

    source[0] = re.sub(r"\]\(([^():#\s]+)((?:#[^()\s]*)?)\)", named, source[0])
    if name == root_doc:
        source[0], found = _PICTURE.subn(_FRAME, source[0])
        if found != 1:
            raise ValueError(f"{name}.md: the picture that {_RECORDED} replaces is not there")
        for caption, pages in PARTS.items():
            lines = "\n".join(line.strip() for line in pages.splitlines())
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n{lines}\n```\n"
