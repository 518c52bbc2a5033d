# SPDX-License-Identifier: BSD-2-Clause
"""Texts of DynamoRIO's clients: three forms of the same accesses."""

import pytest
from litemrc.errors import UserError

from tests.host.traces.recorder_samples import SAMPLES, read

OLD_VIEW = """\
Output format:
<record#>: T<tid> <record details>
------------------------------------------------------------
        1: T17 <marker: version 4>
        2: T17 ifetch       3 byte(s) @ 0x0000000000402680 f3 48 a5             rep movsq
        3: T17 read         8 byte(s) @ 0x00007f8881e37ffc by PC 0x0000000000402680
        4: T17 pref         1 byte(s) @ 0x00007f8881e39000 by PC 0x0000000000402680
        5: T17 write        8 byte(s) @ 0x00007f8881e37a70 by PC 0x0000000000402680
"""


def written(folder, text: str):
    path = folder / "t.drmemtrace"
    path.write_text(text)
    return path


def test_view_and_memtrace_simple_of_the_same_accesses_are_the_same_trace() -> None:
    simple, _ = read(SAMPLES / "memtrace_simple.memtrace")
    view, notes = read(SAMPLES / "view.drmemtrace")
    assert simple.pages.tolist() == view.pages.tolist() and len(view) == 82
    assert simple.writes.tolist() == view.writes.tolist()
    assert simple.times.tolist() == view.times.tolist() and view.times[-1] == 26  # instructions of the sample
    assert (simple.contexts, set(view.contexts.tolist()), notes) == (None, {0}, [])


def test_memtrace_x86_has_the_data_accesses_of_view() -> None:
    data, _ = read(SAMPLES / "memtrace_x86.memtrace")
    view, _ = read(SAMPLES / "view.drmemtrace")
    fetch = [False] * len(view)
    times = [0, *view.times.tolist()]
    for index in range(len(view)):
        fetch[index] = times[index + 1] > times[index]
    assert data.pages.tolist() == [
        page for page, code in zip(view.pages.tolist(), fetch, strict=True) if not code
    ]
    assert (data.times, data.contexts) == (None, None)


def test_older_view_is_read_and_other_records_are_counted(tmp_path) -> None:
    chunk, notes = read(written(tmp_path, OLD_VIEW))
    # The read of 8 bytes at ..7ffc is of two pages.
    assert [hex(page) for page in chunk.pages] == ["0x402", "0x7f8881e37", "0x7f8881e38", "0x7f8881e37"]
    assert chunk.writes.tolist() == [False, False, False, True]
    assert (chunk.contexts, notes) == (None, ["records of kind pref, left out: 1"])


def test_the_size_of_a_page_may_be_chosen(tmp_path) -> None:
    chunk, _ = read(written(tmp_path, OLD_VIEW), page_bytes=1 << 20)
    assert [hex(page) for page in chunk.pages] == ["0x4", "0x7f8881e", "0x7f8881e", "0x7f8881e"][: len(chunk)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "no text of DynamoRIO"),
        ("Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>\n0x1: 8, r\n0xg: 8, r\n", "line 3"),
        (
            "Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>\n0x1,r,8,0x9\n0x1,x,8,1\n",
            "line 3",
        ),
        ("Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>\n0x1,r,8\n", "no column 4"),
        ("Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>\n0x1: 2000000, r\n", "2000000 bytes"),
        (
            "Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>\n0x1,r,2000000,0x9\n",
            "size '2000000' is not a number from 1 to 1048576",
        ),
    ],
)
def test_malformed_texts_are_refused_with_their_place(tmp_path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(written(tmp_path, text))
