"""Settings change for the token's owner only, and an answer says what is in force."""

import httpx
import pytest
from litemrc.serve.security import Tokens

from tests.host.paced_device import paced
from tests.host.serve.http_serving import TOKEN, Serving, serving
from tests.timeouts import scaled_timeout, wait_until


def post(
    served: Serving, path: str, body: object, token: str = TOKEN, device: str = "device"
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"{served.url}/api/v1/devices/{device}/control/{path}"
    return httpx.post(url, json=body, headers=headers, timeout=scaled_timeout(20))


@pytest.fixture(scope="module")
def controlled():
    with paced(rate=20) as device, serving(device.url, token=TOKEN) as served:
        served.wait_for_epochs(1)
        yield device, served


def test_the_owner_of_the_token_changes_settings(controlled) -> None:
    device, served = controlled
    assert served.json("/api/v1/devices")["control"]
    assert post(served, "epoch", {"length": 50, "unit": "accesses"}).json() == {
        "length": 50,
        "unit": "accesses",
    }
    assert device.settings["set_epoch"] == {"unit": "accesses", "length": 50}
    assert post(served, "freeze", {"on": True}).json() == {"on": True}
    assert device.settings["freeze"] == {"on": True}
    answer = post(served, "follow", {"context": 2, "pid": 77}).json()
    assert answer == {"context": 2, "state": "following", "pid": 77, "comm": "followed"}
    answer = post(served, "budget", {"context": 2, "bytes": 8192}).json()
    assert answer == {"context": 2, "bytes": 8192, "used_bytes": 100 * 4096}
    assert device.settings["set_budget"]["pages"] == 2
    assert post(served, "budget", {"context": 2, "bytes": None}).json()["bytes"] is None


@pytest.mark.parametrize(
    "token", ["x", "wrong", TOKEN + "x", TOKEN[:-1], "\N{LATIN SMALL LETTER E WITH ACUTE}"]
)
def test_others_change_nothing(controlled, token: str) -> None:
    device, served = controlled
    before = list(device.requests)
    headers = {"Authorization": f"Bearer {token}".encode("latin-1")}
    url = f"{served.url}/api/v1/devices/device/control/freeze"
    answer = httpx.post(url, json={"on": False}, headers=headers, timeout=scaled_timeout(20))
    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert device.requests == before


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("epoch", {"length": 0, "unit": "cycles"}, 422),
        ("epoch", {"length": 5, "unit": "years"}, 422),
        ("epoch", {"length": 5}, 422),
        ("epoch", {"length": "5", "unit": "cycles", "more": 1}, 422),
        ("epoch", [], 422),
        ("follow", {"context": 256, "pid": 1}, 422),
        ("budget", {"context": 1, "bytes": 4097}, 422),
        ("budget", {"context": 1, "bytes": 1 << 60}, 409),  # more pages than the protocol has numbers for
    ],
)
def test_bad_values_are_refused_with_a_reason(controlled, path: str, body: object, status: int) -> None:
    device, served = controlled
    before = list(device.requests)
    answer = post(served, path, body)
    assert answer.status_code == status and answer.json()["error"]
    assert device.requests == before


def test_an_unknown_device_is_not_found_but_only_by_the_owner(controlled) -> None:
    _, served = controlled
    assert post(served, "freeze", {"on": True}, device="nobody").status_code == 404
    assert post(served, "freeze", {"on": True}, device="nobody", token="guess").status_code == 401


def test_without_control_every_change_is_forbidden() -> None:
    with paced(rate=20) as device, serving(device.url) as served:
        served.wait_for_epochs(1)
        answer = post(served, "freeze", {"on": True})
        assert answer.status_code == 403 and "--control" in answer.json()["remedy"]
        assert "freeze" not in device.requests and not served.json("/api/v1/devices")["control"]


def test_a_device_without_a_session_is_unavailable() -> None:
    with serving("/dev/there-is-no-such-port", token=TOKEN) as served:
        wait_until(lambda: served.fleet["device"].failure, 10, "a failure")
        answer = post(served, "freeze", {"on": True})
        assert answer.status_code == 503 and "No such file" in answer.json()["error"]


def test_only_the_very_token_is_allowed() -> None:
    tokens = Tokens("secret")
    assert tokens.allow("Bearer secret") and tokens.allow("bearer secret")
    for other in (None, "", "secret", "Bearer", "Bearer ", "Basic secret", "Bearer secret2", "Bearer Secret"):
        assert not tokens.allow(other)
    assert not Tokens(None).allow("Bearer None") and not Tokens(None).control
