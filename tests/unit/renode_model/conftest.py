import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from model_library import REPO, build


@pytest.fixture(scope="session")
def library() -> Path:
    return build(REPO / "build/renode_model_tests")
