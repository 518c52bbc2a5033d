# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc hot`: its JSON, its table, and what it refuses."""

import json

import pytest

from tests.host.in_process import litemrc

# 3 accesses to page 7, 2 to page 9, 1 to page 8; then an epoch of 2 accesses.
PAGES = [7, 7, 9, 8, 9, 7, 8, 8]


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "pages.txt"
    path.write_text("".join(f"{page}\n" for page in PAGES))
    return path


def test_json_lists_the_pages_of_each_epoch_with_exact_counts_beside(trace):
    done = litemrc("hot", trace, "--epoch", 6, "--k", 2, "--threshold", 1, "--exact", "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    flags = {"saturated": False}
    assert found["epochs"] == [
        {"pages": [[7, 3], [9, 2]], "accesses": 6, "more": True, "exact": [[7, 3], [9, 2]], "recall": 1.0}
        | flags,
        {"pages": [[8, 2]], "accesses": 2, "more": False, "exact": [[8, 2]], "recall": 1.0} | flags,
    ]
    assert found["engine"]["frames"] == 1 << 20
    assert not found["interrupted"]


def test_the_table_says_where_no_page_is_hot(trace):
    lines = litemrc("hot", trace, "--epoch", 6, "--threshold", 4, "--exact", "--quiet").stdout.splitlines()
    assert [line.split()[-3:] for line in lines[1:3]] == [["none", "is", "hot"]] * 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--k", "0"], "--k"),
        (["--k", "1025"], "1 to 1024"),
        (["--frames", "4096"], "choose frames 8192"),
        (["--sample", "16"], "0 to 15"),
        (["--only", "writes"], "does not say which references are writes"),
        (["--context", "1"], "no contexts"),
    ],
)
def test_what_cannot_be_counted_is_refused(trace, options, said):
    done = litemrc("hot", trace, *options)
    assert done.returncode == 2
    assert said in done.stderr and done.stdout == ""
