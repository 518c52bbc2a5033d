# SPDX-License-Identifier: BSD-2-Clause
from pathlib import Path

import pytest

from tests.models.model_library import REPO, build


@pytest.fixture(scope="session")
def library() -> Path:
    return build(REPO / "build/models_tests")
