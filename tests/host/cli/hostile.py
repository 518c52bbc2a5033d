# SPDX-License-Identifier: BSD-2-Clause
"""Values and files that no command can use; tests of all commands share them."""

# As an option's value or in place of a file name; a process can be given each of them.
VALUES = (
    *("", " ", "-", "--", "x", "-1", "-0", "+3", "0", "1.5", "1.5.2", "1_000", "1e3", "0x10", "1" + "0" * 30),
    *(
        "9" * 5000,
        "nan",
        "inf",
        "-inf",
        "1e999",
        "4Q",
        "4k4",
        "-4k",
        "0k",
        "16MM",
        "1M-8:1",
        "8-1:1",
        "1-2:0",
    ),
    *("1,,2", ",", ":", "::", "=", "1=", "=1", "1=2=3", "a=nan", "1/0", "1/3", "٣", "½", "é", "\u202e", "🦀"),
    *(
        "\udcff",
        "a\nb",
        "\x1b[31m",
        "%s",
        "%(prog)s",
        "{}",
        "$(x)",
        "../..",
        "/",
        ".",
        "/dev/null/x",
        "x" * 300,
    ),
)

# By kind, what a file may hold instead of what it should.
CONTENTS = {
    "empty": b"",
    "binary": bytes(range(256)) * 9,
    "NaN": b"nan nan r\n",
    "negative": b"-5 -7 r\n",
    "huge": b"9" * 400 + b" " + b"9" * 400 + b" r\n",
    "another type": b"{'a': [1, 2\n",
    "nested": b"[" * 200_000,
    "truncated": b"PAR1\x15\x04",
    "endless line": b"1" * 3_000_001,
}
