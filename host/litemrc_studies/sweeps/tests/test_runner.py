# SPDX-License-Identifier: BSD-2-Clause
"""Points on Dask's workers: all of them, once, whatever happens to a worker."""

import os
import signal
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from litemrc.cluster.scheduler import open_client
from litemrc.errors import UserError
from litemrc_studies.sweeps.point import Input, Point, input_of
from litemrc_studies.sweeps.runner import Runner
from litemrc_studies.sweeps.tests import sweep_functions

from tests.timeouts import Deadline

HERE = str(Path(__file__).parent)


@pytest.fixture(scope="module")
def client():
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = HERE  # workers import sweep_functions
    try:
        with open_client(None, workers=2, say=lambda text: None) as opened:
            yield opened
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


@pytest.fixture(autouse=True)
def build_of_the_tests(monkeypatch):
    monkeypatch.setattr("litemrc_studies.sweeps.runner.build", lambda: sweep_functions.BUILD)


def points(count, *further):
    return [(f"key{n}", Point(n, {"n": n}, (str(n), *further))) for n in range(count)]


def outcomes(client, function, some):
    found = [outcome for several in Runner(client, "test", function, some).outcomes() for outcome in several]
    assert len({outcome.key for outcome in found}) == len(found)
    return {outcome.key: outcome for outcome in found}


def test_each_point_runs_once_with_its_rows_and_notes(client):
    found = outcomes(client, sweep_functions.doubled, points(300, "a note"))
    assert set(found) == {f"key{n}" for n in range(300)}
    assert all(found[f"key{n}"].rows == [{"twice": 2 * n}] for n in range(300))
    assert {(outcome.error, *outcome.notes) for outcome in found.values()} == {("", "a note")}


def test_a_point_that_fails_has_its_reason_and_the_others_go_on(client):
    found = outcomes(client, sweep_functions.refused, points(7))
    assert [found[f"key{n}"].error for n in range(7)] == [
        "", "x: 1 is odd", "", "x: 3 is odd", "ZeroDivisionError: division by zero", "x: 5 is odd", "",
    ]  # fmt: skip
    assert found["key6"].rows == [{"half": 3, "inverse": 0.5}]


def test_workers_killed_in_the_middle_change_no_result(client, tmp_path):
    some = points(60, str(tmp_path))
    found, killed = {}, set()
    deadline = Deadline(60)
    with closing(Runner(client, "test", sweep_functions.slow, some).outcomes()) as running:
        for several in running:
            assert not deadline.passed
            found |= {outcome.key: outcome.rows for outcome in several}
            if len(found) >= 8 * (len(killed) + 1) and len(killed) < 3:
                pid = next(iter(set(client.run(os.getpid).values()) - killed))
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
    assert len(killed) == 3
    assert found == {f"key{n}": [{"twice": 2 * n}] for n in range(60)}
    # Points that a killed worker was in the middle of ran again, in another process.
    runs = Counter(file.stem for file in tmp_path.iterdir())
    assert len(runs) == 60 and sum(runs.values()) > 60


def test_a_point_that_kills_each_worker_fails_and_the_others_do_not(client):
    found = outcomes(client, sweep_functions.deadly, points(12))
    failed = {key: outcome.error for key, outcome in found.items() if outcome.error}
    assert failed == {"key3": "its worker process died each time it ran, as when memory is short"}
    assert all(found[f"key{n}"].rows == [{"twice": 2 * n}] for n in range(12) if n != 3)


def test_a_worker_whose_file_differs_does_not_run_the_point(client, tmp_path):
    file = tmp_path / "trace"
    file.write_text("here")
    same = input_of(str(file))
    other = Input(str(file), 4, "0" * 16)
    missing = Input(str(tmp_path / "missing"), 4, "0" * 16)
    some = [(f"key{n}", Point(n, {}, ("1",), (each,))) for n, each in enumerate((same, other, missing))]
    found = outcomes(client, sweep_functions.doubled, some)
    assert [found[f"key{n}"].error for n in range(3)] == [
        "", f"{file} differs from the file that the sweep was started with", "",
    ]  # fmt: skip


def test_another_litemrc_on_a_worker_ends_the_sweep(client, monkeypatch):
    monkeypatch.setattr("litemrc_studies.sweeps.runner.build", lambda: "0.9.0+feed")
    with pytest.raises(UserError, match=r"a worker has LiteMRC .* started with 0\.9\.0\+feed"):
        outcomes(client, sweep_functions.doubled, points(3))


def test_a_worker_without_the_function_ends_the_sweep(client, monkeypatch):
    module = type(sweep_functions)("nowhere")
    exec("def function(arguments): pass", module.__dict__)
    monkeypatch.setitem(sys.modules, "nowhere", module)
    with pytest.raises(UserError, match="a worker cannot run LiteMRC: ModuleNotFoundError"):
        outcomes(client, module.function, points(1))
