# SPDX-License-Identifier: BSD-2-Clause
"""Words of the C++'s records: each field has the bits that it has in the record of the gateware."""

import shutil

import pytest
from litemrc_gateware.filter.answer_merge import answer_layout
from litemrc_gateware.records import (
    counted_layout,
    memory_op_layout,
    move_layout,
    op_layout,
    position_layout,
)

from tests.compiling import CXX_FLAGS
from tests.mutation import mutated_source
from tests.products import REPO, run_tool

HLS = REPO / "hls"
# Of the SoC; of different widths; of one bit: (FRAMES, MEMORY_FRAMES, GROUPS, CONTEXTS, RECENT_PAGES).
SIZES = [(8192, 8192, 64, 8, 4), (256, 1024, 16, 4, 3), (8, 16, 8, 1, 1)]
UNPACK = {
    "Op": "unpack_op",
    "Position": "unpack_position",
    "Counted": "unpack_counted",
    "Move": "unpack_move",
    "MemoryOp": "unpack_memory_op",
    "Answer": "unpack_answer",
}
PLACES = {("Counted", name): f"position.{name}" for name in ("kind", "group", "context", "epoch_end")}
RECORDS, FILTER = "common/records.hpp", "page_filter/page_filter.hpp"
# A line of the header, and two of its fields that the mutant exchanges.
MUTANTS = {
    "Op": (RECORDS, "packed<op_word_t>(op.kind,", "op.kind", "op.frame"),
    "Position": (RECORDS, "packed<position_word_t>(position.", "position.group", "position.context"),
    "Counted": (RECORDS, "packed<counted_word_t>(at.kind,", "at.epoch_end", "counted.first_touch"),
    "Move": (RECORDS, "unpack_into(word, move.page,", "move.from_group", "move.to_group"),
    "MemoryOp": (FILTER, "unpack_into(word, op.kind,", "op.write", "op.frozen"),
    "Answer": (FILTER, "packed<answer_word_t>(answer.kind,", "answer.epoch_end", "answer.frozen"),
}


def layouts(sizes):
    """The gateware's records by the name of the C++'s."""
    frames, memory_frames, groups, contexts, recent_pages = sizes
    return {
        "Op": op_layout(frames, contexts),
        "Position": position_layout(groups, contexts),
        "Counted": counted_layout(groups, contexts),
        "Move": move_layout(frames, groups, contexts),
        "MemoryOp": memory_op_layout(memory_frames, contexts),
        # The RTL puts the working set's answer into this record, too; in the C++ it has a stream of its own.
        "Answer": [field for field in answer_layout(recent_pages) if field[0] != "first_touch"],
    }


def expected(sizes):
    """Of each record: the bits of its word; of each field, its bits in the word."""
    found = {}
    for record, layout in layouts(sizes).items():
        offset = 0
        for name, width in layout:
            found[record, name] = (1 << width) - 1 << offset
            offset += width
        found[record] = -(-offset // 8) * 8  # an AXI4 stream carries whole bytes
    return found


def words_of(folder, hls, sizes):
    """The same of the C++. A field's bits are those that `pack` sets, and that `unpack` reads.

    A program packs records in which all bits of one field are 1 and all others 0.
    """
    lines = [f'#include "{hls}/{FILTER}"', "#include <iostream>", "using namespace litemrc;", "int main() {"]
    for record, layout in layouts(sizes).items():
        places = {name: PLACES.get((record, name), name) for name, _ in layout}
        lines.append(f'std::cout << "{record} - " << decltype(pack({record}()))::width << "\\n";')
        for name, place in places.items():
            lines += ["{", f"{record} record;"]
            lines += [f"record.{other} = {-(other == place)};" for other in places.values()]
            lines += [f"auto word = pack(record); auto back = {UNPACK[record]}(word);"]
            same = " && ".join(f"back.{other} == record.{other}" for other in places.values())
            lines += [f'std::cout << "{record} {name} " << ({same} ? word.to_uint64() : 0) << "\\n";', "}"]
    source = folder / "words.cpp"
    source.write_text("\n".join([*lines, "}"]))
    names = ("FRAMES", "MEMORY_FRAMES", "GROUPS", "CONTEXTS", "RECENT_PAGES")
    defines = [f"-DLITEMRC_{name}={size}" for name, size in zip(names, sizes, strict=True)]
    command = ["g++", *CXX_FLAGS, "-O0", *defines, "-isystem", HLS / "small_int", source]
    run_tool([*command, "-o", folder / "words"])
    found = {}
    for record, name, value in (line.split() for line in run_tool([folder / "words"]).splitlines()):
        found[record if name == "-" else (record, name)] = int(value)
    return found


@pytest.mark.parametrize("sizes", SIZES)
def test_every_field_has_the_bits_of_the_gateware(tmp_path, sizes):
    assert words_of(tmp_path, HLS, sizes) == expected(sizes)


@pytest.mark.parametrize("record", MUTANTS)
def test_two_fields_exchanged_are_noticed(tmp_path, record):
    file, start, one, other = MUTANTS[record]
    (line,) = [each for each in (HLS / file).read_text().splitlines() if start in each]
    mutant = line.replace(one, "#").replace(other, one).replace("#", other)
    hls = tmp_path / "hls"
    for folder in ("common", "page_filter"):
        shutil.copytree(HLS / folder, hls / folder)
    (hls / file).write_text(mutated_source(HLS / file, line, mutant))
    wanted, found = expected(SIZES[1]), words_of(tmp_path, hls, SIZES[1])
    different = {key for key in wanted if found[key] != wanted[key]}
    assert different and all(key[0] == record for key in different)
