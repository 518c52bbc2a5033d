# SPDX-License-Identifier: BSD-2-Clause
"""The SD card model answers as the specification of SPI mode says, and reports what its host does wrong."""

import binascii
import json
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutation import mutated_source
from tests.products import alone_in

REPO = Path(__file__).parents[3]
MODEL = REPO / "litex-soc/sim_modules/sd_card"
BUILD = REPO / "build/sd_card"
SLOW, FAST = 1_250_000, 20_000  # half periods in ps: 400 kHz until the card is ready, then 25 MHz
CLOCKS = (SLOW, 1, bytes(b"\xff" * 10))  # 80 with CS# high
GO_IDLE = (SLOW, 0, bytes.fromhex("40 00000000 95 ffff"))
SEND_IF_COND = (SLOW, 0, bytes.fromhex("48 000001aa 87 ffff ffffffff"))
DESELECT = (SLOW, 1, b"\xff")
BLOCKS = random.Random(1).randbytes(4 * 512)


def command(number: int, argument: int, rest: int, half: int = FAST) -> tuple[int, int, bytes]:
    """A command and `rest` bytes more, in which the card answers."""
    return half, 0, bytes([0x40 | number]) + argument.to_bytes(4, "big") + b"\x01" + b"\xff" * rest


ACMD41 = (command(55, 0, 2, SLOW), DESELECT, command(41, 1 << 30, 2, SLOW), DESELECT)
READY = (CLOCKS, GO_IDLE, DESELECT, SEND_IF_COND, DESELECT, *ACMD41 * 4)


@dataclass(frozen=True)
class Seen:
    answers: list[bytes]  # of each line, with the bytes while the command was sent
    report: dict


def compile_host(model: Path, program: Path) -> Path:
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", f"-I{model}")
    done = subprocess.run(
        ["g++", *flags, Path(__file__).with_name("spi_host.cpp"), "-o", program],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="session")
def host() -> Path:
    with alone_in(BUILD):
        return compile_host(MODEL, BUILD / "spi_host")


def run(host: Path, folder: Path, *lines: tuple[int, int, bytes]) -> Seen:
    image, report = folder / "image", folder / "report.json"
    image.write_bytes(BLOCKS)
    text = "".join(f"{half} {cs} {sent.hex(' ')}\n" for half, cs, sent in lines)
    done = subprocess.run([host, image, report], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers = [bytes.fromhex(line) for line in done.stdout.splitlines()]
    return Seen(answers, json.loads(report.read_text()))


def test_the_card_becomes_ready_as_specified(host: Path, tmp_path: Path) -> None:
    seen = run(host, tmp_path, *READY, command(58, 0, 6, SLOW))
    assert seen.answers[1][-1] == 0x01  # idle
    assert seen.answers[3][-5:] == bytes.fromhex("01 0000 01aa")  # R7: the voltage and the pattern come back
    # R1 of the four ACMD41: three times still idle.
    assert [seen.answers[7 + 4 * n][-1] for n in range(4)] == [1, 1, 1, 0]
    assert seen.answers[-1][-5:] == bytes.fromhex("00 c0ff8000")  # R3: ready, high capacity
    assert seen.report["broken"] == {}


def test_a_block_comes_behind_its_token_with_its_crc(host: Path, tmp_path: Path) -> None:
    answer = run(host, tmp_path, *READY, command(17, 2, 600)).answers[-1]
    token = answer.index(0xFE)
    assert set(answer[8:token]) == {0xFF} and answer[7] == 0  # R1 after one byte
    data, crc = answer[token + 1 : token + 513], answer[token + 513 : token + 515]
    assert data == BLOCKS[2 * 512 : 3 * 512]
    assert int.from_bytes(crc, "big") == binascii.crc_hqx(data, 0)
    assert set(answer[token + 515 :]) == {0xFF}


def test_blocks_follow_until_they_are_stopped(host: Path, tmp_path: Path) -> None:
    stop = command(12, 0, 4)
    seen = run(host, tmp_path, *READY, command(18, 1, 1100), stop, command(17, 0, 600))
    answer = seen.answers[-3]
    first = answer.index(0xFE)
    second = answer.index(0xFE, first + 515)
    assert answer[first + 1 : first + 513] + answer[second + 1 : second + 513] == BLOCKS[512 : 3 * 512]
    assert seen.answers[-2][7] == 0  # R1 of CMD12 after the stuff byte
    assert BLOCKS[:512] in seen.answers[-1]
    assert seen.report["commands"]["CMD12"] == 1


def test_a_byte_may_be_followed_by_a_pause_without_cs(host: Path, tmp_path: Path) -> None:
    """LiteX's SPI raises CS# between bytes, when there is no clock: no card can see it."""
    half, _, sent = command(17, 0, 600)
    bytewise = [(half, 0, sent[at : at + 1]) for at in range(len(sent))]
    answers = run(host, tmp_path, *READY, *bytewise).answers
    assert BLOCKS[:512] in b"".join(answers[-len(bytewise) :])


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("POWER_UP_CLOCKS", (GO_IDLE,)),
        ("CRC", (CLOCKS, (SLOW, 0, bytes.fromhex("40 00000000 01 ffff")))),
        ("CRC", (CLOCKS, GO_IDLE, DESELECT, (SLOW, 0, bytes.fromhex("48 000001aa 01 ffff")))),
        ("CLOCK_TOO_FAST_BEFORE_INIT", (CLOCKS, (FAST, 0, GO_IDLE[2]))),
        ("CLOCK_TOO_FAST", (*READY, command(17, 0, 600, FAST - 1))),
    ],
)
def test_what_the_host_does_wrong_is_reported(host: Path, tmp_path: Path, rule: str, lines: tuple) -> None:
    assert set(run(host, tmp_path, *lines).report["broken"]) == {rule}


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ((*READY, command(17, 4, 4)), 0x40),  # behind the last block: parameter error
        ((*READY, command(24, 0, 4)), 0x04),  # writes: illegal
        ((CLOCKS, GO_IDLE, DESELECT, command(17, 0, 4, SLOW)), 0x05),  # not yet ready
        ((*READY, command(41, 0, 4)), 0x04),  # without CMD55
    ],
)
def test_what_it_cannot_do_is_answered_so(host: Path, tmp_path: Path, lines: tuple, answer: int) -> None:
    assert run(host, tmp_path, *lines).answers[-1][7] == answer


def test_without_cmd0_it_is_silent(host: Path, tmp_path: Path) -> None:
    assert set(run(host, tmp_path, CLOCKS, SEND_IF_COND).answers[-1]) == {0xFF}


MUTANTS = {
    "crc": ("0x1021", "0x1023", test_a_block_comes_behind_its_token_with_its_crc),
    "never_busy": ("BUSY_POLLS = 3", "BUSY_POLLS = 0", test_the_card_becomes_ready_as_specified),
    "one_block": ("reading_ = !single_", "reading_ = false", test_blocks_follow_until_they_are_stopped),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_in_the_model_is_found(name: str, tmp_path: Path) -> None:
    old, new, test = MUTANTS[name]
    folder = BUILD / "mutants" / name
    shutil.copytree(MODEL, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    (folder / "card.hpp").write_text(mutated_source(MODEL / "card.hpp", old, new))
    program = compile_host(folder, folder / "spi_host")
    with pytest.raises((AssertionError, ValueError)):
        test(program, tmp_path)
