# SPDX-License-Identifier: BSD-2-Clause
"""Settings are changed from the page with the token, and refusals are shown with their reason."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from litemrc.device.link.protocol import Message

from tests.host.paced_device import PacedDevice, paced
from tests.host.scripted_device import told
from tests.host.serve.page_browser import chromium, expect, needs_chromium, opened, served, sync_api
from tests.timeouts import wait_until

pytestmark = needs_chromium
TOKEN = "a-token-of-the-test-0123456789"


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def device() -> Iterator[PacedDevice]:
    with paced(contexts=4, rate=5) as device:
        plain = device.answer

        def answer(request: Message) -> Message:
            if request.name == "set_budget" and request.context > 3:
                return told("nak", request=request.sequence, error="bad_argument")
            return plain(request)

        device.answer = answer
        yield device


@pytest.fixture(scope="module")
def page(
    browser: "sync_api.Browser", device: PacedDevice, tmp_path_factory: pytest.TempPathFactory
) -> Iterator["sync_api.Page"]:
    file: Path = tmp_path_factory.mktemp("token") / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    with (
        served({"a": device}, "--control", "--token-file", str(file)) as server,
        opened(browser, server) as page,
    ):
        page.get_by_role("button", name="Control").click()
        yield page


def answer(page: "sync_api.Page", begins: str) -> str:
    expect(page, f"document.querySelector('#control-answer').textContent.startsWith('{begins}')", 20)
    return page.inner_text("#control-answer")


def test_a_wrong_token_is_refused_with_the_remedy(page: "sync_api.Page", device: PacedDevice) -> None:
    page.get_by_label("Token").fill("wrong")
    page.get_by_label("Length").fill("500")
    page.get_by_role("button", name="Set length").click()
    said = answer(page, "⚠ Refused: ")
    assert "token" in said and ";" in said  # reason; remedy
    assert "set_epoch" not in device.settings


def test_settings_reach_the_device(page: "sync_api.Page", device: PacedDevice) -> None:
    page.get_by_label("Token").fill(TOKEN)
    for button, begins, name, wanted in (
        ("Set length", "The epoch length is set.", "set_epoch", {"length": 500}),
        ("Set freeze", "Freeze is set.", "freeze", {"on": True}),
        ("Follow", "The context follows", "follow", {"context": 1, "pid": 57}),
        ("Set budget", "The budget is set.", "set_budget", {"context": 1, "pages": 4096}),
    ):
        page.get_by_label("Length").fill("500")
        page.get_by_label("stop counting").check()
        page.get_by_label("Process number").fill("57")
        page.get_by_label("Size").fill("16 MiB")  # 4,096 pages of 4 KiB
        page.get_by_role("button", name=button, exact=True).click()
        answer(page, begins)
        wait_until(lambda name=name: name in device.settings, what=name)
        assert wanted.items() <= device.settings[name].items()
    assert page.evaluate("sessionStorage.getItem('litemrc-token')") == TOKEN
    assert page.evaluate("JSON.stringify(localStorage)").count(TOKEN) == 0


def test_what_the_page_or_the_device_refuses_is_said(page: "sync_api.Page") -> None:
    page.get_by_label("Size").fill("sixteen")
    page.get_by_role("button", name="Set budget").click()
    assert "write it as 16 MiB" in answer(page, "⚠ Refused: sixteen")
    page.get_by_label("Size").fill("16 MiB")
    page.locator("form[data-action=budget] [name=context]").fill("99")
    page.get_by_role("button", name="Set budget").click()
    expect(page, "/Refused: .*set_budget/.test(document.querySelector('#control-answer').textContent)", 20)


def test_a_server_without_control_offers_none(browser: "sync_api.Browser") -> None:
    with paced(contexts=2) as device, served({"a": device}) as server, opened(browser, server) as page:
        expect(page, "document.querySelector('#devices').innerText.includes('connected')", 20)
        assert not page.get_by_role("button", name="Control").is_visible()
