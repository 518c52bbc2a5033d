# SPDX-License-Identifier: BSD-2-Clause
"""perf's text: samples printed by perf 6.1, what is left out, and what is refused."""

import pytest
from litemrc.errors import UserError

from tests.host.traces.recorder_samples import SAMPLES, read


def written(folder, text: str):
    path = folder / "t.perf"
    path.write_text(text)
    return path


def test_page_faults_that_perf_recorded_are_references_with_times_and_processes() -> None:
    chunk, notes = read(SAMPLES / "page_faults.perf")
    # The first samples of the file, and the last one.
    assert [hex(page) for page in chunk.pages[:3]] == ["0x561f589d8", "0x7f746ed2f", "0x7ffdac720"]
    assert chunk.times[0] == 14162_663833_000 and set(chunk.contexts.tolist()) == {19648}
    assert len(chunk) == 50 and chunk.writes is None
    assert any("perf samples accesses" in note for note in notes)


def test_the_program_of_the_record_touches_the_pages_that_it_is_written_to_touch() -> None:
    """`touch` first writes pages 0, 4, 8 ... 60 of 64."""
    chunk, _ = read(SAMPLES / "page_faults.perf")
    assert set(range(0x7F746EAC1, 0x7F746EAC1 + 64, 4)) <= set(chunk.pages.tolist())


def test_call_chains_are_skipped() -> None:
    chunk, notes = read(SAMPLES / "call_chains.perf")
    assert [hex(page) for page in chunk.pages] == ["0x560b96c30", "0x7f7fdbf54", "0x7ffe7da0b"]
    assert any("threads, not processes" in note for note in notes)


def test_the_dump_of_perf_mem_is_read_but_for_its_misprinted_line() -> None:
    """perf 6.1 prints the first address with 016 before it."""
    chunk, notes = read(SAMPLES / "mem_report.perf")
    assert [hex(page) for page in chunk.pages[:3]] == ["0x7f746ed2f", "0x7ffdac720", "0x7f746ed15"]
    assert "lines that are no readable samples, left out: 1" in notes


LOADS = """\
# captured on: a header line
a b  7/8 [001] 12.000001: 30 cpu/mem-loads/P:  7f0000001ff8  68100142 |OP LOAD|LVL L1 7 4005d0 f+0x10 (/a)
a b  7/8 [001] 12.000002: 30 cpu/mem-stores/P:  7f0000003000  |OP STORE|LVL L1 hit 4005d4 f+0x14 (/a)
a b  7/8 [001] 12.000003: 30 cpu/mem-loads/P:             0  |OP LOAD|LVL N/A 4005d4 f+0x14 (/a)
a b  7/8 [001] 12.000004: 30 cpu/mem-loads/P:  ffff888000001000  |OP LOAD|LVL N/A ffffffff81000000 f+0x1 ([k])
a b  7/8 [001] 12.000005: 30 cycles:u:  7f0000004000 4005d4 f+0x14 (/a)
not a sample
"""


def test_loads_and_stores_have_directions_and_what_is_left_out_is_counted(tmp_path) -> None:
    chunk, notes = read(written(tmp_path, LOADS))
    assert [hex(page) for page in chunk.pages] == ["0x7f0000001", "0x7f0000003", "0x7f0000004"]
    assert chunk.writes.tolist() == [False, True, False]
    assert chunk.contexts.tolist() == [7, 7, 7]
    assert notes[:4] == [
        "samples with address 0 (unknown), left out: 1",
        "samples with kernel addresses, left out: 1",
        "lines that are no readable samples, left out: 1",
        "samples without a direction, taken as reads: 1",
    ]


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("7f0000001ff8", 0x7F0000001),
        ("  19648 14162.663833219: page-faults:  7f0000001ff8 a ffffffff81752b6a b", 0x7F0000001),
        ("19648 14162.663833:     7f0000001ff8 ffffffff81752b6a", 0x7F0000001),
        ("touch 19648 page-faults:  7f0000001ff8", 0x7F0000001),
    ],
)
def test_any_choice_of_fields_with_an_address_is_read(tmp_path, line: str, page: int) -> None:
    chunk, _ = read(written(tmp_path, line + "\n"))
    assert chunk.pages.tolist() == [page]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("touch 1 2.000001: 1 page-faults:  4005d0 f+0x10 (/a)\n", "line 1: the sample has no address"),
        (
            "1/1 2.000002: 4005d0 a 4005d0\n1/1 2.000001: 4005d0 a 4005d0\n",
            "time 2000001000 ns comes after time 2000002000 ns",
        ),
        ("1/1 2.000002: 4005d0 4005d0\n4005d0\n", "other fields than those before"),
        ("PERFILE2\x01\x02\n", "binary record"),
        ("hello\n", "no sample has an address"),
    ],
)
def test_other_texts_are_refused(tmp_path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        read(written(tmp_path, text))
    assert "perf script -F" in str(error.value) or "sort" in str(error.value)


@pytest.mark.parametrize(
    "line", ["99999999999/1 2.000002: 4005d0 4005d0", "1/1 99999999999.000002: 4005d0 4005d0"]
)
def test_numbers_that_fit_no_column_are_refused(tmp_path, line: str) -> None:
    with pytest.raises(UserError, match="other fields than those before"):
        read(written(tmp_path, f"1/1 2.000001: 4005d0 4005d0\n{line}\n"))
