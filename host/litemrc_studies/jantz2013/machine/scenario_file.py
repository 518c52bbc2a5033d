# SPDX-License-Identifier: BSD-2-Clause
"""Reads scenarios of the tray machine from TOML files; jantz2013/trays.md documents the keys."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from litemrc.energy.parts.files import find_part
from litemrc.energy.parts.part import SdramPart
from litemrc.errors import UserError
from litemrc.files.toml_table import Change, TomlTable

from litemrc_studies.jantz2013.machine.hardware import (
    MAPPINGS,
    PAGES_OF_MIB,
    POWER_DOWNS,
    Controller,
    Hardware,
)
from litemrc_studies.jantz2013.machine.machine import Configuration, Costs, Scrambler
from litemrc_studies.jantz2013.machine.memory import ALLOCATORS
from litemrc_studies.jantz2013.machine.placing import Placer
from litemrc_studies.jantz2013.machine.program_tables import read_programs
from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario
from litemrc_studies.jantz2013.machine.workloads.collector import Collector
from litemrc_studies.jantz2013.machine.workloads.compilation import Compilation, Workload
from litemrc_studies.jantz2013.machine.workloads.staged import Staged
from litemrc_studies.jantz2013.policies.intents import ColorIntent, parse_intents
from litemrc_studies.jantz2013.policies.placement import PlacementParameters

WORKLOADS = ("staged", "collector", "compilation", "programs")
_TOP = (
    *("title", "workload", "seed", "visits", "machine", "controller", "costs", "scrambler", "configuration"),
    *(*WORKLOADS[:3], "process"),
)
_MACHINE = ("part", "chips", "trays", "nodes", "tray_mib", "sample_ms", "background_hz")
_CONTROLLER = ("power_down", "power_down_after_ns", "self_refresh_after_us")
_CONFIGURATION = ("name", "mapping", "allocator", "guidance", "memnice", "placement", *_CONTROLLER)
_PLACEMENT = ("period_s", *(field.name for field in fields(PlacementParameters)))
_STAGED = ("stage_mib", "stages", "stage_s", "gigabytes_s", "threads")
_COLLECTOR = (
    *("young_mib", "tenured_mib", "survivor_share", "live_share", "tenured_share", "filled_share"),
    *("collections", "tenured_visits", "alpha", "gap_ns", "collect_gap_ns", "line_ns", "intents"),
)
_COMPILATION = (
    *("units", "jobs", "header_pages", "source_pages", "object_pages", "heap_pages", "visits_per_page"),
    *("gap_ns", "line_ns"),
)


def read_tray_scenario(path: str | Path, changes: Sequence[Change] = ()) -> TrayScenario:
    """Read the scenario in a file, with changes of its values.

    Raises
    ------
    UserError
        the file or its intents file cannot be read or has an error; with file and line, or the
        change.
    """
    return _Reader(TomlTable.read(path, changes), Path(path).parent).scenario()


class _Reader:
    def __init__(self, top: TomlTable, folder: Path) -> None:
        self._top, self._folder = top, folder
        top.check_keys(_TOP)

    def scenario(self) -> TrayScenario:
        top = self._top
        kind = top.text("workload", of=WORKLOADS)
        for other in (*WORKLOADS[:3], "process"):
            if top.has(other) and other != ("process" if kind == "programs" else kind):
                raise top.wrong(other, f"the workload is {kind}", f"workload = another, or no {other}")
        hardware = self._hardware()
        configurations = top.tables("configuration")
        if not configurations:
            raise top.wrong("configuration", "there is none", "at least one [[configuration]]")
        workload = self._workload(kind, hardware)
        cases: list[Case] = []
        for table in configurations:
            case = self._case(table, hardware, workload)
            if any(case.configuration.name == other.configuration.name for other in cases):
                raise table.wrong("name", f"{case.configuration.name!r} is taken", "another name")
            cases.append(case)
        return TrayScenario(
            title=top.text("title"),
            workload=kind,
            cases=tuple(cases),
            costs=self._costs(),
            scrambler=self._scrambler(hardware),
            seed=top.count("seed", 1, lowest=0),
        )

    def _hardware(self) -> Hardware:
        table = self._top.table("machine")
        table.check_keys(_MACHINE)
        try:
            part = find_part(table.text("part", "MT41J256M8-187E:D"))
        except UserError as error:
            raise table.wrong("part", error.what, error.remedy or "a part") from error
        controller_table = self._top.table("controller")
        controller_table.check_keys(_CONTROLLER)
        if not isinstance(part, SdramPart):
            raise table.wrong("part", f"{part.name} has no ranks", "an SDRAM part")
        try:
            hardware = Hardware(
                part,
                chips=table.count("chips", 8, highest=64),
                trays=table.count("trays", 8),
                nodes=table.count("nodes", 1),
                tray_pages=table.count("tray_mib", 2048, highest=1 << 16) * PAGES_OF_MIB,
                controller=_controller(controller_table, Controller()),
                sample_ns=table.number("sample_ms", 100, above=1e-3) * 1e6,
                background_hz=table.number("background_hz", 0.0),
            )
            hardware.timing  # noqa: B018  (raises if the part's times are unknown)
        except UserError as error:
            named = {"trays on": "trays", "background_hz": "background_hz"}
            key = next((key for words, key in named.items() if words in error.what), None)
            raise table.wrong(key, error.what, error.remedy) from error
        return hardware

    def _case(self, table: TomlTable, hardware: Hardware, workload: Workload) -> Case:
        table.check_keys(_CONFIGURATION)
        allocator = table.text("allocator", "tray", of=ALLOCATORS)
        mapping = table.text("mapping", "sequential", of=MAPPINGS)
        if allocator == "tray" and mapping == "interleaved":
            raise table.wrong(
                "mapping", "allocator tray needs pages that lie in one rank", 'mapping = "sequential"'
            )
        for key in ("guidance", "memnice", "placement"):
            if table.has(key) and allocator == "buddy":
                raise table.wrong(key, "the buddy allocator has no trays", 'allocator = "tray"')
        if table.has("memnice"):
            count = table.count("memnice", highest=hardware.trays)
            if not isinstance(workload, Compilation):
                raise table.wrong("memnice", "belongs to workload compilation", "trays in [[process]]")
            workload = replace(workload, trays=tuple(range(count)))
        configuration = Configuration(
            name=table.text("name"),
            hardware=replace(hardware, mapping=mapping, controller=_controller(table, hardware.controller)),
            allocator=allocator,
            guidance=table.flag("guidance", allocator == "tray"),
            placement=self._placement(table) if table.has("placement") else None,
        )
        return Case(configuration, workload)

    def _placement(self, configuration: TomlTable) -> Placer:
        table = configuration.table("placement")
        table.check_keys(_PLACEMENT)
        period_s = table.number("period_s", 1.0, above=0)
        given: dict[str, Any] = {name: table.number(name) for name in _PLACEMENT[1:] if table.has(name)}
        given |= {name: table.count(name) for name in ("budget_pages",) if table.has(name)}
        try:
            return Placer(period_s, PlacementParameters(**given))
        except UserError as error:
            raise table.wrong(None, error.what, error.remedy) from error

    def _costs(self) -> Costs:
        table = self._top.table("costs")
        table.check_keys(("zero_fill_us", "reload_us"))
        default = Costs()
        return Costs(
            table.number("zero_fill_us", default.zero_fill_ns / 1e3) * 1e3,
            table.number("reload_us", default.reload_ns / 1e3) * 1e3,
        )

    def _scrambler(self, hardware: Hardware) -> Scrambler | None:
        if not self._top.has("scrambler"):
            return None
        table = self._top.table("scrambler")
        table.check_keys(("hold_mib", "chunk_kib"))
        most = hardware.pages // PAGES_OF_MIB - 1
        hold = table.count("hold_mib", lowest=0, highest=most) * PAGES_OF_MIB
        chunk_kib = table.count("chunk_kib", 4, lowest=4)
        if chunk_kib % 4:
            raise table.wrong("chunk_kib", f"is {chunk_kib}", "whole pages of 4 KiB")
        return Scrambler(hold, chunk_kib // 4)

    def _workload(self, kind: str, hardware: Hardware) -> Workload:
        if kind == "programs":
            return read_programs(self._top, hardware.trays, self._intents)
        table = self._top.table(kind)
        if kind == "staged":
            table.check_keys(_STAGED)
            return Staged(
                stage_pages=table.count("stage_mib") * PAGES_OF_MIB,
                stages=table.count("stages"),
                stage_s=table.number("stage_s", above=0),
                bytes_s=table.number("gigabytes_s", above=0) * 1e9,
                threads=table.count("threads", 16, highest=256),
            )
        if kind == "compilation":
            table.check_keys(_COMPILATION)
            return Compilation(table.count("units"), **_given(table, _COMPILATION[1:], Compilation))
        table.check_keys(_COLLECTOR)
        collector = Collector(
            table.count("young_mib") * PAGES_OF_MIB,
            table.count("tenured_mib") * PAGES_OF_MIB,
            **_given(table, _COLLECTOR[2:-1], Collector),
            intents=self._intents(table, ("YOUNG", "TENURED")) if table.has("intents") else {},
        )
        if not 0 < collector.survivor_share < 0.5 or not 0 < collector.live_share <= 1:
            raise table.wrong(
                None,
                "survivor_share or live_share is out of range",
                "survivor_share below 0.5, live_share up to 1",
            )
        return collector

    def _intents(self, table: TomlTable, needed: tuple[str, ...] = ()) -> Mapping[str, ColorIntent]:
        """Read the intents file of a table."""
        path = self._folder / table.text("intents")
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise table.wrong("intents", f"cannot read {path}: {error}", "an intents file") from error
        intents = parse_intents(text, str(path))
        for color in needed:
            if color not in intents:
                raise table.wrong("intents", f"has no intent for {color}", f"intents for {', '.join(needed)}")
        return intents


def _controller(table: TomlTable, default: Controller) -> Controller:
    return Controller(
        power_down=table.text("power_down", default.power_down, of=POWER_DOWNS),
        power_down_after_ns=table.number("power_down_after_ns", default.power_down_after_ns),
        self_refresh_after_ns=table.number("self_refresh_after_us", default.self_refresh_after_ns / 1e3)
        * 1e3,
    )


def _given(table: TomlTable, names: tuple[str, ...], kind: type) -> dict[str, Any]:
    """Return a table's values of a workload's attributes, with the types of the defaults."""
    defaults = {field.name: field.default for field in fields(kind)}
    return {
        name: table.count(name) if isinstance(defaults[name], int) else table.number(name)
        for name in names
        if table.has(name)
    }
