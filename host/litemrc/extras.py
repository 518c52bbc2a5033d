# SPDX-License-Identifier: BSD-2-Clause
"""Optional extras of the package: whatever needs one checks here first, so that the message is clear."""

from importlib.util import find_spec

from litemrc.errors import UserError

# The modules that each extra of pyproject.toml brings.
_MODULES = {
    "plot": ("matplotlib", "jinja2"),
    "device": ("google_crc32c", "serial", "websockets"),
    "litex": ("litex", "migen"),
    "pandas": ("pandas",),
    "live": ("google_crc32c", "serial", "websockets", "textual"),
    "serve": (
        "google_crc32c",
        "serial",
        "websockets",
        "fastapi",
        "httptools",
        "plotly",
        "prometheus_client",
        "uvicorn",
    ),
    "cluster": ("bokeh", "distributed", "fsspec"),
    "completion": ("shtab",),
}


def require(extra: str) -> None:
    """Check that the modules of an extra are installed, without importing them.

    Raises
    ------
    UserError
        one is missing.
    """
    missing = [module for module in _MODULES[extra] if find_spec(module) is None]
    if missing:
        raise UserError(
            f"litemrc[{extra}] is not installed: {', '.join(missing)} missing",
            remedy=f"run, in a clone of LiteMRC: pip install '.[{extra}]'",
        )
