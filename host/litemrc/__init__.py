# SPDX-License-Identifier: BSD-2-Clause
"""LiteMRC: collect, measure, check and draw page-level miss-ratio curves (MRCs).

    import litemrc

    curve = litemrc.mrc("gen:zipf?pages=65536&n=1000000")  # or a list, an array, chunks, a trace file
    curve.at("16M"), curve.size_within(0.01), curve.to_pandas()
    litemrc.mrc("app.parquet", litemrc.Shards(rate=0.01)).plot("curve.png")
    curves = litemrc.read("curves.parquet")  # of `litemrc collect`
    curves = litemrc.collect("socket://localhost:1234", epochs=20, runs=["zipf", "loop"])
    litemrc.allocate(curves, "16M").to_pandas()

Every name is imported when it is first used.
"""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from litemrc.api.allocation import allocate
    from litemrc.api.comparing import compare
    from litemrc.api.engines import Bucket, Exact, Group, OsTracker, Shards
    from litemrc.api.heat import heatmap
    from litemrc.api.hot import hot
    from litemrc.api.measuring import mrc, mrc_by_context, mrc_windows
    from litemrc.api.reading import read
    from litemrc.api.writing import write_trace
    from litemrc.curves.curve import Curve, Curves
    from litemrc.device.device import Device, collect
    from litemrc.errors import UserError

    __version__: str

__all__ = [
    "Bucket",
    "Curve",
    "Curves",
    "Device",
    "Exact",
    "Group",
    "OsTracker",
    "Shards",
    "UserError",
    "__version__",
    "allocate",
    "collect",
    "compare",
    "heatmap",
    "hot",
    "mrc",
    "mrc_by_context",
    "mrc_windows",
    "read",
    "write_trace",
]

_HOMES = {
    "Bucket": "litemrc.api.engines",
    "Curve": "litemrc.curves.curve",
    "Curves": "litemrc.curves.curve",
    "Device": "litemrc.device.device",
    "Exact": "litemrc.api.engines",
    "Group": "litemrc.api.engines",
    "OsTracker": "litemrc.api.engines",
    "Shards": "litemrc.api.engines",
    "UserError": "litemrc.errors",
    "allocate": "litemrc.api.allocation",
    "collect": "litemrc.device.device",
    "compare": "litemrc.api.comparing",
    "heatmap": "litemrc.api.heat",
    "hot": "litemrc.api.hot",
    "mrc": "litemrc.api.measuring",
    "mrc_by_context": "litemrc.api.measuring",
    "mrc_windows": "litemrc.api.measuring",
    "read": "litemrc.api.reading",
    "write_trace": "litemrc.api.writing",
}


def __getattr__(name: str) -> _typing.Any:
    if name == "__version__":
        value = _importlib.import_module("importlib.metadata").version("litemrc")
    elif name in _HOMES:
        value = getattr(_importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'litemrc' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
