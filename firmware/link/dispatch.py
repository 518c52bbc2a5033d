# SPDX-License-Identifier: BSD-2-Clause
"""Print the C file that decodes a request by its type number: generate.mk runs it behind zcbor.

zcbor's own union tries one request after the other, which costs a processor of 50 MHz a millisecond or more.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from schema import Message, read_schema


def _case(message: Message) -> Iterator[str]:
    plain = not message.fields and message.later is None  # a number alone, for which zcbor makes no function
    body = f"zcbor_uint32_expect(state, {message.number})"
    yield f"\tcase {message.number}:"
    yield f"\t\trequest->type_choice = host_request_type_{message.name}_c;"
    yield f"\t\treturn {body if plain else f'decode_{message.name}_body(state, &request->{message.name})'};"


def _file(schema: Path, decoder: Path) -> Iterator[str]:
    states = re.findall(r"zcbor_state_t states\[(\d+)\]", decoder.read_text())[-1]
    yield "/* Generated from litemrc.cddl by firmware/link/dispatch.py. */"
    yield '#include "litemrc_decode.c"\n#include "frame.h"\n'
    yield "static bool decode_body(zcbor_state_t *state, struct host_request *request)\n{"
    yield "\tzcbor_state_t ahead = *state;\n\tuint32_t number;\n"
    yield "\tif (!zcbor_uint32_decode(&ahead, &number))\n\t\treturn false;\n\tswitch (number) {"
    for message in read_schema(schema).host_request.messages:
        yield from _case(message)
    yield "\t}\n\treturn false;\n}\n"
    yield "static bool decode_request(zcbor_state_t *state, struct host_request *request)\n{"
    yield "\treturn zcbor_list_start_decode(state) && zcbor_uint32_decode(state, &request->sequence) &&"
    yield "\t       decode_body(state, request) && zcbor_list_end_decode(state);\n}\n"
    yield "bool litemrc_request_read(const uint8_t *message, size_t length, struct host_request *request)\n{"
    yield f"\tzcbor_state_t states[{states}];\n\tsize_t read;\n"
    yield "\treturn !zcbor_entry_function(message, length, (void *)request, &read, states,"
    yield f"\t\t\t\t     (zcbor_decoder_t *)decode_request, {states}, 1) && read == length;\n}}"


print("\n".join(_file(Path(sys.argv[1]), Path(sys.argv[2]))))
