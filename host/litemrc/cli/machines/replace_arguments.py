"""What the arguments of `litemrc replace` may say."""

import argparse
from dataclasses import fields

from litemrc.cli.shared.arguments import positive
from litemrc.errors import UserError
from litemrc.policies.replacement import POLICIES, Seq

_MOST_SIZES = 4096


def policy_names(text: str) -> list[str]:
    """Names of policies, with commas between them, as argparse wants them."""
    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in POLICIES:
            raise argparse.ArgumentTypeError(f"no policy {name!r}: they are {', '.join(POLICIES)}")
    return names


def memory_sizes(text: str) -> list[int]:
    """Sizes in pages, such as 100,200 or 100-900:100, as argparse wants them."""
    sizes: list[int] = []
    for part in text.split(","):
        span, _, step = part.partition(":")
        if step:
            low, _, high = span.partition("-")
            sizes += range(positive(low), positive(high) + 1, positive(step))
        else:
            sizes.append(positive(part))
        if len(sizes) > _MOST_SIZES:
            raise argparse.ArgumentTypeError(f"more than {_MOST_SIZES} sizes")
    if not sizes:
        raise argparse.ArgumentTypeError(f"{text!r} holds no size")
    return list(dict.fromkeys(sizes))


def seq_parameters(text: str) -> Seq:
    """SEQ with some parameters, such as length=50,distance=50, as argparse wants it."""
    known = {field.name for field in fields(Seq)}
    given = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in known:
            raise argparse.ArgumentTypeError(f"SEQ has no parameter {name!r}: they are {', '.join(known)}")
        given[name] = positive(value)
    try:
        return Seq(**given)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def time_span(text: str) -> int:
    """A number of units of time, 0 or more, as argparse wants it."""
    return 0 if text == "0" else positive(text, limit=1 << 53)
