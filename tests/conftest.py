"""For all tests: what takes long on a busy machine is no failure."""

import patience
from hypothesis import settings

settings.register_profile("litemrc", deadline=None)
settings.load_profile("litemrc")


def pytest_report_header() -> str:
    return f"patience: limits x {patience.factor():.1f} now (tests/patience.py)"
