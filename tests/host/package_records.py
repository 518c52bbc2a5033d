"""The dataclasses of a package, for tests that hold for all of its records."""

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator


def mutable_records(package: str) -> set[str]:
    """The names of the dataclasses whose attributes can be set."""
    return {record.__name__ for record in _records(package) if not record.__dataclass_params__.frozen}


def ambiguous_records(package: str) -> set[str]:
    """The names of the immutable dataclasses whose == would compare arrays, which have no single answer."""
    return {
        record.__name__
        for record in _records(package)
        if record.__dataclass_params__.frozen
        and record.__dataclass_params__.eq
        and any("ndarray" in str(field.type) for field in dataclasses.fields(record))
    }


def _records(package: str) -> Iterator[type]:
    found = importlib.import_module(package)
    for module in pkgutil.walk_packages(found.__path__, f"{package}."):
        for each in vars(importlib.import_module(module.name)).values():
            if isinstance(each, type) and dataclasses.is_dataclass(each) and each.__module__ == module.name:
                yield each
