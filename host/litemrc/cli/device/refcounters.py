"""`litemrc refcounters`: the reference counters of a device: arm, read and watch them."""

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from litemrc.cli.device.refcounters_text import print_json, print_table, setting_text, tell_event, tell_row
from litemrc.cli.shared.arguments import add_epoch_arguments, add_port_arguments, add_run_argument, positive
from litemrc.curves.sizes import size_text
from litemrc.device import ref_counters
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_copies import PagesRow
from litemrc.device.device import Device
from litemrc.device.link.protocol import Message
from litemrc.device.ref_counters import CounterSetting, RefCounterUnit
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.traces.generators.traffic import Traffic

_EPILOG = """\
Without an action: what the device has, and what its counters count.

  litemrc refcounters --port URL arm delay --initial 64 --reads --masters traffic --pages 0:15
  litemrc refcounters --port URL traffic --pages 0:15 --writes 128 --gap 2000 --count 100000
  litemrc refcounters --port URL read 0:15
  litemrc refcounters --port URL watch --events 16
  litemrc refcounters --port URL watch --run replicate:1:2

Accesses of the processor through its caches are master cpu, those through the remote window master remote,
those of the traffic generator master traffic. A counter that has reached zero is silent until it is armed
anew (arm; or set, of one page). The program `replicate` makes copies of pages when DELAY says so and drops
them when UPDATE does; watch shows what that costs.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc refcounters`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser, required=False)
    parser.add_argument("--json", action="store_true", help="print JSON: an object, or one a line (watch)")
    parser.set_defaults(action=_show)
    actions = parser.add_subparsers(metavar="arm | read | set | traffic | watch")
    for name, purpose, declare, action in (
        ("arm", "say what a counter counts, and load all counters with their initial values", _add_arm, _arm),
        ("read", "show counters of pages", _add_read, _read),
        ("set", "load one page's counter", _add_set, _set),
        ("traffic", "have the traffic generator make accesses", _add_traffic, _traffic),
        ("watch", "show events as they come, and what a program's copies of pages cost", _add_watch, _watch),
    ):
        sub = actions.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        declare(sub)
        sub.set_defaults(action=action)
        # Behind the action as well as before it.
        sub.add_argument("--port", metavar="URL", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc refcounters`."""
    if not args.port:
        raise UserError("no device is named", remedy="add --port URL, such as socket://localhost:1234")
    with Device.open(args.port, timeout_s=args.timeout, baud=args.baud) as device:
        args.action(device, ref_counters.get_unit(device), args)
    return 0


def _add_counter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("counter", choices=ref_counters.page_counters())


def _add_arm(parser: argparse.ArgumentParser) -> None:
    _add_counter(parser)
    parser.add_argument("--initial", metavar="N", type=_whole, required=True, help="0: it counts nothing")
    parser.add_argument("--reads", action="store_true", help="count reads (else, without --writes, both)")
    parser.add_argument("--writes", action="store_true", help="count writes")
    parser.add_argument(
        "--masters",
        metavar="NAME,...",
        type=_masters,
        help=f"of {', '.join(ref_counters.masters())}; or numbers (all)",
    )
    parser.add_argument("--contexts", metavar="N,...", type=_numbers, help="contexts (all)")
    parser.add_argument("--pages", metavar="A:B", type=_pages, help="first and last page (all)")


def _add_read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pages", metavar="A[:B]", type=_pages, help="first and last page")


def _add_set(parser: argparse.ArgumentParser) -> None:
    _add_counter(parser)
    parser.add_argument("--page", metavar="N", type=_whole, required=True)
    parser.add_argument("--value", metavar="N", type=_whole, required=True, help="0: it counts no more")


