# SPDX-License-Identifier: BSD-2-Clause
"""Version 1.2 of the protocol, made from 1.1 by text: schema, and a daemon that speaks it.

What is added: a feature bit; an option of hello, of epochs and of the request set_epoch; a message that
follows each epoch; a request. The daemon's sources are those of 1.1 with a few lines more, as the next
version would have them.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from litemrc.device.link import protocol
from litemrc.device.link import schema as schema_module
from litemrc.device.link.schema import schema

from tests.mutation import mutated_source

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DAEMON = ROOT / "firmware" / "daemon"
FRESH = 47  # the value of hello's new option
NEW_TYPE, NEW_REQUEST = 90, 200

# File (below firmware/), text of 1.1, text of 1.2.
_SCHEMA = [
    ("protocol_version = 1001", "protocol_version = 1002"),
    ("feature_read_only = 6 ", "feature_fresh = 7\nfeature_read_only = 6 "),
    ("\t\t0*16 later: 10..65535", "\t\t? fresh: 10 => uint32,\n\t\t0*16 later: 11..65535"),
    ("\t\t0*16 later: 7..65535", "\t\t? deepest: 7 => [0*256 deepest: uint32],\n\t\t0*16 later: 8..65535"),
    ("queued: queued_body),", "queued: queued_body // note: note_body),"),
    (
        "; Masters of the memory,",
        f"note_body = ({NEW_TYPE}, epoch: uint32, words: tstr .size (0..40), options: later_options)\n\n"
        "; Masters of the memory,",
    ),
    (
        "set_epoch_body = (68, unit: epoch_unit, length: uint32, options: no_options)",
        "set_epoch_body = (68, unit: epoch_unit, length: uint32, set_epoch_options: {\n"
        "\t? twice: 1 => bool,\n\t0*4 later: 2..65535 => plain\n})\n"
        f"get_fresh_body = ({NEW_REQUEST}, options: no_options)",
    ),
    (
        "// set_page_messages: set_page_messages_body),",
        "// set_page_messages: set_page_messages_body // get_fresh: get_fresh_body),",
    ),
]
_DEVICE = [
    ("service/service.c", "\t\t.request = request,", f"\t\t.request = request, .fresh.fresh = {FRESH},"),
    (
        "service/service.c",
        ".features = p->features |",
        ".features = 1u << LITEMRC_FEATURE_FRESH | p->features |",
    ),
    (
        "daemon/messages/epoch_messages.c",
        "\tfill_tail(epoch, record, context);\n",
        "\tfill_tail(epoch, record, context);\n"
        "\tepoch->deepest.deepest[0] = record->epoch + 1;\n\tepoch->deepest.deepest_count = 1;\n",
    ),
    (
        "daemon/messages/epoch_messages.c",
        "\tranks_send(record);\n",
        "\tstatic struct device_message note;\n\n"
        "\tnote.type_choice = device_message_type_note_c;\n"
        '\tnote.note = (struct note_body){.epoch = record->epoch, .words = {(const uint8_t *)"new", 3}};\n'
        "\thosts_send_epoch(&note);\n\tranks_send(record);\n",
    ),
    (
        "service/requests.c",
        "set->unit.epoch_unit_choice, set->length)",
        "set->unit.epoch_unit_choice, set->length << set->twice.twice)",
    ),
    (
        "service/requests.c",
        "\tcase host_request_type_get_epoch_c:",
        f"\tcase host_request_type_get_fresh_c:\n\t\tANSWER(answer, {FRESH});\n\t\treturn 0;\n"
        "\tcase host_request_type_get_epoch_c:",
    ),
]


def schema_path() -> Path:
    """The schema of this version."""
    return schema_module._INSTALLED if schema_module._INSTALLED.exists() else schema_module._IN_REPOSITORY


def write_later_schema(path: Path) -> Path:
    """Write the schema of 1.2."""
    text = schema_path().read_text(encoding="utf-8")
    for old, new in _SCHEMA:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def build_later_daemon(folder: Path) -> Path:
    """Build the daemon of 1.2 in a folder, as tests/firmware/daemon/Makefile builds that of 1.1."""
    firmware = folder / "firmware"
    shutil.rmtree(firmware, ignore_errors=True)
    for room in ("daemon", "service", "link", "include", "linux/driver"):
        shutil.copytree(
            ROOT / "firmware" / room, firmware / room, ignore=shutil.ignore_patterns("*.ko", "*.o")
        )
    host = folder / "host"  # reads the schema for the generated headers
    host.unlink(missing_ok=True)
    host.symlink_to(ROOT / "host")
    for file, old, new in _DEVICE:
        source = firmware / file
        source.write_text(mutated_source(source, old, new))
    later = write_later_schema(firmware / "include" / "litemrc.cddl")
    environment = {
        n: v for n, v in os.environ.items() if n not in ("MAKEFLAGS", "MAKELEVEL", "CFLAGS", "LDFLAGS")
    }
    make = ["make", "--no-print-directory", "-f", HERE / "Makefile"]
    make += [f"OUT={folder}", f"PYTHON={sys.executable}", f"FIRMWARE={firmware}", f"LINK_SCHEMA={later}"]
    done = subprocess.run(make, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "litemrcd"


@contextmanager
def later_host(monkeypatch: pytest.MonkeyPatch, path: Path) -> Iterator[None]:
    """Within the block the host package of this process speaks 1.2."""
    caches = (schema, protocol.device_messages, protocol.host_requests)
    with monkeypatch.context() as patched:
        patched.setattr(schema_module, "_IN_REPOSITORY", path)
        patched.setattr(schema_module, "_INSTALLED", path)
        for each in caches:
            each.cache_clear()
        try:
            assert schema().constants["protocol_version"] == 1002
            yield
        finally:
            for each in caches:
                each.cache_clear()
