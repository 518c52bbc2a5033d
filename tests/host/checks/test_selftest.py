# SPDX-License-Identifier: BSD-2-Clause
"""The self-test passes a ULX3S that counts as computed, and fails for each fault of link, memory, monitor."""

import json

import pytest
from litemrc.checks.selftest import COUNTS, KNOWN
from litemrc.cli.main import main
from litemrc.device.link.link import LinkCounts

from tests.host.scripted_device import ScriptedLink, ack, counted, ended, hello, nak, opened_at, told

BURST = 8  # accesses for 16 bytes of a memory of 16 data lines
PAGES = 512  # 2 MB
GROUP_PAGES = 128
EXPECTED = json.loads(COUNTS.read_text())
ULX3S = {"frames": 8192, "pages": 8192, "groups": 64, "engine": "bucket_stack", "recent_pages": 1}
ULX3S |= {"identifier": "litemrc ulx3s 01234567"}
MATMUL_3 = EXPECTED["monitors"][0]["hits"]["matmul"]["3"]  # in group 3, on the ULX3S
PROGRAMS = ["zipf", *KNOWN, "memtest"]


def counts(pages: int) -> dict[int, int]:
    """Hits of memtest by group: two passes at position `pages`, else 5 x 256 lines a page in group 0."""
    deep = 2 * pages if pages > GROUP_PAGES else 0
    hits = {0: 5 * 256 * BURST * pages - pages - deep}
    return hits | ({(pages - 1) // GROUP_PAGES: deep} if deep else {})


class Board(ScriptedLink):
    """A board whose programs count as they should.

    Attributes
    ----------
    faults
        by program, what changes its misses and hits by group; called with both.
    result
        what memtest logs, for the number of its pages; None: nothing.
    dropped
        accesses dropped in each run. lost: epochs lost on the link in each.
    """

    def __init__(self, **answers) -> None:
        super().__init__(
            **{"hello": self._hello, "echo": lambda payload: ack(payload=payload), "run": self._run} | answers
        )
        self.faults, self.described, self.dropped, self.lost, self._epochs = {}, {}, 0, 0, 0
        self.result = lambda pages: f"memtest: {pages} pages, 0 wrong words, first 0, bits 0x00000000"

    def _hello(self):
        return hello(**ULX3S | self.described, epoch=self._epochs, workloads=PROGRAMS)

    def _run(self, workload: int, context: int, scale: int):
        name = PROGRAMS[workload]
        if name == "memtest":
            misses, hits = 16 * scale, counts(16 * scale)
            log = [self.result(misses)] if self.result else []
        else:
            lines, log = EXPECTED["lines"][name], []
            (of,) = (
                each
                for each in EXPECTED["monitors"]
                if each.items() >= {"frames": 8192, "engine": "bucket_stack"}.items()
            )
            misses, hits = EXPECTED["misses"][name], {int(g): each for g, each in of["hits"][name].items()}
            hits[0] += (BURST - 1) * lines
        misses += self.faults.get(name, lambda hits: 0)(hits)
        self._epochs += self.lost
        row = counted(context, *(hits.get(group, 0) for group in range(64)), misses=misses, touched=misses)
        epoch = ended(self._epochs, row, groups=64, dropped=self.dropped)
        self._epochs += 1
        self.behind["run"] = [
            *(told("log", level="info", line=line) for line in log),
            epoch,
            told("event", kind="workload_done", workload=workload, context=context, epoch=self._epochs),
        ]
        return ack()


@pytest.fixture
def tested(monkeypatch, tmp_path, capsys):
    """tested(link) -> exit code, verdict and detail of each step, what was printed; and the report."""

    def run(link: Board):
        opened_at(link, monkeypatch)
        out = tmp_path / "report.json"
        code = main(["selftest", "--port", "test:", "--memory", "2M", "--board", "ulx3s", "--out", str(out)])
        report = json.loads(out.read_text())
        return code, {step["name"]: step for step in report["steps"]}, capsys.readouterr().out, report

    return run


def verdicts(steps) -> dict[str, str]:
    return {name: step["verdict"] for name, step in steps.items()}


GOOD = dict.fromkeys(("identity", "link", "memory", "monitor", "counts"), "ok")


def test_a_board_that_counts_as_computed_passes(tested) -> None:
    board = Board()
    code, steps, said, report = tested(board)
    assert (code, verdicts(steps)) == (0, GOOD), said
    assert said.endswith("passed\n")
    runs = [(PROGRAMS[each["workload"]], each["scale"]) for name, each in board.sent if name == "run"]
    assert runs[:2] == [("memtest", 1), ("memtest", PAGES // 16)]
    assert runs[2:] == [("memtest", 1), *((name, 1) for name in KNOWN), ("memtest", 1)]
    assert report["board"] == "ulx3s" and report["passed"]
    assert report["hello"]["frames"] == 8192 and "port" not in report
    assert steps["counts"]["measured"]["loop"]["accesses"] == EXPECTED["lines"]["loop"] * BURST


@pytest.mark.parametrize("identifier", ["litemrc ulx3s_v2 01234567", "litemrc arty 01234567", ""])
def test_the_gateware_of_another_board_fails(identifier, tested) -> None:
    board = Board()
    board.described = {"identifier": identifier}
    code, steps, said, _ = tested(board)
    assert (code, steps["identity"]["verdict"]) == (1, "FAILED")
    assert f"calls itself '{identifier}', not litemrc ulx3s" in said


def move(source: int, target: int, count: int = 1):
    """A fault: so many hits are counted in another group; of a program without the first one, none."""

    def fault(hits: dict[int, int]) -> int:
        if hits.get(source, 0) >= count and len(hits) > 1:
            hits[source] -= count
            hits[target] = hits.get(target, 0) + count
        return 0

    return fault


def lose(count: int):
    """A fault: so many hits in group 0 are not counted."""
    return lambda hits: hits.update({0: hits[0] - count}) or 0


@pytest.mark.parametrize(
    ("program", "fault", "step", "why"),
    [
        ("memtest", lambda hits: 1, "monitor", "513 misses, not 512"),
        ("memtest", lose(1), "monitor", "accesses, not 1, 2, 4, 8 or 16 times 655360"),
        ("memtest", move(3, 1), "monitor", "hits in group 1, not in 3"),
        ("memtest", move(3, 5), "monitor", "hits in group 5, not in 3"),
        ("memtest", move(3, 0), "monitor", "1023 hits at position 512, not 1024"),
        ("loop", lambda hits: lose(1)(hits) or 1, "counts", "loop: 1537 misses, not 1536"),
        ("chase", lose(1), "counts", "chase: 637039 accesses"),
        ("chase", lose(EXPECTED["lines"]["chase"] * 4), "counts", "[4, 8] accesses in different programs"),
        ("matmul", move(4, 3), "counts", f"matmul: {MATMUL_3 + 1} hits in group 3, not {MATMUL_3}"),
    ],
)
def test_a_wrong_count_fails_its_step_alone(program, fault, step, why, tested) -> None:
    board = Board()
    board.faults[program] = fault
    code, steps, said, report = tested(board)
    assert (code, verdicts(steps)) == (1, GOOD | {step: "FAILED"})
    assert why in steps[step]["detail"]
    assert said.endswith(f"FAILED: {step}\n") and not report["passed"]


def test_one_group_off_is_allowed_to_the_engine_that_estimates(tested) -> None:
    board = Board()
    board.faults["memtest"] = move(3, 2, 40)
    assert tested(board)[0] == 0


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (
            lambda pages: f"memtest: {pages} pages, 3 wrong words, first 64, bits 0x00000100",
            "the first at offset 0x100",
        ),
        (
            lambda pages: f"memtest: {pages - 16} pages, 0 wrong words, first 0, bits 0x00000000",
            "496 pages tested, not 512",
        ),
        (None, "0 results of memtest"),
    ],
)
def test_memory_that_fails_or_is_not_tested_fails(result, why, tested) -> None:
    board = Board()
    board.result = result
    code, steps, _, _ = tested(board)
    assert code == 1 and steps["memory"]["verdict"] == "FAILED"
    assert why in steps["memory"]["detail"]


def test_an_echo_that_differs_in_one_bit_fails(tested) -> None:
    damaged = lambda payload: ack(payload=payload.replace(b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe"))  # noqa: E731
    code, steps, _, _ = tested(Board(echo=damaged))
    assert (code, verdicts(steps)) == (1, GOOD | {"link": "FAILED"})
    assert "1 of 38 echoes lost or different" in steps["link"]["detail"]


def test_a_damaged_frame_fails_although_every_echo_arrives(tested) -> None:
    def echo(payload: bytes):
        board.counts = LinkCounts(frames=5, lost=3, damaged=1)
        return ack(payload=payload)

    board = Board(echo=echo)
    code, steps, _, _ = tested(board)
    assert (code, steps["link"]["verdict"], steps["link"]["detail"]) == (1, "FAILED", "1 damaged, 1 lost")


@pytest.mark.parametrize(("fault", "why"), [("dropped", " accesses dropped"), ("lost", " epochs lost")])
def test_counts_that_are_not_whole_fail(fault, why, tested) -> None:
    board = Board()
    setattr(board, fault, 1)
    code, steps, _, _ = tested(board)
    assert code == 1
    for name in ("monitor", "counts"):
        assert steps[name]["verdict"] == "FAILED" and why in steps[name]["detail"]


def test_a_device_that_falls_silent_fails_and_the_report_says_where(tested) -> None:
    code, steps, _, _ = tested(Board(set_range=lambda **_: None))
    assert code == 1 and list(verdicts(steps).items())[-1] == ("memory", "FAILED")
    assert "no answer to set_range" in steps["memory"]["detail"]


@pytest.mark.parametrize(
    ("described", "answers", "why"),
    [
        ({"system": "Linux 6.1", "driver": "1"}, {}, "see the console"),
        ({"contexts": 4}, {}, "in 4 contexts"),
        ({}, {"freeze": lambda on: nak("read_only")}, "read_only"),
    ],
)
def test_what_a_device_cannot_do_is_not_done_with_the_reason(described, answers, why, tested) -> None:
    board = Board(**answers)
    board.described = described
    code, steps, said, _ = tested(board)
    assert (code, verdicts(steps)) == (0, GOOD | dict.fromkeys(("memory", "monitor", "counts"), "not done"))
    assert why in steps["memory"]["detail"] and said.endswith("passed, 3 not done\n")


def test_a_monitor_without_recorded_counts_is_compared_as_far_as_possible(tested) -> None:
    board = Board()
    board.described = {"recent_pages": 2}
    code, steps, _, _ = tested(board)
    assert code == 0
    assert "hits by group not compared: no counts of bucket_stack, 8192 frames" in steps["counts"]["detail"]


def test_a_folder_as_report_is_bad_input(tmp_path, capsys) -> None:
    assert main(["selftest", "--port", "test:", "--out", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
