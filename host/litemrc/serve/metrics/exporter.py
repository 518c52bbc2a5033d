# SPDX-License-Identifier: BSD-2-Clause
"""Metrics of all devices in Prometheus' text format, made when they are asked for."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import size_text
from litemrc.feed.records import table_of
from litemrc.serve.fleet import Fleet, Served
from litemrc.serve.lanes import Lanes
from litemrc.serve.live import LiveHub
from litemrc.serve.metrics.tallies import Tallies
from litemrc.serve.windows import of_equal_scale

RATIO_EPOCHS = 100
_SHARES = (1 / 8, 1 / 4, 1 / 2, 1)  # of the memory: sizes of litemrc_miss_ratio
_PROGRAM = ("device", "context", "name")
_SIZED = (*_PROGRAM, "size_bytes", "size")  # the size as a text, too: Grafana has no unit in a legend

Sample = tuple[tuple[str, ...], float]
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class Family:
    """A metric: its name without `_total`, labels, and the samples of a device."""

    name: str
    help: str
    labels: tuple[str, ...]
    samples: Callable[[Served, Tallies], Iterable[Sample]]
    counter: bool = False

    @property
    def shown(self) -> str:
        """The name that Prometheus sees."""
        return f"{self.name}_total" if self.counter else self.name


def _of_device(value: Callable[[Served, Tallies], float | None]) -> Callable[..., Iterable[Sample]]:
    def samples(served: Served, tallies: Tallies) -> Iterator[Sample]:
        if (found := value(served, tallies)) is not None:
            yield (served.name,), found

    return samples


def _of_programs(attribute: str) -> Callable[..., Iterable[Sample]]:
    def samples(served: Served, tallies: Tallies) -> Iterator[Sample]:
        for (context, name), tally in tallies.programs.items():
            yield (served.name, str(context), name), getattr(tally, attribute)

    return samples


def _of_ranks(command: str) -> Callable[..., Iterable[Sample]]:
    def samples(served: Served, tallies: Tallies) -> Iterator[Sample]:
        for rank, tally in tallies.ranks.items():
            yield (served.name, str(rank)), tally.commands[command]

    return samples


def _of_dram(name: str) -> Callable[..., Iterable[Sample]]:
    return _of_device(lambda _, tallies: tallies.dram.get(name))


def _dram_bytes(served: Served, tallies: Tallies) -> Iterator[Sample]:
    for direction, name in (("read", "bytes_read"), ("write", "bytes_written")):
        if (count := tallies.dram.get(name)) is not None:
            yield (served.name, direction), count


def _of_link(name: str) -> Callable[..., Iterable[Sample]]:
    return _of_device(lambda _, tallies: tallies.link[name])


def _info(served: Served, _: Tallies) -> Iterator[Sample]:
    parameters = served.recent.parameters
    if parameters:
        yield (served.name, parameters.engine, parameters.system), 1


def _labels(served: Served, _: Tallies) -> Iterator[Sample]:
    for key, value in served.labels.items():
        yield (served.name, key, value), 1


def _hits(served: Served, tallies: Tallies) -> Iterator[Sample]:
    for (context, name), tally in tallies.programs.items():
        for size, hits in sorted(tally.hits.items()):
            yield (served.name, str(context), name, str(size), size_text(size, 1)), hits


def _miss_ratios(served: Served, _: Tallies) -> Iterator[Sample]:
    for context, curve in _recent_curves(served).items():
        for share in _SHARES if curve.accesses else ():
            size = round(share * int(curve.sizes_pages[-1])) * curve.page_bytes
            labels = served.name, str(context), curve.name, str(size), size_text(size, 1)
            yield labels, curve.at(bytes=size)


def _recent_curves(served: Served) -> dict[int, Curve]:
    parameters = served.recent.parameters
    epochs = [
        each for each in served.recent.last(RATIO_EPOCHS) if parameters and each.session == parameters.session
    ]
    if parameters is None or not epochs or not served.connected:
        return {}
    table = table_of(parameters, of_equal_scale(epochs))
    return {context: table.curve(context) for context in table.contexts_with_data}


def _rank_seconds(served: Served, tallies: Tallies) -> Iterator[Sample]:
    for rank, tally in tallies.ranks.items():
        for state, seconds in tally.seconds.items():
            yield (served.name, str(rank), state), seconds


def _rank_shares(served: Served, tallies: Tallies) -> Iterator[Sample]:
    for rank, tally in tallies.ranks.items():
        for state, share in tally.shares.items():
            yield (served.name, str(rank), state), share


FAMILIES = (
    Family(
        "litemrc_connected",
        "1 while a session with the device runs, else 0.",
        ("device",),
        _of_device(lambda served, _: served.connected),
    ),
    Family(
        "litemrc_device_info",
        "1; engine of the monitor, and the device's operating system.",
        ("device", "engine", "system"),
        _info,
    ),
    Family(
        "litemrc_device_label",
        "1; a label that the server gives the device.",
        ("device", "key", "value"),
        _labels,
    ),
    Family(
        "litemrc_sessions",
        "Sessions with the device.",
        ("device",),
        _of_device(lambda _, t: t.sessions),
        True,
    ),
    Family("litemrc_epochs", "Epochs that arrived.", ("device",), _of_device(lambda _, t: t.epochs), True),
    Family(
        "litemrc_last_epoch_timestamp_seconds",
        "Time at which the last epoch arrived.",
        ("device",),
        _of_device(lambda _, t: t.last_arrived),
    ),
    Family(
        "litemrc_accesses",
        "Accesses counted; where pages are sampled, estimated.",
        _PROGRAM,
        _of_programs("accesses"),
        True,
    ),
    Family(
        "litemrc_misses", "Accesses that miss in the whole memory.", _PROGRAM, _of_programs("misses"), True
    ),
    Family(
        "litemrc_hits",
        "Accesses that would hit in a memory of size_bytes under LRU.",
        _SIZED,
        _hits,
        True,
    ),
    Family(
        "litemrc_miss_ratio",
        f"Miss ratio in a memory of size_bytes under LRU, over the last {RATIO_EPOCHS} epochs.",
        _SIZED,
        _miss_ratios,
    ),
    Family(
        "litemrc_working_set_bytes",
        "Memory accessed in the last epoch of the program.",
        _PROGRAM,
        _of_programs("working_set_bytes"),
    ),
    Family(
        "litemrc_dropped_accesses",
        "Accesses that the monitor lost.",
        ("device",),
        _of_device(lambda _, t: t.others["dropped"]),
        True,
    ),
    Family(
        "litemrc_outside_accesses",
        "Accesses out of the monitored range.",
        ("device",),
        _of_device(lambda _, t: t.others["outside"]),
        True,
    ),
    Family(
        "litemrc_unsampled_accesses",
        "Accesses to pages that are not sampled.",
        ("device",),
        _of_device(lambda _, t: t.others["unsampled"]),
        True,
    ),
    Family(
        "litemrc_rank_state_seconds",
        "Time of a rank in a power state.",
        ("device", "rank", "state"),
        _rank_seconds,
        True,
    ),
    Family(
        "litemrc_rank_state_ratio",
        "Share of the last epoch that a rank was in a power state.",
        ("device", "rank", "state"),
        _rank_shares,
    ),
    Family("litemrc_rank_reads", "Reads of a rank.", ("device", "rank"), _of_ranks("reads"), True),
    Family("litemrc_rank_writes", "Writes of a rank.", ("device", "rank"), _of_ranks("writes"), True),
    Family(
        "litemrc_rank_wake_ups", "Accesses that woke a rank.", ("device", "rank"), _of_ranks("wake_ups"), True
    ),
    Family(
        "litemrc_dram_bytes",
        "Bytes read from and written to the DRAM, by all masters.",
        ("device", "direction"),
        _dram_bytes,
        True,
    ),
    Family(
        "litemrc_dram_seconds",
        "Time in which DRAM commands were counted, by the device's clock.",
        ("device",),
        _of_dram("seconds"),
        True,
    ),
    Family(
        "litemrc_dram_row_hits",
        "Reads and writes of the DRAM that found their row open and already accessed.",
        ("device",),
        _of_dram("row_hits"),
        True,
    ),
    Family(
        "litemrc_dram_busy_cycles",
        "Cycles in which the data bus of the DRAM was busy: reads and writes.",
        ("device",),
        _of_dram("busy_cycles"),
        True,
    ),
    Family(
        "litemrc_dram_cycles",
        "Cycles of the system clock in which DRAM commands were counted.",
        ("device",),
        _of_dram("cycles"),
        True,
    ),
    Family(
        "litemrc_dram_activates", "ACTIVATE commands to the DRAM.", ("device",), _of_dram("activates"), True
    ),
    Family(
        "litemrc_dram_row_conflicts",
        "ACTIVATE commands to a bank that was closed for another row.",
        ("device",),
        _of_dram("row_conflicts"),
        True,
    ),
    Family(
        "litemrc_dram_refreshes", "REFRESH commands to the DRAM.", ("device",), _of_dram("refreshes"), True
    ),
    Family(
        "litemrc_dram_peak_bytes_per_second",
        "Bandwidth of the DRAM if its data bus were always busy.",
        ("device",),
        _of_device(lambda served, _: p.peak_bandwidth if (p := served.recent.parameters) else None),
    ),
    Family("litemrc_link_frames", "Good frames of the link.", ("device",), _of_link("frames"), True),
    Family(
        "litemrc_link_damaged_frames",
        "Frames cut short or with a wrong checksum.",
        ("device",),
        _of_link("damaged"),
        True,
    ),
    Family(
        "litemrc_link_oversized_frames",
        "Frames longer than any message.",
        ("device",),
        _of_link("oversized"),
        True,
    ),
    Family("litemrc_link_lost_frames", "Frames that did not arrive.", ("device",), _of_link("lost"), True),
    Family(
        "litemrc_link_restarts",
        "Restarts of the device seen on the link.",
        ("device",),
        _of_link("restarts"),
        True,
    ),
    Family(
        "litemrc_epoch_messages_lost",
        "Epochs that did not arrive.",
        ("device",),
        _of_link("epoch_messages_lost"),
        True,
    ),
    Family(
        "litemrc_history_bytes",
        "Size of the files that keep the device's epochs.",
        ("device",),
        _of_device(lambda served, _: served.kept.extent.bytes if served.kept else None),
    ),
    Family(
        "litemrc_history_epochs",
        "Epochs in these files.",
        ("device",),
        _of_device(lambda served, _: served.kept.extent.epochs if served.kept else None),
    ),
)


class _Devices(Collector):
    """All families of all devices, and the readers of the server."""

    def __init__(self, fleet: Fleet, hub: LiveHub) -> None:
        self._fleet, self._hub = fleet, hub
        self._tallies = {name: Tallies() for name in fleet}
        for name, served in fleet.items():
            served.feed.listen(self._tallies[name])

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        for family in FAMILIES:
            kind = CounterMetricFamily if family.counter else GaugeMetricFamily
            metric = kind(family.name, family.help, labels=family.labels)
            for name, served in self._fleet.items():
                with self._tallies[name].lock:
                    samples = list(family.samples(served, self._tallies[name]))
                for labels, value in samples:
                    metric.add_metric(labels, value)
            yield metric
        yield GaugeMetricFamily("litemrc_live_readers", "Readers of live events.", self._hub.readers)
        missed = "Epochs left out for live readers that were too slow."
        yield CounterMetricFamily("litemrc_live_missed_epochs", missed, self._hub.missed)
        info = GaugeMetricFamily("litemrc_build_info", "1; version of LiteMRC.", labels=["version"])
        info.add_metric([version("litemrc")], 1)
        yield info


def metrics_routes(fleet: Fleet, hub: LiveHub, lanes: Lanes) -> APIRouter:
    """Return the route of the metrics; to be made before the feeds start."""
    registry = CollectorRegistry()
    registry.register(_Devices(fleet, hub))
    ProcessCollector(registry=registry)
    routes = APIRouter()

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def metrics(request: Request) -> Response:
        """Metrics of all devices for Prometheus."""
        text = await lanes.metrics.run(request, lambda _: generate_latest(registry))
        return Response(text, media_type=_TYPE)

    return routes
