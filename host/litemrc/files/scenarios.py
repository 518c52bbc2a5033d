"""The scenarios that come with the package, by name."""

import os
from pathlib import Path

_INSTALLED = Path(__file__).parents[1] / "scenarios"
_IN_REPOSITORY = Path(__file__).parents[3] / "scenarios"


def scenario_path(text: str) -> Path:
    """Return the path of a scenario: a file, or a shipped one such as `apache_gcc` or `trays/fop`."""
    path = Path(text)
    if os.path.exists(path) or path.is_absolute():  # Path.exists raises if the name is too long
        return path
    for folder in (_INSTALLED, _IN_REPOSITORY):
        shipped = folder / path.with_suffix(".toml")
        if os.path.isfile(shipped):
            return shipped
    return path
