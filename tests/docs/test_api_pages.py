# SPDX-License-Identifier: BSD-2-Clause
"""The API pages are what the docstrings say, in Markdown that a forge shows."""

from pathlib import Path

import litemrc
import pytest

from scripts.docs.api_pages import PAGES, filled, markdown

REPO = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_that_of_the_docstrings(name):
    page = (REPO / name).read_text("utf-8")
    assert page == filled(page), "run: python -m scripts.docs.api_pages"
    assert "eval-rst" not in page and "<!-- api: " in page


def test_every_public_name_is_on_the_page():
    page = (REPO / PAGES[0]).read_text("utf-8")
    for name in set(litemrc.__all__) - {"__version__"}:
        assert f"### `litemrc.{name}`" in page


def test_sections_of_both_styles_become_lists():
    google = "Do it.\n\nParameters:\n    a: first\n        line.\n    b, c: others.\n\nRaises:\n    E: never."
    assert markdown(google) == (
        "Do it.\n\n**Parameters**\n\n- `a`: first line.\n- `b, c`: others.\n\n**Raises**\n\n- `E`: never."
    )
    numpy = "Do ``it``.\n\nParameters\n----------\na : int\n    of :class:`~x.Y`.\n\nReturns\n-------\nZ"
    assert markdown(numpy) == "Do `it`.\n\n**Parameters**\n\n- `a`: int; of `x.Y`.\n\n**Returns**\n\n- `Z`"
