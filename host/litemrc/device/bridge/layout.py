# SPDX-License-Identifier: BSD-2-Clause
"""What all parts of a bridge share: its URL, bus, layout of registers and errors."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol, Self
from urllib.parse import parse_qs, urlsplit

from litemrc.device.errors import DeviceGoneError
from litemrc.errors import UserError

_PORT = 1234  # litex_server's default
_EXAMPLE = "litex://localhost:1234?csr=build/csr.json"


class BridgeDownError(DeviceGoneError):
    """The server cannot be reached, or does not answer: one line, as neither URL nor options are at fault."""

    exit_code = 1

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url}: {why}")


class RegisterBus(Protocol):
    """Reads and writes words of 32 bits.

    Raises, from every method:
        DeviceGoneError: the other end is gone, or does not answer.
    """

    def read(self, address: int, words: int) -> list[int]:
        """Return consecutive words."""
        ...

    def write(self, address: int, *words: int) -> None:
        """Write consecutive words."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


@dataclass(frozen=True)
class Layout:
    """The register map of the gateware that this host knows.

    Attributes
    ----------
    versions
        of the layout of each block, by its kind: mrc, ranks, refs.
    places
        offset in bytes and words of each register, by kind of block and register.
    fields
        shift and bits of each field, by kind of block, register and field.
    engines
        number of each stack engine, by its name.
    exact_engines
        those that count each hit in exactly its group.
    """

    versions: dict[str, int]
    places: dict[str, dict[str, tuple[int, int]]]
    fields: dict[str, dict[str, dict[str, tuple[int, int]]]]
    engines: dict[str, int]
    exact_engines: list[str]


@cache
def layout() -> Layout:
    """Return the exported layout."""
    content = json.loads(files("litemrc.device.bridge").joinpath("registers.json").read_text("utf-8"))
    del content["generated_by"]
    return Layout(**content)


@dataclass(frozen=True)
class BridgeURL:
    """Where the server listens, and what the SoC behind it is.

    Attributes
    ----------
    csr
        csr.json or csr.csv of the SoC's build.
    monitor, ranks, refs, traffic
        names of these blocks in the SoC; None: found in the csr file.
    """

    host: str
    port: int
    csr: Path
    monitor: str | None = None
    ranks: str | None = None
    refs: str | None = None
    traffic: str | None = None

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read a URL.

        Raises
        ------
        UserError
            it is not written like that, or names no csr file.
        """
        try:
            parts = urlsplit(url)
            query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise UserError(f"not the URL of a bridge: {error}", where=url, remedy=_such_as()) from error
        if not host or parts.path not in ("", "/") or parts.fragment or parts.username is not None:
            raise UserError("not the URL of a bridge", where=url, remedy=_such_as())
        known = set(cls.__dataclass_fields__) - {"host", "port"}
        for name, values in query.items():
            if name not in known or len(values) > 1 or not values[0]:
                what = f"{name}={','.join(values)} in the URL of a bridge"
                raise UserError(what, where=url, remedy=f"give {', '.join(sorted(known))} once each")
        if "csr" not in query:
            raise UserError(
                "the URL of a bridge must name the csr.json or csr.csv of the SoC's build",
                where=url,
                remedy=f"add ?csr=FILE, {_such_as()}; LiteX writes it with --csr-json FILE",
            )
        names = {name: values[0] for name, values in query.items() if name != "csr"}
        return cls(host, _PORT if port is None else port, Path(query["csr"][0]), **names)


def _such_as() -> str:
    return f"such as {_EXAMPLE}"
