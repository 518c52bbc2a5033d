# SPDX-License-Identifier: BSD-2-Clause
"""Prints the text of a release, the section of its version in CHANGELOG.md.

    python -m scripts.release.notes v1.0.0

Exit code 2: the tag is not that of the file VERSION, or the change log has no such section with a date.
"""

import re
import sys

from scripts.release.environments import REPO, VERSION, CheckError


def section(tag: str, version: str, changes: str) -> str:
    """The section of a version in the text of a change log.

    Raises
    ------
    CheckError
        the tag is not the version's, or there is no such section.
    """
    if tag != f"v{version}":
        raise CheckError(f"the tag is {tag}, and VERSION has {version}; the tag must be v{version}")
    found = re.search(rf"(?ms)^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changes)
    if not found:
        raise CheckError(
            f"CHANGELOG.md: no line `## [{version}] - DATE`; name the section of [Unreleased] so"
        )
    return found[1].strip() + "\n"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m scripts.release.notes TAG", file=sys.stderr)
        return 2
    try:
        print(section(arguments[0], VERSION, (REPO / "CHANGELOG.md").read_text()), end="")
    except CheckError as error:
        print(f"notes: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
