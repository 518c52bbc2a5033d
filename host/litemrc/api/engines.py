# SPDX-License-Identifier: BSD-2-Clause
"""The engines of `litemrc.mrc` with their parameters, as objects: `engine=litemrc.Shards(rate=0.01)`."""

from __future__ import annotations  # help() shows the names of types

from dataclasses import dataclass, fields, make_dataclass
from typing import ClassVar, cast

from litemrc.api.stacks import EngineParameters
from litemrc.errors import UserError
from litemrc.native import stack_engines
from litemrc.native.engines import ENGINES, make_engine


@dataclass(frozen=True)
class EngineChoice:
    """An engine and its parameters; None: its default.

    Raises
    ------
    UserError
        a value out of range, or two that exclude each other.
    """

    name: ClassVar[str]
    _parameter_names: ClassVar[dict[str, str]] = {}  # of `make_engine`, where they differ

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            what, kind = ("a number", int | float) if "float" in field.type else ("a whole number", int)
            if value is not None and not isinstance(value, kind):
                raise UserError(
                    f"{field.name} must be {what} (got {value!r})",
                    where=f"litemrc.{type(self).__name__}",
                    remedy="give a number, or omit it",
                )
        try:
            make_engine(self.name, **parameters_of(self))
        except UserError as error:
            raise UserError(
                error.what,
                where=f"litemrc.{type(self).__name__}",
                remedy=error.remedy or "see help(litemrc." + type(self).__name__ + ")",
            ) from error


@dataclass(frozen=True)
class Exact(EngineChoice):
    """LRU stack distances of all references: the miss ratio at every size from 1 page to the footprint.

    Source: Mattson et al., IBM Systems Journal 9(2), 1970.

    Attributes
    ----------
    threads
        cores to use, 1 to 1024; None: 1.
    """

    name: ClassVar[str] = "exact"
    threads: int | None = None


@dataclass(frozen=True)
class Group(EngineChoice):
    """The monitor's engine `hls/group_stack`: exact at multiples of frames / groups pages.

    Source: Zhou et al., ASPLOS 2004, section 3.1.

    Attributes
    ----------
    frames
        size of the memory in pages, a power of two, 256 to 1048576; None: the smallest that holds all
        pages, which are counted first.
    groups
        page groups, 16, 64 or 256; None: 256.
    """

    name: ClassVar[str] = "group"
    frames: int | None = None
    groups: int | None = None


@dataclass(frozen=True)
class Bucket(EngineChoice):
    """The monitor's engine `hls/bucket_stack`: estimated at multiples of frames / groups pages.

    Source: `docs/engines.md`; a page group is a bucket of pages without an order of their own.

    Attributes
    ----------
    frames
        size of the memory in pages, a power of two, 256 to 1048576; None: the smallest that holds all
        pages, which are counted first.
    groups
        page groups, 16, 64 or 256; None: 256.
    """

    name: ClassVar[str] = "bucket"
    frames: int | None = None
    groups: int | None = None


@dataclass(frozen=True)
class Shards(EngineChoice):
    """Exact distances among a sample of the pages, scaled up, with a 95 % confidence band.

    Source: Waldspurger et al., FAST 2015 (SHARDS-adj); the band is a delete-a-group jackknife.

    Attributes
    ----------
    rate
        share of the pages that are sampled, above 0 and at most 1; None: 0.01.
    pages
        largest number of sampled pages, at a decreasing rate, in place of `rate`.
    band
        False: without the band, which takes about twice the work on the sample.
    """

    name: ClassVar[str] = "shards"
    _parameter_names: ClassVar[dict[str, str]] = {"rate": "sample_rate", "pages": "sample_pages"}
    rate: float | None = None
    pages: int | None = None
    band: bool = True


@dataclass(frozen=True)
class OsTracker(EngineChoice):
    """The tracker without hardware: protection faults and accessed bits.

    Source: Zhou et al., ASPLOS 2004, section 3.2; defaults: table 3 of `zhou2004/page.md`.

    Attributes
    ----------
    scan_list
        pages whose accessed bits are read; None: 8192, at most 1/8 of the pages of the trace.
    period
        accesses between two scans; None: 2000, about 1/4 of a shorter scan list.
    group_pages
        resolution of the curve in pages; None: 256, at most 1/64 of the pages of the trace.
    seen_only
        True: the curve of the accesses that the tracker sees, as in the paper.
    """

    name: ClassVar[str] = "os"
    scan_list: int | None = None
    period: int | None = None
    group_pages: int | None = None
    seen_only: bool | None = None


def _class_of_hardware(engine: str) -> type[EngineChoice]:
    """Return the class of a stack engine that has none above."""
    parameters = [(name, "int | None") for name in ENGINES[engine]]
    members = {"name": engine, **dict.fromkeys(ENGINES[engine])}
    class_name = engine.title().replace("_", "")
    return make_dataclass(class_name, parameters, bases=(EngineChoice,), namespace=members, frozen=True)


# Of all engines of the hardware, by name.
STACK_ENGINES: dict[str, type[EngineChoice]] = {"group": Group, "bucket": Bucket}
STACK_ENGINES |= {
    name: _class_of_hardware(name) for name in stack_engines.STACK_ENGINES if name not in STACK_ENGINES
}


def parameters_of(engine: EngineChoice) -> EngineParameters:
    """Return the parameters of an engine by the names of `litemrc.mrc`."""
    names = engine._parameter_names
    named = {names.get(field.name, field.name): getattr(engine, field.name) for field in fields(engine)}
    return cast(EngineParameters, named)


def named_engine(engine: str | EngineChoice, parameters: EngineParameters) -> tuple[str, EngineParameters]:
    """Return the name and the parameters of an engine that is given by name or as an object.

    Parameters
    ----------
    parameters
        keywords beside it; an object takes no keyword but `by`.

    Raises
    ------
    UserError
        an object, and parameters of engines beside it; or neither a name nor an object.
    """
    if isinstance(engine, str):
        return engine, parameters
    if not isinstance(engine, EngineChoice):
        raise UserError(
            f"engine must be a name or an engine (got {engine!r})",
            where="engine",
            remedy="give a name such as 'exact', or an object such as litemrc.Shards(rate=0.01)",
        )
    beside = [name for name, value in parameters.items() if value is not None and name != "by"]
    if beside:
        raise UserError(
            f"{', '.join(beside)} is given beside {engine!r}",
            where="engine",
            remedy=f"give all parameters to litemrc.{type(engine).__name__}",
        )
    return engine.name, {**parameters_of(engine), "by": parameters.get("by", "pages")}
