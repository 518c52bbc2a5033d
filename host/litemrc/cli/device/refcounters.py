# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc refcounters`: arm, read and watch the reference counters of a device."""

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from litemrc.cli.device.refcounters_text import print_event, print_json, print_row, setting_text
from litemrc.cli.shared.arguments import BUS_MASTERS, PAGE_COUNTERS, each_once, natural, positive
from litemrc.cli.shared.device_options import (
    add_epoch_arguments,
    add_port_arguments,
    add_run_argument,
    add_take_argument,
    open_device,
)
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import csv_text
from litemrc.curves.sizes import size_text
from litemrc.device import ref_counters
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.link.protocol import Message
from litemrc.device.ref_counters import CounterSetting, RefCounterUnit, TrafficState
from litemrc.device.running import Run
from litemrc.errors import UserError

_EPILOG = """\
Without an action: show the counters of the device and what they count.

  litemrc refcounters --port URL arm delay --initial 64 --reads --masters traffic --pages 0:15
  litemrc refcounters --port URL traffic --pages 0:15 --writes 128 --gap 2000 --count 100000
  litemrc refcounters --port URL read 0:15
  litemrc refcounters --port URL watch --events 16
  litemrc refcounters --port URL watch --run replicate:1:2

The masters: cpu (accesses of the processor through its caches), remote (accesses through the remote window)
and traffic (accesses of the traffic generator). A counter that has reached zero reports nothing more until it
is armed again, by arm, or by set for one page. The program `replicate` copies a page when its DELAY counter
reaches zero and drops the copy when its UPDATE counter does; watch shows the cost.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc refcounters`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser, required=False)
    parser.add_argument("--json", action="store_true", help="print one JSON object; watch: one per line")
    parser.set_defaults(action=_show)
    actions = parser.add_subparsers(metavar="arm | read | set | traffic | watch")
    for name, purpose, declare, action in (
        ("arm", "choose what a counter counts, and load the initial value for every page", _add_arm, _arm),
        ("read", "show counters of pages", _add_read, _read),
        ("set", "load the counter of one page", _add_set, _set),
        ("traffic", "start the traffic generator", _add_traffic, _traffic),
        ("watch", "show events as they occur, and the cost of a program's page copies", _add_watch, _watch),
    ):
        sub = actions.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        declare(sub)
        sub.set_defaults(action=action)
        # These options are accepted after the action as well.
        sub.add_argument("--port", metavar="URL", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        add_take_argument(sub, again=True)
        sub.add_argument(
            "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
        formats = sub.add_mutually_exclusive_group()
        formats.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        if action is _read:
            formats.add_argument(
                "--csv", action="store_true", help="print the counters as CSV and nothing else"
            )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc refcounters`."""
    if not args.port:
        raise UserError("--port is missing", remedy="add --port URL, such as socket://localhost:1234")
    with open_device(args) as device:
        args.action(device, ref_counters.get_unit(device), args)
    return 0


def _add_counter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("counter", choices=PAGE_COUNTERS)


def _add_arm(parser: argparse.ArgumentParser) -> None:
    _add_counter(parser)
    parser.add_argument(
        "--initial", metavar="N", type=natural, required=True, help="initial value; 0 disables the counter"
    )
    parser.add_argument("--reads", action="store_true", help="count reads (default without --writes: both)")
    parser.add_argument("--writes", action="store_true", help="count writes")
    parser.add_argument(
        "--masters",
        metavar="NAME,...",
        type=_masters,
        help=f"masters to count: {', '.join(BUS_MASTERS)}, or numbers (all)",
    )
    parser.add_argument(
        "--contexts", metavar="N,...", type=each_once(natural), help="contexts to count (all)"
    )
    parser.add_argument("--pages", metavar="A:B", type=_pages, help="pages to count, first and last (all)")


def _add_read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pages", metavar="A[:B]", type=_pages, help="first and last page")


def _add_set(parser: argparse.ArgumentParser) -> None:
    _add_counter(parser)
    parser.add_argument("--page", metavar="N", type=natural, required=True)
    parser.add_argument("--value", metavar="N", type=natural, required=True, help="0 disables the counter")


def _add_traffic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pages", metavar="A:B", type=_pages, required=True, help="pages to access; a power of two of them"
    )
    parser.add_argument(
        "--stride", metavar="WORDS", type=natural, help="words between accesses (default: random addresses)"
    )
    parser.add_argument(
        "--writes", metavar="N", type=natural, default=0, help="writes in 256 accesses (%(default)s)"
    )
    parser.add_argument(
        "--gap", metavar="CYCLES", type=natural, default=0, help="cycles between accesses (%(default)s)"
    )
    parser.add_argument(
        "--count", metavar="N", type=natural, required=True, help="number of accesses; 0 stops the generator"
    )
    parser.add_argument(
        "--seed", metavar="N", type=positive, default=1, help="seed of the access stream (%(default)s)"
    )


def _add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--events", metavar="N", type=positive, help="end after N events (default: at Ctrl-C)"
    )
    add_run_argument(parser, "run a program, and end with it")
    add_epoch_arguments(parser)


