# SPDX-License-Identifier: BSD-2-Clause
"""The blocks of the page "A first hour" are found in order, and each command in them exists."""

import pytest

from scripts.docs.first_hour import PAGE, Block, absent, blocks, commands_of, run

PAGE_OF_TWO = """text
<!-- hour first 2 -->
```sh
a --x
b
```
```
not run
```
<!-- hour second 10 -->
```sh
c
```
"""


def test_marked_blocks_are_found_in_order():
    assert blocks(PAGE_OF_TWO) == [Block("first", 2, "a --x\nb\n"), Block("second", 10, "c\n")]


@pytest.mark.parametrize("change", [("second", "first"), ("```sh\nc", "```\nc")])
def test_a_mark_without_a_block_or_a_name_twice_is_refused(change):
    with pytest.raises(ValueError, match="each mark"):
        blocks(PAGE_OF_TWO.replace(*change))


def test_the_commands_of_a_block_are_split():
    script = "a 1 | b 'x;y' > f\nuntil grep -q z f; do sleep 1; done\nc &\n"
    assert commands_of(script) == [
        ["a", "1"],
        ["b", "x;y", ">", "f"],
        ["grep", "-q", "z", "f"],
        ["sleep", "1"],
        ["c"],
    ]


def test_every_command_of_the_page_exists():
    commands = [each for block in blocks(PAGE.read_text("utf-8")) for each in commands_of(block.commands)]
    assert len(commands) > 10
    assert [each for each in map(absent, commands) if each] == []


def test_an_hour_is_enough():
    assert sum(block.minutes for block in blocks(PAGE.read_text("utf-8"))) <= 60


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("make demos", "make demos"),
        ("litemrc curves x", "litemrc curves"),
        ("litemrc trace info --pagesize 1", "litemrc trace info --pagesize"),
        ("litemrc qemu -- sort --any", None),
        ("python -m scripts.absent", "python -m scripts.absent"),
        ("no-such-program", "no-such-program"),
    ],
)
def test_a_command_that_does_not_exist_is_named(command, missing):
    assert absent(command.split()) == missing


def test_a_block_ends_at_its_first_failure_and_the_transcript_has_it(tmp_path):
    transcript = tmp_path / "transcript.md"
    assert run(Block("good", 1, "echo here\n"), tmp_path, transcript)
    assert not run(Block("bad", 1, "echo before\nfalse | true\necho after\n"), tmp_path, transcript)
    text = transcript.read_text("utf-8")
    assert "## good: ended after" in text and "```\nhere\n```" in text
    assert "## bad: failed with exit code 1" in text and "```\nbefore\n```" in text
