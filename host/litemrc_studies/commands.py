# SPDX-License-Identifier: BSD-2-Clause
"""The commands that the studies add to `litemrc`: entry points of host/pyproject.toml."""

COMMANDS = {
    "studies": {
        "simulate": ("litemrc_studies.simulate", "run a trace-driven machine"),
        "replace": (
            "litemrc_studies.glass1997.command.replace",
            "count the page faults of traces under LRU, CLOCK, OPT and SEQ replacement",
        ),
        "sweep": (
            "litemrc_studies.sweeps.command.sweep",
            "run grids of parameters of trace-driven machines on a Dask cluster",
        ),
        "intents": (
            "litemrc_studies.jantz2013.command.intents",
            "check an application's intents for its page colors",
        ),
    }
}

DEMOS = {
    "studies": {
        "linux-govern": (
            "litemrc_studies.zhou2004.command.linux_govern",
            "boot Linux on the simulated SoC, and govern the memory of two programs by their curves",
        ),
    }
}
