# SPDX-License-Identifier: BSD-2-Clause
"""Formats of other tools: .npy, dinero, LCS, vscsi, CSV of object stores; recognised texts; --sort."""

import os
import struct

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces import open_trace

from tests.host.in_process import litemrc


def written(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def columns(path, **options):
    """Return the columns of a trace as lists, and its notes."""
    with open_trace(path, **options) as trace:
        chunks = list(trace)
    names = ("pages", "writes", "times", "contexts", "sizes")
    found = {}
    for name in names:
        parts = [getattr(chunk, name) for chunk in chunks]
        found[name] = None if parts[0] is None else np.concatenate(parts).tolist()
    return found, trace.notes


def saved(folder, array):
    np.save(folder / "t.npy", array)
    return folder / "t.npy"


@pytest.mark.parametrize("kind", ["u1", "<i8", ">u4", "u8"])
def test_npy_arrays_of_any_whole_type_are_pages(tmp_path, kind):
    found, _ = columns(saved(tmp_path, np.array([3, 1, 2], kind)))
    assert found["pages"] == [3, 1, 2] and found["times"] is None


def test_npy_fields_are_columns_and_addresses_become_pages(tmp_path):
    array = np.array([(5, 4090, 8, True), (6, 0, 1, False)], "u8,u8,u4,?")
    array.dtype.names = ("time", "addr", "size", "rw")
    found, _ = columns(saved(tmp_path, array))
    # The first access has bytes 4090 to 4097: pages 0 and 1.
    assert found["pages"] == [0, 1, 0] and found["times"] == [5, 5, 6]
    assert found["writes"] == [True, True, False]
    found, _ = columns(saved(tmp_path, np.array([8192, 0])), columns="address")
    assert found["pages"] == [2, 0]


def test_npy_files_that_are_none_are_refused(tmp_path):
    path = saved(tmp_path, np.arange(9))
    whole = path.read_bytes()
    cases = {
        whole[:-3]: "the last record has 5 of 8 bytes",
        whole[:-8]: "states 9 elements, the file has only 8",
        whole + bytes(8): "states 9 elements, the file has more",
        b"\x93NUMPY": "no .npy file",
        whole.replace(b"(9,)", b"(9,9,9)"[:4]): "no .npy file",
    }
    for content, message in cases.items():
        path.write_bytes(content)
        with pytest.raises(UserError, match=message):
            columns(path)
    for array, message in [
        (np.array([1.5]), "type float64"),
        (np.array([1, -1]), "element 1: page -1 must be from 0"),
        (np.zeros((2, 2), int), "has shape"),
        (np.array([{}], object), "Python objects"),
    ]:
        with pytest.raises(UserError, match=message):
            columns(saved(tmp_path, array))


def test_dinero_in_both_forms(tmp_path):
    found, notes = columns(written(tmp_path, "t.din", "2 1000\n0 2fff\n1 0x3000\n4 0\n2 1004\n"))
    assert found["pages"] == [1, 2, 3, 1] and found["writes"] == [False, False, True, False]
    assert found["times"] == [1, 1, 1, 2] and notes == ["records that are no accesses, left out: 1"]
    found, _ = columns(written(tmp_path, "t.din", "i 1000 4\nw 1ff8 10\n"))  # 0x10 bytes cross a border
    assert found["pages"] == [1, 1, 2] and found["writes"] == [False, True, True]
    with pytest.raises(UserError, match="line 2: 'q 5' is not a line of Dinero"):
        columns(written(tmp_path, "t.din", "r 5\nq 5\n"))


LCS = {1: "<IQIq", 2: "<IQIIq", 3: "<IQqIIq", 4: "<IQqIIqI", 8: "<IQqIIq16I"}


def lcs(version, rows, requests=None, magic=0x123456789ABCDEF0):
    """Pack rows of time, object, size, op, tenant as libCacheSim's lcs.h describes them."""
    header = struct.pack("<QQqq", magic, version, 1, len(rows) if requests is None else requests)
    body = b""
    for time, page, size, op, tenant in rows:
        both = [op | tenant << 8] if version > 1 else []
        ttl = [7] if version > 2 else []
        rest = [9] * {4: 1, 8: 16}.get(version, 0)
        body += struct.pack(LCS[version], time, page, size, *both, *ttl, -1, *rest)
    return header.ljust(8184, b"\0") + struct.pack("<Q", 0x123456789ABCDEF0) + body


@pytest.mark.parametrize("version", LCS)
def test_lcs_of_each_version(tmp_path, version):
    rows = [(1, 2**63 + 5, 4096, 1, 0), (2, 7, 100, 3, 2), (2, 8, 0, 13, 2)]
    found, notes = columns(written(tmp_path, "t.lcs", lcs(version, rows)))
    assert found["pages"] == [2**63 + 5, 7, 8] and found["times"] == [1, 2, 2]
    assert found["sizes"] == [4096, 100, 0] and notes == []
    if version > 1:  # get is a read; set and write are writes
        assert found["writes"] == [False, True, True] and found["contexts"] == [0, 2, 2]


def test_lcs_files_that_are_none_are_refused(tmp_path):
    row = (1, 2, 3, 0, 0)
    for content, message in [
        (b"", "no LCS trace"),
        (lcs(1, [row], magic=5), "no LCS trace"),
        (lcs(3, [row])[:8] + bytes([99]) + lcs(3, [row])[9:], "version 99 of LCS is unknown"),
        (lcs(3, [(1, 2, 1 << 33, 0, 0)]), "an object has 8589934592 bytes"),
        (lcs(1, [row])[:-1], "the last record has 23 of 24 bytes"),
        (lcs(1, [row, (0, 2, 3, 0, 0)]), "byte 8216: time 0 comes after time 1"),
    ]:
        with pytest.raises(UserError, match=message):
            columns(written(tmp_path, "t.lcs", content))
    _, notes = columns(written(tmp_path, "t.lcs", lcs(1, [row], requests=10**18)))
    assert notes == [f"the header states {10**18:,} requests; the file has 1"]


def test_vscsi_of_both_versions(tmp_path):
    first = struct.pack("<IIIHHQQ", 0, 512, 1, 0x28, 0x100, 77, 1000)
    second = struct.pack("<IIIHHQQ", 1, 4096, 1, 0x2A, 0x100, 78, 2000)
    found, _ = columns(written(tmp_path, "t.vscsi", first + second))
    assert found == {
        "pages": [77, 78],
        "writes": [False, True],
        "times": [1000, 2000],
        "contexts": None,
        "sizes": [512, 4096],
    }
    records = [
        struct.pack("<HHIIIQQQ", cmd, 0x200, 0, 512, 1, lbn, 5, 1) for cmd, lbn in [(0x88, 1), (0x8A, 2)]
    ]
    found, _ = columns(written(tmp_path, "t.vscsi", b"".join(records)))
    assert found["pages"] == [1, 2] and found["writes"] == [False, True]
    with pytest.raises(UserError, match="neither version 1 nor 2"):
        columns(written(tmp_path, "t.vscsi", bytes(200)))


def test_object_names_are_words_and_headerless_files_name_the_option(tmp_path):
    # Twitter: timestamp, key, key size, value size, client, operation, TTL.
    path = written(
        tmp_path, "t.csv", "0,nz:eeW511,16,100,1,get,0\n1,zO0T,16,5,1,set,0\n1,nz:eeW511,16,1,1,gets,0\n"
    )
    with pytest.raises(UserError, match="--column page=2"):
        columns(path)
    found, notes = columns(path, columns="time=1,page=2,size=4,write=6")
    assert found["pages"][0] == found["pages"][2] != found["pages"][1]
    assert found["writes"] == [False, True, False] and found["sizes"] == [100, 5, 1]
    assert any("hashed" in note for note in notes)
    ibm = written(tmp_path, "ibm.txt", "1 REST.PUT.OBJECT 8d4fcda3d675bac9 1056\n2 REST.GET.OBJECT 8d4f 10\n")
    found, _ = columns(ibm, columns="time=1,write=2,page=3:word,size=4")
    assert found["writes"] == [True, False] and len(set(found["pages"])) == 2


def test_columns_behind_those_that_were_named_may_be_missing(tmp_path):
    """As in IBM's object store traces: size, first and last byte."""
    lines = ["1 REST.PUT.OBJECT a 1056", "2 REST.GET.OBJECT b", "3 REST.GET.OBJECT  a 1056 0 99", "", "# end"]
    text = "".join(line + "\n" for line in lines)
    for path in (
        written(tmp_path, "a.txt", text),
        written(tmp_path, "b.txt", "\n".join(lines[2:3] + lines[:2])),
    ):
        found, _ = columns(path, columns="write=2,page=3:word")
        assert sorted(found["writes"]) == [False, False, True] and len(set(found["pages"])) == 2
    with pytest.raises(UserError, match="line 2: 3 columns in a line of a trace of 4"):
        columns(tmp_path / "a.txt", columns="write=2,page=3:word,size=4")
    assert columns(written(tmp_path, "c.txt", "1 r\n2\n"), columns="page=1")[0]["pages"] == [1, 2]


def test_a_wrong_value_is_named_by_its_column_counted_from_1(tmp_path):
    path = written(tmp_path, "t.csv", "5,1\nx,2\n")
    with pytest.raises(UserError, match="line 2, column 1: the page 'x' is not a number"):
        columns(path, columns="page=1")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (" L 1ffeffe7e,8\nI  04001000,3\n", "lackey"),
        ("==12== Lackey, an example Valgrind tool\nI  04001000,3\n", "lackey"),
        ("touch 12/12 2.000002: 1 mem-loads: 4005d0 a 4005d0\n", "perf"),
        ("r 1000 4\nw 2000 4\n", "dinero"),
        ("interval 5\n0 IN 1\n9 OUT 1\n", "intervals"),
    ],
)
def test_texts_of_recorders_are_recognised_by_their_first_lines(tmp_path, text, form):
    for name in ("t.txt", "t"):
        with open_trace(written(tmp_path, name, text)) as trace:
            assert trace.format == form and form in trace.notes[0]
            assert sum(map(len, trace))