def _add_traffic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", metavar="A:B", type=_pages, required=True, help="a power of two of pages")
    parser.add_argument(
        "--stride", metavar="WORDS", type=_whole, help="words from one to the next (at random)"
    )
    parser.add_argument("--writes", metavar="N", type=_whole, default=0, help="of 256 accesses (%(default)s)")
    parser.add_argument("--gap", metavar="CLOCKS", type=_whole, default=0, help="between two (%(default)s)")
    parser.add_argument("--count", metavar="N", type=_whole, required=True, help="accesses; 0 stops")
    parser.add_argument("--seed", metavar="N", type=positive, default=1, help="of the stream (%(default)s)")


def _add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--events", metavar="N", type=positive, help="end after so many (else at Ctrl-C)")
    add_run_argument(parser, "run a program meanwhile, and end with it")
    add_epoch_arguments(parser)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _numbers(text: str) -> list[int]:
    return [_whole(part) for part in text.split(",")]


def _masters(text: str) -> list[int]:
    known = ref_counters.masters()
    return [known.index(part) if part in known else _whole(part) for part in text.split(",")]


def _pages(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text, re.ASCII)
    if not match or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(f"{text!r} is not a page, nor a range A:B of pages, such as 0:15")
    return int(match[1]), int(match[2] or match[1])


def _show(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    settings = {name: ref_counters.get_setting(device, name) for name in ref_counters.page_counters()}
    traffic = ref_counters.get_traffic(device)
    counting = any(on for _, on in settings.values())
    if args.json:
        told = {name: asdict(setting) for name, (setting, _) in settings.items()}
        print_json({**asdict(unit), "counting": counting, "counters": told, "traffic": asdict(traffic)})
        return
    size = size_text(1, 1 << unit.page_shift)
    print(f"{unit.pages:,} pages of {size}, 2 counters of {unit.width} bits each")
    print(f"counting: {'yes' if counting else 'no'}")
    for name, (setting, _) in settings.items():
        print(setting_text(name, setting, unit))
    print(f"traffic generator: {f'{traffic.left:,} accesses to come' if traffic.left else 'idle'}")
    print(f"lost: {unit.events_lost} events, {unit.accesses_lost} accesses")


def _bits(numbers: Iterable[int] | None, of: int) -> int:
    """A bit for each number; None: all."""
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
    names = ref_counters.page_counters()
    rows = [
        {"page": page, **{name: ref_counters.get_count(device, name, page) for name in names}}
        for page in range(first, last + 1)
    ]
    if args.json:
        print_json({"pages": rows})
    else:
        print_table(("page", *names), [list(row.values()) for row in rows])


def _set(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    ref_counters.set_count(device, args.counter, args.page, args.value)
    told = {"page": args.page, args.counter: ref_counters.get_count(device, args.counter, args.page)}
    if args.json:
        print_json(told)
    else:
        print(f"page {args.page}: {args.counter} {told[args.counter]}")


def _traffic(device: Device, unit: RefCounterUnit, args: argparse.Namespace) -> None:
    first, last = args.pages
    pages = last - first + 1
    if pages & (pages - 1):
        raise UserError(f"{pages} pages", where="--pages", remedy="name 1, 2, 4, 8 ... of them")
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
    if args.epoch_length:
        device.request("set_epoch", unit=args.epoch_unit, length=args.epoch_length)
    runs = [Run.parse(text) for text in args.runs]
    events = 0
    before: PagesRow | None = None
    for message in _messages(device, runs):
        if message.name == "count":
            tell_event(ref_counters.PageEvent.of_message(message), args.json)
            events += 1
        elif message.name == "pages":
            row = PagesRow.of_message(message)
            if before and before.references > row.references:
                before = None  # another run
            tell_row(row, before, args.json)
            before = row
        if args.events and events >= args.events:
            return


def _messages(device: Device, runs: list[Run]) -> Iterator[Message]:
    """Those of the device: while programs run, or without end."""
    if runs:
        yield from Collector(device).collect(None, runs)
        return
    while True:
        message = device.receive(device.timeout_s)
        if message is not None:
            yield message
