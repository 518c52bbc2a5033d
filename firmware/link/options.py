# SPDX-License-Identifier: BSD-2-Clause
"""Print the C header about the options of messages, and about requests that only read, of the link's schema.

zcbor generates neither. `generate.mk` runs this file with the folder of schema.py on PYTHONPATH.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from schema import Direction, Field, Message, read_schema

_READS = ("hello", "echo")  # and those named get_*
_PLACES = {"TSTR": ".len", "BSTR": ".len", "LIST": "_count"}  # of what is 0 when the option is left out


def _place(message: Message, option: Field) -> str:
    return f"m->{message.name}.{option.name}.{option.name}{_PLACES.get(option.kind, '')}"


def _present(message: Message, option: Field) -> str:
    return f"m->{message.name}.{option.name}_present"


def _later(message: Message) -> str:
    """Options of a map that has a type of its own are in a structure; others are members of the body."""
    return f"m->{message.name}.{'' if message.options else 'options.'}later_count"


def _function(comment: str, opening: str, direction: Direction, cases: dict[str, list[str]]) -> Iterator[str]:
    """Yield a function that does what `cases` say for each message; without a value, or with 0 for others."""
    yield from ("", f"/* {comment} */", f"static inline {opening}", "{", "\tswitch (m->type_choice) {")
    for name, lines in cases.items():
        yield from (f"\tcase {direction.name}_type_{name}_c:", *(f"\t\t{line}" for line in lines))
    returns = () if opening.startswith("void") else ("\treturn 0;",)
    yield from ("\tdefault:", "\t\tbreak;", "\t}", *returns, "}")


def _of_direction(direction: Direction) -> Iterator[str]:
    known = [m for m in direction.messages if m.later is not None]
    mark = {
        m.name: [
            *(f"{_present(m, o)} = {_place(m, o)} != 0;" for o in m.options),
            f"{_later(m)} = 0;",
            "break;",
        ]
        for m in known
    }
    fill = {
        m.name: [
            *(line for o in m.options for line in (f"if (!{_present(m, o)})", f"\t{_place(m, o)} = 0;")),
            "break;",
        ]
        for m in known
        if m.options
    }
    count = {m.name: [f"return {_later(m)};"] for m in known}
    name, argument = direction.name, f"struct {direction.name} *m"
    comment = "Before encoding: an option that is 0, empty or false is left out."
    yield from _function(comment, f"void litemrc_mark_{name}({argument})", direction, mark)
    comment = "After decoding: an option that was left out is 0, empty or false."
    yield from _function(comment, f"void litemrc_fill_{name}({argument})", direction, fill)
    comment = "Options of a later version that the message has."
    yield from _function(comment, f"size_t litemrc_later_{name}(const {argument})", direction, count)


def _header(path: Path) -> Iterator[str]:
    schema = read_schema(path)
    yield "/* Generated from litemrc.cddl by firmware/link/options.py. */"
    yield "#ifndef LITEMRC_OPTIONS_H\n#define LITEMRC_OPTIONS_H\n"
    yield '#include "litemrc_types.h"'
    for direction in (schema.device_message, schema.host_request):
        yield from _of_direction(direction)
    requests = [m.name for m in schema.host_request.messages]
    reads = {name: ["return true;"] for name in requests if name in _READS or name.startswith("get_")}
    opening = "bool litemrc_request_reads(const struct host_request *m)"
    yield from _function("Whether the request changes nothing.", opening, schema.host_request, reads)
    yield "\n#endif"


print("\n".join(_header(Path(sys.argv[1]))))