def test_plain_numbers_on_stdin_need_no_format():

    reading, writing = os.pipe()
    os.write(writing, b"1\n2\n1\n")
    os.close(writing)
    saved_stdin = os.dup(0)
    os.dup2(reading, 0)
    try:
        done = litemrc("mrc", "-", "--json")
    finally:
        os.dup2(saved_stdin, 0)
        os.close(saved_stdin)
        os.close(reading)
    assert done.returncode == 0, done.stderr
    assert '"accesses": 3' in done.stdout


def test_times_that_step_back_are_sorted_within_the_window(tmp_path):
    rng = np.random.default_rng(1)
    times = np.arange(5000)
    shuffled = np.argsort(times + rng.integers(0, 50, times.size), kind="stable")
    text = "".join(f"{times[at]} {at} r\n" for at in shuffled)
    path = written(tmp_path, "t.txt", text)
    with pytest.raises(UserError, match="--sort"):
        columns(path)
    found, notes = columns(path, sort=100)
    assert found["pages"] == list(range(5000)) and "sorted by time" in notes[-1]
    late = np.array([(time, 1) for time in [*range(300_000), 0]], [("time", "u8"), ("page", "u8")])
    with pytest.raises(UserError, match="time 0 comes more than 5 references too late"):
        columns(saved(tmp_path, late), sort=5)
    with pytest.raises(UserError, match="no times"):
        columns(written(tmp_path, "u.txt", "1\n2\n"), sort=5)


@pytest.mark.parametrize("name", ["t.csv", "t.oracleGeneral", "t.perf", "t.parquet", "t.npy", "t.lcs"])
def test_each_format_with_times_can_be_sorted(tmp_path, name):
    import pyarrow as pa
    import pyarrow.parquet as pq

    array = np.array([(5, 1), (4, 2)], [("time", "u8"), ("page", "u8")])
    path = tmp_path / name
    if name == "t.parquet":
        pq.write_table(pa.table({"time": array["time"], "page": array["page"]}), path)
    elif name == "t.npy":
        np.save(path, array)
    else:
        contents = {
            "t.csv": b"time,page\n5,1\n4,2\n",
            "t.oracleGeneral": struct.pack("<IQIqIQIq", 5, 1, 1, -1, 4, 2, 1, -1),
            "t.perf": b"1/1 5.000000: 1000 a 4005d0\n1/1 4.000000: 2000 a 4005d0\n",
            "t.lcs": lcs(1, [(5, 1, 1, 0, 0), (4, 2, 1, 0, 0)]),
        }
        path.write_bytes(contents[name])
    with pytest.raises(UserError, match="--sort"):
        columns(path)
    assert columns(path, sort=10)[0]["pages"] == [2, 1]