def _masters(text: str) -> list[int]:
    return [BUS_MASTERS.index(part) if part in BUS_MASTERS else natural(part) for part in text.split(",")]


def _pages(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text, re.ASCII)
    if not match or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(
            f"must be a page or a range A:B of pages, such as 0:15 (got {text!r})"
        )
    return int(match[1]), int(match[2] or match[1])


def _show(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    settings = {name: ref_counters.get_setting(device, name) for name in PAGE_COUNTERS}
    traffic = _traffic_or_none(device)
    counting = any(on for _, on in settings.values())
    if args.json:
        counters = {name: asdict(setting) for name, (setting, _) in settings.items()}
        print_json(
            {
                **asdict(unit),
                "counting": counting,
                "counters": counters,
                "traffic": traffic and asdict(traffic),
            }
        )
        return
    size = size_text(1, 1 << unit.page_shift)
    print(f"{unit.pages:,} pages of {size}, 2 counters of {unit.width} bits each")
    print(f"counting: {'yes' if counting else 'no'}")
    for name, (setting, _) in settings.items():
        print(setting_text(name, setting, unit))
    if traffic:
        print(f"traffic generator: {f'{traffic.left:,} accesses remaining' if traffic.left else 'idle'}")
    print(f"dropped: {unit.events_lost} events, {unit.accesses_lost} accesses")


def _traffic_or_none(device: Device) -> TrafficState | None:
    """Return the state of the traffic generator; None if there is none."""
    try:
        return ref_counters.get_traffic(device)
    except RequestRefusedError as error:
        if error.code == "unsupported":
            return None
        raise


def _bits(numbers: Iterable[int] | None, of: int) -> int:
    """Return a mask with one bit for each number; None: all bits."""
    return sum(1 << number for number in set(range(of) if numbers is None else numbers))


def _arm(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    both = not args.reads and not args.writes
    lower, upper = args.pages or (0, unit.pages - 1)
    setting = CounterSetting(
        initial=args.initial,
        reads=args.reads or both,
        writes=args.writes or both,
        masters=_bits(args.masters, unit.masters),
        contexts=_bits(args.contexts, unit.contexts),
        lower=lower,
        upper=upper,
    )
    armed = ref_counters.arm(device, args.counter, setting)
    if args.json:
        print_json({"counter": args.counter, **asdict(armed)})
    else:
        print(setting_text(args.counter, armed, unit))


def _read(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    first, last = args.pages
    names = PAGE_COUNTERS
    rows = [
        {"page": page, **{name: ref_counters.get_count(device, name, page) for name in names}}
        for page in range(first, last + 1)
    ]
    if args.json:
        print_json({"pages": rows})
    elif args.csv:
        print(csv_text(rows))
    else:
        print(text_table(("page", *names), [[str(value) for value in row.values()] for row in rows]))


def _set(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    ref_counters.set_count(device, args.counter, args.page, args.value)
    loaded = {"page": args.page, args.counter: ref_counters.get_count(device, args.counter, args.page)}
    if args.json:
        print_json(loaded)
    else:
        print(f"page {args.page}: {args.counter} {loaded[args.counter]}")


def _traffic(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    # Imported here and below: numpy takes long to load.
    from litemrc.traces.generators.traffic import Traffic

    first, last = args.pages
    pages = last - first + 1
    if pages & (pages - 1):
        raise UserError(
            f"the number of pages must be a power of two (got {pages} pages)",
            where="--pages",
            remedy="give a range of 1, 2, 4, 8 ... pages",
        )
    state = ref_counters.get_traffic(device)
    words = (pages << unit.page_shift) // state.word_bytes
    state = ref_counters.start_traffic(
        device,
        Traffic(
            base=(first << unit.page_shift) // state.word_bytes,
            words_log2=words.bit_length() - 1,
            random=args.stride is None,
            stride=args.stride or 0,
            writes=args.writes,
            seed=args.seed,
        ),
        gap=args.gap,
        count=args.count,
    )
    if args.json:
        print_json(asdict(state))
    else:
        print(f"{args.count:,} accesses to pages {first} to {last}")


def _watch(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    from litemrc.device.collecting.page_epochs import pages_rows

    if args.epoch_length:
        device.request("set_epoch", unit=args.epoch_unit, length=args.epoch_length)
    runs = [Run.parse(text) for text in args.runs]
    events = 0
    before: dict[str, int] | None = None
    for message in _messages(device, runs):
        if message.name == "count":
            print_event(ref_counters.PageEvent.of_message(message), args.json)
            events += 1
        for row in pages_rows(message.record) if message.name == "epoch" else ():
            if before and before["references"] > row["references"]:
                before = None  # another run has started
            print_row(row, before, args.json)
            before = row
        if args.events and events >= args.events:
            return


def _messages(device: Device, runs: list[Run]) -> Iterator[Message]:
    """Yield the messages of the device: while programs run, or forever."""
    if runs:
        from litemrc.device.collecting.collector import Collector

        yield from Collector(device).collect(None, runs)
        return
    while True:
        message = device.receive(device.timeout_s)
        if message is not None:
            yield message
