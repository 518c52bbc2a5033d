# SPDX-License-Identifier: BSD-2-Clause
"""Trace-driven machines: traces through policies.

    import litemrc_studies

    litemrc_studies.replace("gen:loop?pages=1000&n=100000", memory=["2M", "4M"], policies=["lru", "opt"])

Every name is imported when it is first used.
"""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from litemrc_studies.glass1997.policies import Seq
    from litemrc_studies.glass1997.replaced import replace

__all__ = ["Seq", "replace"]

_HOMES = {"Seq": "litemrc_studies.glass1997.policies", "replace": "litemrc_studies.glass1997.replaced"}


def __getattr__(name: str) -> _typing.Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'litemrc_studies' has no attribute {name!r}")
    value = getattr(_importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
