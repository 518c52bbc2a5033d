# SPDX-License-Identifier: BSD-2-Clause
"""Version 2.2 of the protocol, made from 2.1 by text: headers, and a daemon that speaks it.

What is added: a feature bit; a member of hello and of the request set_epoch; a part of a record; a message
that follows each epoch; a request. The daemon's sources are those of 2.1 with a few lines more, as the next
version would have them.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from litemrc.device.link import protocol
from litemrc.device.link import schema as schema_module
from litemrc.device.link.schema import schema

from tests.mutation import mutated_source
from tests.products import make

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FRESH = 47  # the value of hello's new member
NEW_MESSAGE, NEW_PART, NEW_REQUEST = 20, 40, 116

# File (below firmware/), text of 2.1, text of 2.2.
_SCHEMA = [
    ("litemrc_protocol.h", "LITEMRC_PROTOCOL_VERSION 2001", "LITEMRC_PROTOCOL_VERSION 2002"),
    (
        "litemrc_protocol.h",
        "\tLITEMRC_FEATURE_BUDGETS = 7,",
        "\tLITEMRC_FEATURE_FRESH = 9,\n\tLITEMRC_FEATURE_BUDGETS = 7,",
    ),
    (
        "litemrc_protocol.h",
        "\t__u32 access_bytes;\t/* that a read or write moves in one cycle",
        "\t__u32 access_bytes;\n\t__u32 fresh;\t/* bytes that a read or write moves in one cycle",
    ),
    (
        "litemrc_protocol.h",
        "\tLITEMRC_MESSAGE_QUEUED = 14,\n};",
        f"\tLITEMRC_MESSAGE_QUEUED = 14,\n\tLITEMRC_MESSAGE_NOTE = {NEW_MESSAGE},\n}};\n\n"
        "struct litemrc_note {\n\t__u32 epoch;\n\tchar words[40];\n};",
    ),
    (
        "litemrc_protocol.h",
        "\t__u32 unit;\t\t/* enum litemrc_epoch_unit */\n\t__u32 length;\n",
        "\t__u32 unit;\t\t/* enum litemrc_epoch_unit */\n\t__u32 length;\n\t__u32 twice;\t\t/* bool */\n",
    ),
    (
        "litemrc_protocol.h",
        "\tLITEMRC_REQUEST_SET_PAGE_MESSAGES = 115,",
        f"\tLITEMRC_REQUEST_SET_PAGE_MESSAGES = 115,\n\tLITEMRC_REQUEST_GET_FRESH = {NEW_REQUEST},",
    ),
    (
        "litemrc_uapi.h",
        "\tLITEMRC_PART_HOT = 7,",
        f"\tLITEMRC_PART_NOTES = {NEW_PART},\n\tLITEMRC_PART_HOT = 7,",
    ),
]
_DEVICE = [
    (
        "service/service.c",
        ".features = p->features |",
        ".features = 1u << LITEMRC_FEATURE_FRESH | p->features |",
    ),
    ("service/service.c", "\t\t.abi = p->abi,\n", f"\t\t.abi = p->abi,\n\t\t.fresh = {FRESH},\n"),
    (
        "service/requests.c",
        "\treturn set_and_get(device, answer, DEVICE_EPOCH_LENGTH, body);",
        "\tunion body longer = *body;\n\n\tlonger.set_epoch.length <<= wanted->twice;\n"
        "\treturn set_and_get(device, answer, DEVICE_EPOCH_LENGTH, &longer);",
    ),
    (
        "service/requests.c",
        "static int set_engine(",
        "static int get_fresh(struct device *device, const union body *body, struct answer *answer)\n{\n"
        f"\t(void)device, (void)body;\n\tANSWER(answer, {FRESH});\n\treturn 0;\n}}\n\nstatic int set_engine(",
    ),
    (
        "service/requests.c",
        "\tREAD(GET_ENGINE, get_engine, EVERY),",
        "\tREAD(GET_FRESH, get_fresh, EVERY),\n\tREAD(GET_ENGINE, get_engine, EVERY),",
    ),
    ("daemon/messages/epoch_messages.c", "#define PAGE_PARTS 3", "#define PAGE_PARTS 4"),
    (
        "daemon/messages/epoch_messages.c",
        "\tpieces[1].length = head.parts * sizeof(table[0]);\n\thosts_send_record(pieces, count);\n",
        '\tstruct litemrc_note note = {.epoch = record->epoch + 1, .words = "new"};\n\n'
        "\tadd_part(LITEMRC_PART_NOTES, &note, sizeof(note), 1);\n"
        "\tpieces[1].length = head.parts * sizeof(table[0]);\n\thosts_send_record(pieces, count);\n"
        "\thosts_send(LITEMRC_MESSAGE_NOTE, &note, sizeof(note));\n",
    ),
]


def write_later_headers(folder: Path) -> Path:
    """Write the headers of 2.2 into a folder."""
    folder.mkdir(exist_ok=True)
    for name in schema_module._HEADERS:
        text = (ROOT / "firmware" / "include" / name).read_text(encoding="utf-8")
        for file, old, new in _SCHEMA:
            if file == name:
                assert text.count(old) == 1, old
                text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def build_later_daemon(folder: Path) -> Path:
    """Build the daemon of 2.2 in a folder, as tests/firmware/daemon/Makefile builds that of 2.1."""
    firmware = folder / "firmware"
    shutil.rmtree(firmware, ignore_errors=True)
    for room in ("daemon", "service", "include"):
        shutil.copytree(ROOT / "firmware" / room, firmware / room, ignore=shutil.ignore_patterns("*.o"))
    for file, old, new in _DEVICE:
        source = firmware / file
        source.write_text(mutated_source(source, old, new))
    write_later_headers(firmware / "include")
    make(HERE, f"OUT={folder}", f"FIRMWARE={firmware}")
    return folder / "litemrcd"


@contextmanager
def later_host(monkeypatch: pytest.MonkeyPatch, path: Path) -> Iterator[None]:
    """Within the block the host package of this process speaks 2.2."""
    caches = (schema, protocol.device_messages, protocol.host_requests)
    with monkeypatch.context() as patched:
        patched.setattr(schema_module, "_IN_REPOSITORY", path)
        patched.setattr(schema_module, "_INSTALLED", path)
        for each in caches:
            each.cache_clear()
        try:
            assert schema().constants["protocol_version"] == 2002
            yield
        finally:
            for each in caches:
                each.cache_clear()
