"""Argument types of `litemrc replace`."""

import argparse
from dataclasses import fields

from litemrc.cli.shared.arguments import positive
from litemrc.errors import UserError
from litemrc.policies.replacement import Seq

_MOST_SIZES = 4096


def memory_sizes(text: str) -> list[int]:
    """Parse sizes in pages, such as 100,200 or 100-900:100."""
    sizes: list[int] = []
    for part in text.split(","):
        span, _, step = part.partition(":")
        if step:
            low, _, high = span.partition("-")
            sizes += range(positive(low), positive(high) + 1, positive(step))
        else:
            sizes.append(positive(part))
        if len(sizes) > _MOST_SIZES:
            raise argparse.ArgumentTypeError(f"must hold at most {_MOST_SIZES} sizes")
    if not sizes:
        raise argparse.ArgumentTypeError(f"must hold a size (got {text!r})")
    return list(dict.fromkeys(sizes))


def seq_parameters(text: str) -> Seq:
    """Parse parameters of SEQ, such as length=50,distance=50."""
    known = {field.name for field in fields(Seq)}
    given = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in known:
            raise argparse.ArgumentTypeError(f"SEQ has no parameter {name!r}; choose from {', '.join(known)}")
        given[name] = positive(value)
    try:
        return Seq(**given)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
