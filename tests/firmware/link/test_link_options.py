# SPDX-License-Identifier: BSD-2-Clause
"""Device commands have the options of all commands: sizes with units, -o, --json, --csv, -q."""

import csv
import io
import json

import pytest
from litemrc.cli.device import process
from litemrc.cli.main import main
from litemrc.epochs.files import read_epochs

from tests.host.in_process import litemrc


def csv_rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_collect_prints_one_object_and_nothing_else(start_peer, tmp_path):
    out = tmp_path / "curves.parquet"
    url = start_peer(epochs=500, period_ms=2).url
    done = litemrc("collect", "--port", url, "--epochs", 5, "-o", out, "--json", "-q")

    assert (done.returncode, done.stderr) == (0, "")
    saved = json.loads(done.stdout)
    link = saved.pop("link")
    assert saved == {
        "out": str(out), "rows": 10, "interrupted": False, "epochs": 5, "requested_epochs": 5, "ranks": None,
        "traffic": None, "pages": None, "hot": None,
    }  # fmt: skip
    assert link["epoch_messages_lost"] == 0 and link["frames"] > 10
    assert read_epochs(out).epoch.size == 10


@pytest.mark.parametrize(("size", "pages"), [("200", 200), ("800k", 200), ("1M", 256), ("none", None)])
def test_a_budget_is_pages_or_bytes_with_a_unit(start_peer, monkeypatch, capsys, size, pages):
    asked = []
    monkeypatch.setattr(process, "set_budget", lambda device, *budget: asked.append(budget))
    assert main(["process", "--port", start_peer(system=1).url, "--budget", f"3={size}", "--csv"]) == 0

    assert asked == [(3, pages)]
    rows = csv_rows(capsys.readouterr().out)
    assert list(rows[0]) == ["context", "state", "pid", "comm", "used_pages", "budget_pages"]
    assert [row["context"] for row in rows] == list("01234567")


@pytest.mark.parametrize("option", ["--budget", "--reclaim"])
def test_a_budget_of_half_a_page_is_refused(start_peer, option):
    done = litemrc("process", "--port", start_peer(system=1).url, option, "1=6k")

    assert done.returncode == 2
    assert "6k is not a whole number of pages of 4096 bytes" in done.stderr
    assert f"where:  {option}" in done.stderr


def budgets(log):
    return [json.loads(line)["budgets_pages"] for line in log.read_text().splitlines()]


def test_memory_to_govern_in_bytes_equals_that_in_pages(start_peer, tmp_path):
    """Pages of the peer have 4 KiB: 1,024 pages are 4 MiB, and 128 pages are 512 KiB."""
    found = []
    for memory, minimum in (("1024", "128"), ("4M", "512k")):
        log = tmp_path / f"{memory}.jsonl"
        arguments = ("--memory", memory, "--minimum", minimum, "--run", "zipf:3:4", "--log", log, "--csv")
        done = litemrc("govern", "--port", start_peer(tasks=1, period_ms=50).url, *arguments)
        assert done.returncode == 0, done.stderr
        found.append(set(map(str, budgets(log))))
        rows = csv_rows(done.stdout)
        assert {"context", "faults", "references"} <= set(rows[0])

    assert found[0] & found[1]


@pytest.mark.parametrize(
    ("option", "size"), [("--memory", "6k"), ("--minimum", "6k"), ("--minimum", "4097k")]
)
def test_half_a_page_is_not_governed(start_peer, option, size):
    done = litemrc("govern", "--port", start_peer(tasks=1).url, option, size)

    assert done.returncode == 2
    assert f"{size} is not a whole number of pages of 4096 bytes" in done.stderr
    assert f"where:  {option}" in done.stderr


@pytest.mark.parametrize("option", ["--epsilon", "--lease", "--reconnect"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e9", ""])
def test_numbers_without_meaning_are_refused(option, value, capsys):
    with pytest.raises(SystemExit) as end:
        main(["govern", "--port", "loop://", f"{option}={value}"])

    assert end.value.code == 2
    assert "must be a number from 0 to" in capsys.readouterr().err


def test_counters_of_pages_are_a_table_in_csv(start_peer):
    done = litemrc("refcounters", "--port", start_peer(refs=1).url, "read", "4:5", "--csv")

    assert done.returncode == 0, done.stderr
    assert done.stdout == "page,delay,update\n4,0,0\n5,0,0\n"
