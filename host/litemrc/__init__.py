"""LiteMRC: collect, measure, check and draw page-level miss-ratio curves (MRCs).

    import litemrc

    curve = litemrc.mrc("gen:zipf?pages=65536&n=1000000")  # or a list, an array, chunks, a trace file
    curve.at("16M"), curve.size_within(0.01), curve.to_pandas()
    curves = litemrc.read("curves.parquet")  # of `litemrc collect`
    curves = litemrc.collect("socket://localhost:1234", epochs=20, runs=["zipf", "loop"])

Every name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from litemrc.api.device import Device, collect
    from litemrc.api.measuring import mrc, mrc_by_context, mrc_windows
    from litemrc.api.reading import read
    from litemrc.curves.curve import Curve, Curves
    from litemrc.errors import UserError

    __version__: str

__all__ = [
    "Curve",
    "Curves",
    "Device",
    "UserError",
    "__version__",
    "collect",
    "mrc",
    "mrc_by_context",
    "mrc_windows",
    "read",
]

_HOMES = {
    "Curve": "litemrc.curves.curve",
    "Curves": "litemrc.curves.curve",
    "Device": "litemrc.api.device",
    "UserError": "litemrc.errors",
    "collect": "litemrc.api.device",
    "mrc": "litemrc.api.measuring",
    "mrc_by_context": "litemrc.api.measuring",
    "mrc_windows": "litemrc.api.measuring",
    "read": "litemrc.api.reading",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = import_module("importlib.metadata").version("litemrc")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'litemrc' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
