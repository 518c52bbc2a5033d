"""Metrics of all devices in Prometheus' text format, made when they are asked for."""

from collections.abc import Iterator
from importlib.metadata import version

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from litemrc.serve.fleet import Fleet
from litemrc.serve.lanes import Lanes
from litemrc.serve.live import LiveHub
from litemrc.serve.metrics.families import FAMILIES
from litemrc.serve.metrics.tallies import Tallies

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


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
