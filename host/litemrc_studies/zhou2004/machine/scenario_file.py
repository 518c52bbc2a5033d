# SPDX-License-Identifier: BSD-2-Clause
"""Reads multiprogramming scenarios from TOML files; `zhou2004/multiprogram.md` documents the keys."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from litemrc.errors import UserError
from litemrc.files.toml_table import Change, TomlTable
from litemrc.native.engines import ENGINES
from litemrc.native.os_tracker import TrackerCosts
from litemrc.native.stack_engines import STACK_ENGINES
from litemrc.traces import open_trace
from litemrc.traces.generators.urls import PREFIX

from litemrc_studies.zhou2004.machine.scenario import (
    CURVES,
    KINDS,
    POLICIES,
    UTILITIES,
    Costs,
    Mrc,
    Part,
    ProcessSpec,
    Scenario,
)

_TOP = (
    *("title", "time_unit", "clock_mhz", "memory_pages", "page_bytes", "policies", "seed", "duration"),
    *("measure_from", "sample", "reclaim_below", "reclaim_to", "costs", "mrc", "static", "process"),
)
_TRACKER_COSTS = {  # by the names of `TrackerCosts`
    "fault": "protection_fault",
    "scan": "scan",
    "scanned": "page_scanned",
    "accessed": "page_accessed",
    "crossed": "group_crossed",
}
_COSTS = ("time_slice", "page_read", "write_out", "fault", "zero_fill", *_TRACKER_COSTS.values())
_MRC = (
    *("engine", "engine_frames", "engine_groups", "engine_rate", "group_pages", "epoch", "half_life"),
    *("delta_pages", "minimum_pages", "curve", "utility", "tracking"),
    *("engine_scan_list", "engine_period", "engine_seen_only"),
)
_COMMON = (
    *("name", "kind", "trace", "part", "touch", "touches", "start", "weight"),
    *("minimum_pages", "tracking", "file"),
)
_OF_KIND = {
    "batch": ("command",),
    "interactive": ("sleep", "iterations"),
    "server": ("clients", "think", "interval", "spread", "requests"),
}
_UNITS = ("us", "cycles")
MOST_PAGES = 1 << 30  # largest memory
MOST_GROUPS = 1 << 16  # most groups of a curve
_SPREADS = ("exponential", "constant")


def read_scenario(path: str | Path, changes: Sequence[Change] = ()) -> Scenario:
    """Read the scenario in a file, with changes of its values.

    Raises
    ------
    UserError
        the file cannot be read, or a key is wrong; with file and line, or the change.
    """
    return _Reader(TomlTable.read(path, changes), Path(path).parent).scenario()


class _Reader:
    def __init__(self, top: TomlTable, folder: Path) -> None:
        self._top, self._folder = top, folder
        top.check_keys(_TOP)
        unit = top.text("time_unit", "us", of=_UNITS)
        if unit == "cycles":
            self._ticks, self._tick_s = 1, 1e-6 / top.number("clock_mhz", above=0)
        else:
            if top.has("clock_mhz"):
                raise top.wrong("clock_mhz", "belongs to time_unit cycles", 'time_unit = "cycles"')
            self._ticks, self._tick_s = 1000, 1e-9
        self._mrc = top.table("mrc")
        self._mrc.check_keys(_MRC)
        self._tracking = self._mrc.number("tracking", 0.0)
        self._minimum = self._mrc.count("minimum_pages", 128)

    def scenario(self) -> Scenario:
        top = self._top
        memory = top.count("memory_pages", highest=MOST_PAGES)
        tables = top.tables("process")
        if not tables:
            raise top.wrong("process", "there is none", "at least one [[process]]")
        processes = [self._process(table) for table in tables]
        for number, table in enumerate(tables):
            if processes[number].name in [process.name for process in processes[:number]]:
                raise table.wrong("name", f"{processes[number].name!r} is taken", "another name")
        below, to = self._reclaim(memory)
        scenario = Scenario(
            title=top.text("title"),
            memory_pages=memory,
            tick_s=self._tick_s,
            costs=self._costs(),
            processes=tuple(processes),
            policies=self._policies(),
            mrc=self._mrc_settings(),
            shares=self._shares(processes, memory),
            duration=self._time(top, "duration", 0),
            measure_from=self._time(top, "measure_from", 0),
            sample=self._time(top, "sample", 0),
            seed=top.count("seed", 1, lowest=0),
            page_bytes=top.count("page_bytes", 4096),
            reclaim_below=below,
            reclaim_to=to,
        )
        minimums = sum(process.minimum_pages for process in processes)
        if "mrc" in scenario.policies and minimums > memory:
            raise self._mrc.wrong(
                "minimum_pages", f"the minimums sum to {minimums} pages", f"at most {memory}"
            )
        if memory > MOST_GROUPS * scenario.mrc.group_pages:
            least = -(-memory // MOST_GROUPS)
            raise self._mrc.wrong(
                "group_pages", f"curves of more than {MOST_GROUPS} sizes", f"at least {least}"
            )
        if not scenario.duration and not any(process.requests for process in processes):
            raise top.wrong("duration", "is missing, and no process ends", "a time, or a process that ends")
        return scenario

    def _time(self, table: TomlTable, key: str, default: float | None = None, **limits: float) -> int:
        """Return a time in ticks."""
        value = table.number(key, default, **limits) * self._ticks
        if round(value) != value and self._ticks == 1:
            raise table.wrong(key, f"is {value!r}", "a whole number of cycles")
        if limits and not round(value):
            raise table.wrong(key, f"is {value / self._ticks!r}", "at least a nanosecond")
        return round(value)

    def _costs(self) -> Costs:
        table = self._top.table("costs")
        table.check_keys(_COSTS)
        return Costs(
            time_slice=self._time(table, "time_slice", above=0),
            page_read=self._time(table, "page_read"),
            write_out=self._time(table, "write_out"),
            fault=self._time(table, "fault", 0),
            zero_fill=self._time(table, "zero_fill", 0),
        )

    def _reclaim(self, memory: int) -> tuple[int, int]:
        top = self._top
        if not top.has("reclaim_below"):
            if top.has("reclaim_to"):
                raise top.wrong("reclaim_below", "is missing beside reclaim_to", "both, or neither")
            return 0, 0
        below = top.count("reclaim_below", highest=memory - 1)
        return below, top.count("reclaim_to", below, lowest=below, highest=memory - 1)

    def _policies(self) -> tuple[str, ...]:
        top = self._top
        given = top.content.get("policies", ["global-clock", "mrc"])
        if not isinstance(given, list) or not given or len(set(map(str, given))) < len(given):
            raise top.wrong("policies", f"is {given!r}", f"a list of {', '.join(POLICIES)}")
        for policy in given:
            if policy not in POLICIES:
                raise top.wrong("policies", f"no policy {policy!r}", f"some of {', '.join(POLICIES)}")
        return tuple(given)

    def _mrc_settings(self) -> Mrc:
        table, default = self._mrc, Mrc()
        engine = table.text("engine", default.engine, of=ENGINES)
        for key, owners in (
            *((key, tuple(STACK_ENGINES)) for key in ("engine_frames", "engine_groups")),
            ("engine_rate", ("shards",)),
            *((key, ("os",)) for key in ("engine_scan_list", "engine_period", "engine_seen_only")),
        ):
            if table.has(key) and engine not in owners:
                raise table.wrong(key, f"engine {engine} has none", f"engine = one of {', '.join(owners)}")
        self._check_tracking(table)
        period = self._time(table, "engine_period", above=0) if table.has("engine_period") else None
        return Mrc(
            engine=engine,
            engine_frames=table.count("engine_frames") if table.has("engine_frames") else None,
            engine_groups=table.count("engine_groups") if table.has("engine_groups") else None,
            engine_rate=float(table.number("engine_rate", above=0)) if table.has("engine_rate") else None,
            engine_scan_list=table.count("engine_scan_list", default.engine_scan_list),
            engine_period=period,
            engine_seen_only=table.flag("engine_seen_only", default=False),
            engine_costs=self._tracker_costs(engine),
            group_pages=table.count("group_pages", default.group_pages),
            epoch=table.count("epoch", default.epoch),
            half_life=table.count("half_life", default.half_life),
            delta_pages=table.count("delta_pages", default.delta_pages),
            curve=table.text("curve", default.curve, of=CURVES),
            utility=table.text("utility", default.utility, of=UTILITIES),
        )

    def _check_tracking(self, table: TomlTable) -> None:
        if table.has("tracking") and self._mrc.content.get("engine") == "os":
            raise table.wrong("tracking", "engine os computes it", "no tracking")

    def _tracker_costs(self, engine: str) -> TrackerCosts:
        table, tick_ns = self._top.table("costs"), self._tick_s * 1e9
        given = {name: key for name, key in _TRACKER_COSTS.items() if table.has(key)}
        for key in given.values():
            if engine != "os":
                raise table.wrong(key, f"engine {engine} has none", 'engine = "os" in [mrc]')
        return TrackerCosts(**{name: self._time(table, key) * tick_ns for name, key in given.items()})

    def _shares(self, processes: list[ProcessSpec], memory: int) -> dict[str, int]:
        table = self._top.table("static")
        names = [process.name for process in processes]
        for name in table.content:
            if name not in names:
                raise table.wrong(name, "no process has this name", f"one of {', '.join(names)}")
        if not table.content:
            return {}
        shares = {name: table.count(name) for name in names}
        if sum(shares.values()) > memory:
            raise table.wrong(
                None, f"{sum(shares.values())} pages in all", f"at most {memory} pages of memory"
            )
        return shares

    def _process(self, table: TomlTable) -> ProcessSpec:
        kind = table.text("kind", of=KINDS)
        table.check_keys((*_COMMON, *_OF_KIND[kind]))
        parts = self._parts(table, kind)
        self._check_tracking(table)
        asking = {"batch": self._batch, "interactive": self._interactive, "server": self._server}[kind](table)
        return ProcessSpec(
            name=table.text("name"),
            kind=kind,
            parts=parts,
            touch=self._time(table, "touch", above=0),
            tracking=float(table.number("tracking", self._tracking)),
            start=self._time(table, "start", 0),
            file=table.flag("file", default=False),
            weight=float(table.number("weight", 1.0, above=0)),
            minimum_pages=table.count("minimum_pages", self._minimum),
            command=table.text("command") if table.has("command") else "",
            **asking,
        )

    def _parts(self, table: TomlTable, kind: str) -> tuple[Part, ...]:
        if not table.has("part"):
            touches = table.count("touches") if kind == "batch" and table.has("touches") else None
            return (Part(self._trace(table, finite=kind == "batch" and not touches), touches),)
        for key in ("trace", "touches") if kind == "batch" else ("trace",):
            if table.has(key):
                raise table.wrong(key, "stands beside [[process.part]]", "one of the two")
        parts = []
        tables = table.tables("part")
        for part in tables:
            part.check_keys(("trace", "touches", "release"))
            touches = part.count("touches") if part.has("touches") else None
            finite = not touches and (kind == "batch" or part is not tables[-1])
            release = part.flag("release", default=False)
            parts.append(Part(self._trace(part, finite=finite), touches, release))
        return tuple(parts)

    def _trace(self, table: TomlTable, *, finite: bool) -> str:
        trace = table.text("trace")
        if trace.startswith(PREFIX):
            if finite and "n=" not in trace:
                raise table.wrong(
                    "touches", "is missing, and the trace has no end", "touches, or n= in the trace"
                )
        else:
            trace = str(self._folder / trace)
        try:
            if trace.startswith(PREFIX):
                _check_generated(trace)
            else:
                open_trace(trace).close()
        except UserError as error:
            remedy = f": {error.remedy}" if error.remedy else ""
            raise table.wrong("trace", error.what, f"a trace that can be read{remedy}") from error
        return trace

    def _batch(self, table: TomlTable) -> dict[str, Any]:
        return {"request_touches": None, "clients": 1, "pause": 0, "requests": 1}

    def _interactive(self, table: TomlTable) -> dict[str, Any]:
        return {
            "request_touches": table.count("touches"),
            "clients": 1,
            "pause": self._time(table, "sleep"),
            "requests": table.count("iterations") if table.has("iterations") else 0,
        }

    def _server(self, table: TomlTable) -> dict[str, Any]:
        closed = table.has("clients")
        for key in ("interval",) if closed else ("think",):
            if table.has(key):
                raise table.wrong(
                    key, "closed loop and open loop at once", "clients and think (closed), or interval (open)"
                )
        pause = self._time(table, "think") if closed else self._time(table, "interval", above=0)
        return {
            "request_touches": table.count("touches"),
            "clients": table.count("clients") if closed else 0,
            "pause": pause,
            "random": table.text("spread", _SPREADS[0], of=_SPREADS) == _SPREADS[0],
            "requests": table.count("requests") if table.has("requests") else 0,
        }


@lru_cache(maxsize=256)
def _check_generated(url: str) -> None:
    """Check the URL of a generated trace; a sweep has it in thousands of scenarios."""
    open_trace(url).close()
