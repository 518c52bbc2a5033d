"""`litemrc govern` over the daemon: budgets of programs follow their curves and are lifted at the end."""

import subprocess
import sys
import time

from fake_driver import FRAMES, GROUPS, Row
from patience import Deadline

MEMORY = FRAMES // 2  # four of eight page groups
GROUP_PAGES = FRAMES // GROUPS
EPOCHS = 8
PAGE_BYTES = 4096


def test_the_budget_of_a_program_follows_its_curve(daemon, driver):
    """The program hits in three groups only: these are its budget, of a memory of four."""
    high = driver.cgroup / "sleep" / "memory.high"
    command = [sys.executable, "-m", "litemrc.cli.main", "govern", "--port", daemon.cable.url]
    command += ["--memory", str(MEMORY), "--run", "sleep:1:100", "--epochs", str(EPOCHS), "--lease", "60"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    seen = set()
    deadline = Deadline(60)
    while process.poll() is None:
        assert not deadline.passed
        driver.finish_epoch({1: Row(misses=1, touched=1, hits=[500, 400, 300] + [0] * (GROUPS - 3))})
        time.sleep(0.1)
        if high.exists():
            seen.add(high.read_text())
    said, _ = process.communicate()

    assert process.returncode == 0
    assert f"budgets in pages 1: {3 * GROUP_PAGES:,}" in said
    assert seen == {"max\n", f"{3 * GROUP_PAGES * PAGE_BYTES}\n"}
    assert high.read_text() == "max\n", "lifted"
