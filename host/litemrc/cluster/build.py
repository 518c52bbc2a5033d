"""Which code computes: the version of LiteMRC and a digest of its sources."""

from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


@cache
def build() -> str:
    """Return the version and a digest of the Python sources, such as 0.1.0+3f2a9c01.

    Two checkouts of a repository have one version, and may compute different things.
    """
    return f"{version('litemrc')}+{_digest(sorted(_PACKAGE.rglob('*.py')))}"


@cache
def native_build() -> str:
    """Return a digest of the compiled engines; it differs between kinds of processors, too."""
    module = find_spec("litemrc.native._core")
    return _digest([Path(module.origin)] if module and module.origin else [])


def _digest(files: list[Path]) -> str:
    found = blake2b(digest_size=8)
    for file in files:
        content = file.read_bytes()
        name = file.relative_to(_PACKAGE) if file.is_relative_to(_PACKAGE) else file.name
        found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest()
