# SPDX-License-Identifier: BSD-2-Clause
"""One byte in a hundred flipped, dropped or doubled: no wrong message is accepted, every loss is detected."""

import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc.device.collecting.record_rows import EpochLedger
from litemrc.device.link import frames, link
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import OtherVersionError, device_messages, host_requests

from tests.firmware.link.link_messages import noisy, unframed
from tests.records import make_record

RATE = 0.01
SEEDS = [1, 2, 3]
EPOCHS = 20_000


@pytest.fixture(scope="module")
def stream() -> bytes:
    """Frames of epochs of 1 to 64 groups, and of an event with their number."""
    codec, sent = device_messages(), []
    for epoch in range(EPOCHS):
        groups = 1 + epoch % 64
        hits = [(epoch * 2654435761 + group) % 2**32 >> group % 32 for group in range(groups)]
        row = {"context": epoch % 2, "hits": hits, "misses": epoch**2 % 2**32, "touched": epoch % 500}
        head = {"outside": epoch * 3, "unsampled": epoch * 5, "scale_log2": epoch % 32, "epoch": epoch}
        sent.append(codec.new("epoch", record=make_record([row], groups=groups, **head)))
    sent.append(codec.new("event", kind="workload_done", epoch=EPOCHS))
    encoded = (codec.encode(replace(each, sequence=number)) for number, each in enumerate(sent, 1))
    return b"".join(map(frame, encoded))


def must_arrive(clean: bytes, hit: list[int]) -> list[bool]:
    """For each frame of `clean`, whether it and the previous one, with their delimiters, are undamaged.

    A frame may be lost, then, to damage in it or in the frame before it: by the second frame after the last
    damaged byte the link has recovered.
    """
    bounds = [at for at, byte in enumerate(clean) if byte == 0]
    harmed, hits = [], iter([*hit, len(clean)])
    next_hit = next(hits)
    for end in bounds:
        harmed.append(next_hit <= end)
        while next_hit <= end:
            next_hit = next(hits)
    return [not (here or before) for here, before in zip(harmed, [False, *harmed], strict=False)]


def payload_of(framed: bytes) -> bytes:
    """The message in the frame."""
    (payload,) = frames.FrameSplitter(len(framed) * 32).feed(framed)
    return payload


def host_survives_noise(stream: bytes, seed: int) -> None:
    """Feed the stream through noise to the host's receiver; raise AssertionError at a wrong message."""
    dice = random.Random(seed)
    *epochs, event = [part + b"\0" for part in stream.split(b"\0")[:-1]]
    sent = [device_messages().decode(payload_of(part)) for part in epochs]
    line, hit = noisy(b"".join(epochs), dice, RATE)
    line += (
        b"\0" + event
    )  # the zero byte before it may be lost; the event is what the last losses are counted by

    receiver, ledger, found = link.MessageReceiver(), EpochLedger(0), []
    at = 0
    while at < len(line):
        chunk = dice.randrange(1, 5000)
        for message in receiver.feed(line[at : at + chunk]):
            ledger.note(message.epoch, received=message.name == "epoch")
            found.append(message)
        at += chunk

    *arrived, last = found
    assert last.epoch == len(sent)
    assert all(message == sent[message.epoch] for message in arrived), "a wrong epoch was accepted"
    assert [m.epoch for m in arrived] == sorted({m.epoch for m in arrived}), "an epoch was accepted twice"
    assert ledger.received == len(arrived) > 1000
    assert ledger.received + ledger.lost == len(sent)
    assert receiver.counts.frames == len(arrived) + 1
    assert receiver.counts.lost == last.sequence - arrived[0].sequence + 1 - receiver.counts.frames
    assert receiver.counts.damaged > 1000
    there = {message.epoch for message in arrived}
    assert all(number in there for number, must in enumerate(must_arrive(b"".join(epochs), hit)) if must)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_host_accepts_no_wrong_epoch_counts_every_lost_one_and_recovers_within_two_frames(stream, seed):
    host_survives_noise(stream, seed)


class NoCrc:
    """A receiver of standard frames that does not compare the CRC."""

    oversized = damaged = 0

    def __init__(self, _: int) -> None:
        self._rest = b""

    def feed(self, received: bytes) -> list[bytes]:
        *parts, self._rest = (self._rest + received).split(b"\0")
        found = []
        for part in parts:
            try:
                found.append(unframed(part)[:-4])
            except (AssertionError, IndexError):
                self.damaged += 1
        return found


def test_a_host_that_does_not_check_the_crc_fails(stream, monkeypatch):
    monkeypatch.setattr(link, "FrameSplitter", NoCrc)

    with pytest.raises((AssertionError, ValueError, OtherVersionError)):
        host_survives_noise(stream, SEEDS[0])


def device_survives_noise(program: Path, seed: int) -> None:
    """Send requests through noise to the firmware's receiver; raise AssertionError at a wrong one."""
    dice = random.Random(seed)
    codec = host_requests()
    sent = [
        codec.new("set_epoch", sequence=number, unit="cycles", length=dice.getrandbits(32))
        if number % 2
        else codec.new("echo", sequence=number, payload=dice.randbytes(number % 60))
        for number in range(1, 20001)
    ]
    payloads = list(map(codec.encode, sent))
    clean = b"".join(map(frame, payloads))
    line, hit = noisy(clean, dice, RATE)

    said = subprocess.run([program, "text"], input=line, stdout=subprocess.PIPE, check=True).stdout

    *lines, counts = said.decode().splitlines()
    accepted = lines[0::2]
    expected = [payload.hex() for payload in payloads]
    assert set(accepted) <= set(expected), "a wrong request was accepted"
    assert len(set(accepted)) == len(accepted) > 1000
    damaged = int(counts.split()[1].removeprefix("damaged="))
    assert counts.split()[0] == f"frames={len(accepted)}"
    assert damaged > 1000
    there = set(accepted)
    assert all(text in there for text, must in zip(expected, must_arrive(clean, hit), strict=True) if must)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_device_accepts_no_wrong_request_and_recovers_within_two_frames(programs, seed):
    device_survives_noise(programs / "codec", seed)


def test_a_device_that_does_not_check_the_crc_fails(programs):
    with pytest.raises(AssertionError, match="a wrong request was accepted"):
        device_survives_noise(programs / "codec-mutant", SEEDS[0])
