"""The devices as `/api/v1/devices` describes them."""

import time
from importlib.metadata import version

from litemrc.serve.epoch_json import Record, parameters_record
from litemrc.serve.fleet import Fleet, Served


def devices_record(fleet: Fleet, *, control: bool) -> Record:
    """Return all devices."""
    devices = [device_record(device) for device in fleet.values()]
    return {"devices": devices, "control": control, "version": version("litemrc")}


def device_record(device: Served) -> Record:
    """Return one device."""
    parameters = device.recent.parameters
    newest = device.recent.last(1)
    extent = device.kept.extent if device.kept else None
    return {
        "name": device.name,
        "labels": dict(device.labels),
        "connected": device.connected,
        "failure": device.failure,
        "rate": device.recent.rate if device.connected else None,
        "idle_s": max(time.time() - newest[0].arrived, 0.0) if newest else None,
        "epochs": device.recent.arrived,
        "sessions": device.feed.sessions,
        "history": vars(extent) if extent else None,
        "parameters": parameters_record(parameters) if parameters else None,
    }
