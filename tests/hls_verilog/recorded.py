# SPDX-License-Identifier: BSD-2-Clause
"""Keeps the counts of benches, which are named after their inputs and draw their words from a seed."""

import json
from pathlib import Path

from tests.cosim.running import counts_of
from tests.products import BUILD

RECORDS = BUILD / "counts"


def recorded_counts(executable: Path, *arguments: object, seconds: float) -> dict[str, float]:
    """Return the counts of a bench, which must find no difference; an earlier run of the same bench serves.

    Parameters
    ----------
    executable
        a product (products.py): its name has the fingerprint of its inputs.
    """
    record = RECORDS / f"{'-'.join(map(str, (executable.name, *arguments)))}.json"
    if record.exists():
        print(f"not run again, see {record}")
    else:
        counts = counts_of(executable, *arguments, seconds=seconds)
        record.parent.mkdir(exist_ok=True)
        record.write_text(json.dumps(counts) + "\n")
    return json.loads(record.read_text())
