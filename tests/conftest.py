"""For all tests: what takes long on a busy machine is no failure."""

import signal

import patience
from hypothesis import settings

settings.register_profile("litemrc", deadline=None)
settings.load_profile("litemrc")


# A shell without job control starts background commands with SIGINT ignored, and children would inherit that:
# the tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    return f"patience: limits x {patience.factor():.1f} now (tests/patience.py)"
