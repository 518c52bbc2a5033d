# SPDX-License-Identifier: BSD-2-Clause
"""The table of docs/evicted.md is what the machine finds."""

from pathlib import Path

from scripts.docs import ratchet

PAGE = Path(__file__).parents[2] / "docs" / "evicted.md"


def test_the_table_of_the_page_is_up_to_date():
    found = PAGE.read_text("utf-8").partition("<!-- table ratchet -->\n")[2].partition("\n<!-- end -->")[0]
    assert found == ratchet.table(ratchet.ratchet()), "run: python -m scripts.docs.ratchet"
