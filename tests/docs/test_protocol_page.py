# SPDX-License-Identifier: BSD-2-Clause
"""The worked example of docs/protocol.md is what the code sends."""

import re
from pathlib import Path

from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import device_messages, host_requests
from litemrc.device.link.record import read_record

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
MESSAGE, FRAME, ANSWER, EPOCH, EPOCH_FRAME = (
    bytes.fromhex("".join(re.findall(r"^(?:[0-9a-f]{2} ?)+", block, re.MULTILINE)))
    for block in re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
)


def test_the_request_and_its_frame() -> None:
    request = host_requests().new("set_epoch", sequence=7, unit="cycles", length=1 << 22)
    assert host_requests().encode(request) == MESSAGE
    assert frame(MESSAGE) == FRAME


def test_the_answer() -> None:
    ack = device_messages().decode(ANSWER)
    assert (ack.name, ack.sequence, ack.request, ack.values) == ("ack", 2, 7, [2, 1 << 22])


def test_the_record_and_its_frame() -> None:
    message = device_messages().decode(EPOCH)
    assert message.name == "epoch"
    record = read_record(EPOCH[8:])
    assert (record.epoch, int(record.head["outside"])) == (0, 5)
    (row,) = record.rows
    assert row["hits"].tolist() == [1000, 100, 0, 0]
    assert row["hits"].sum() + row["misses"] == row["accesses"] == 1110
    assert frame(EPOCH) == EPOCH_FRAME
    assert f"{len(EPOCH)} bytes, of which {len(EPOCH_FRAME)} are sent" in PAGE.read_text()
