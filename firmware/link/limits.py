# SPDX-License-Identifier: BSD-2-Clause
"""Print the C header with the constants, maximum message sizes and lengths of texts of the link's schema.

zcbor does not generate these. `generate.mk` runs this file with the folder of schema.py on PYTHONPATH.
"""

import sys
from pathlib import Path

from schema import read_schema

schema = read_schema(Path(sys.argv[1]))
print("/* Generated from litemrc.cddl by firmware/link/limits.py. */")
print("#ifndef LITEMRC_LIMITS_H\n#define LITEMRC_LIMITS_H\n")
for name, value in schema.constants.items():
    print(f"#define LITEMRC_{name.upper()} {value}")
print("\n/* Length of the longest message of this version in CBOR, in bytes. */")
for direction in (schema.device_message, schema.host_request):
    print(f"#define LITEMRC_{direction.name.upper()}_MAX {direction.max_bytes}")
print("\n/* Longest texts and byte strings, in bytes. */")
for direction in (schema.device_message, schema.host_request):
    for message in direction.messages:
        for field in (*message.fields, *message.options):
            if field.kind in ("TSTR", "BSTR"):
                print(f"#define LITEMRC_{message.name.upper()}_{field.name.upper()}_MAX {field.high}")
print("\n#endif")
