"""A damaged history is answered with what is whole, and a statement of what is not; never by a failure."""

import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from litemrc.feed.history.history import sealed_files
from litemrc.feed.history.kinds import EPOCHS
from litemrc.serve.api import models

from tests.host.paced_device import paced
from tests.host.serve.http_serving import serving
from tests.host.synthetic_epochs import START, keep

API = "/api/v1/devices/board"
LATER = [START + 100, START + 101]


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory):
    """A history with a damaged file of three epochs, one of two epochs, and those of a device."""
    folder: Path = tmp_path_factory.mktemp("history")
    keep(folder, [[START, START + 1, START + 2], LATER])
    path = min(sealed_files(folder, "board", EPOCHS))
    content = bytearray(path.read_bytes())
    content[200] ^= 4
    path.write_bytes(content)
    with paced(rate=20) as device, serving({"board": device.url}, history=folder) as served:
        served.wait_for_epochs(2, "board")
        yield served, str(path.relative_to(folder))


@pytest.mark.parametrize(
    ("request_", "model"),
    [("epochs", models.Epochs), ("curves", models.Curves), ("history", models.HistoryPoints)],
)
def test_an_answer_states_what_is_lost(damaged, request_, model) -> None:
    served, name = damaged
    answer = served.json(f"{API}/{request_}?start={START}&end={START + 200}")
    model.model_validate(answer)
    (damage,) = answer["damages"]
    assert damage["file"] == name
    assert damage["lost"].startswith("3 epochs that arrived from 2026-")
    assert (damage["first"], damage["last"]) == (START, START + 2)
    count = {"epochs": lambda: len(answer["epochs"]), "curves": lambda: answer["epochs"]}
    assert count.get(request_, lambda: sum(point["epochs"] for point in answer["points"]))() == 2
    assert "damages" not in served.json(f"{API}/{request_}?start={LATER[0]}&end={LATER[1]}")


def test_a_table_has_what_is_whole_and_a_header(damaged) -> None:
    served, name = damaged
    answer = served.get(f"{API}/epochs?start={START}&end={START + 200}&format=parquet")
    rows = pq.read_table(io.BytesIO(answer.content))
    assert {time.timestamp() for time in rows.column("arrived").to_pylist()} == set(LATER)
    assert answer.headers["litemrc-damage"].startswith(f"{name}: ")
    assert "lost: 3 epochs" in answer.headers["litemrc-damage"]
    later = served.get(f"{API}/epochs?start={LATER[0]}&end={LATER[1]}&format=csv")
    assert "litemrc-damage" not in later.headers
