# SPDX-License-Identifier: BSD-2-Clause
"""The page with hostile names, lost devices, restarted servers and long runs."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from litemrc.device.link.protocol import Message

from tests.host.paced_device import PacedDevice, paced
from tests.host.scripted_device import told
from tests.host.serve.page_browser import (
    chromium,
    expect,
    needs_chromium,
    opened,
    run_to_a_stop,
    served,
    sync_api,
)
from tests.timeouts import wait_until

pytestmark = needs_chromium
MARKUP = "<img src=x onerror=alert(1)>"
COMM = "<svg onload=f()>"  # the 16 bytes that a name of a process has
EPOCH = "Number(document.querySelector('#contexts tbody').dataset.epoch)"


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with chromium() as browser:
        yield browser


def follow_hostile(device: PacedDevice) -> None:
    """Let context 1 follow a process whose name is markup."""
    plain = device.answer

    def answer(request: Message) -> Message:
        if request.name == "get_process" and request.context == 1:
            return told("ack", request=request.sequence, values=[2, 57], payload=COMM.encode())
        return plain(request)

    device.answer = answer


def test_names_of_processes_and_systems_are_text(browser: "sync_api.Browser") -> None:
    with paced(system=MARKUP, contexts=3) as device:
        follow_hostile(device)
        with served({"a": device}) as server, opened(browser, server) as page:
            alerts = []
            page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
            run_to_a_stop(page, device)
            for view in ("#fleet", "#device/a"):
                page.goto(f"{server.url}/{view}")
                expect(page, f"document.querySelector('main').innerText.includes({COMM!r})", 20)
                for toggle in page.locator("main button[aria-controls]:visible").all():
                    toggle.click()
                page.wait_for_timeout(300)
                assert (
                    page.locator("main img, main image[onerror], main svg[onload], footer img").count() == 0
                )
            assert page.locator("#facts").inner_text().count(MARKUP) == 1
            assert f"{COMM} (pid 57)" in page.locator("#contexts").inner_text()
            legend = page.evaluate("document.querySelector('#curves .chart').data.map(trace => trace.name)")
            assert "&lt;svg onload=f()&gt; (pid 57)" in legend  # as Plotly reads markup in texts
            assert alerts == []


def test_a_lost_device_is_said_with_its_reason_and_found_again(browser: "sync_api.Browser") -> None:
    with ExitStack() as first:
        device = first.enter_context(paced(contexts=2))
        port = int(device.url.rpartition(":")[2])
        with served({"a": device}) as server, opened(browser, server) as page:
            before = run_to_a_stop(page, device)
            first.close()
            expect(page, "document.querySelector('#devices').innerText.includes('lost')", 30)
            assert page.inner_text("#status").startswith("a is lost: ")
            expect(page, "document.querySelector('#failure').textContent.startsWith('✕ Lost: ')")
            with paced(port=port, contexts=2) as other:
                expect(page, "document.querySelector('#devices').innerText.includes('connected')", 30)
                assert run_to_a_stop(page, other, epochs=3) < before  # numbers began again
                facts = "document.querySelector('#facts').textContent"
                expect(page, f"/in ([1-{other.epochs}]) epochs?.*Sessions/.test({facts})")  # none of before


def test_a_server_that_is_started_again_is_found(browser: "sync_api.Browser") -> None:
    with paced(contexts=2) as device, served({"a": device}) as server, opened(browser, server) as page:
        run_to_a_stop(page, device)
        server.stop()
        expect(page, "document.body.classList.contains('stale')", 20)
        assert "lost" in page.inner_text("#status")
        server.start()
        expect(page, "!document.body.classList.contains('stale')", 30)
        device.rate = 20
        expect(page, f"{EPOCH} > 20", 30)
        device.rate = 0


def test_a_page_that_was_too_slow_says_what_it_missed(browser: "sync_api.Browser") -> None:
    with paced(contexts=2) as device, served({"a": device}) as server, opened(browser, server) as page:
        run_to_a_stop(page, device)
        # What a server sends to such a page, as it can hardly be made slow on purpose.
        said = f"id: 1\nevent: behind\ndata: {json.dumps({'device': 'a', 'missed': 7})}\n\n"
        page.route(
            "**/api/v1/live*", lambda route: route.fulfill(content_type="text/event-stream", body=said)
        )
        page.get_by_role("radio", name="5", exact=True).first.check()
        expect(
            page,
            "/Left out for this page⚠ (7|14|21) epochs/.test(document.querySelector('#facts').textContent)",
            20,
        )


def test_memory_of_the_page_is_bounded(browser: "sync_api.Browser") -> None:
    with paced(hot_sent=True) as device, served({"a": device}) as server, opened(browser, server) as page:
        client = page.context.new_cdp_session(page)

        def heap() -> int:
            """What stays: a drawing under way holds garbage for a moment."""
            sizes = []
            for _ in range(5):
                client.send("HeapProfiler.collectGarbage")
                sizes.append(client.send("Runtime.getHeapUsage")["usedSize"])
                page.wait_for_timeout(200)
            return min(sizes)

        def run_on(epochs: int) -> None:
            until = device.epochs + epochs
            device.rate = 200
            wait_until(lambda: device.epochs >= until, 60, "the epochs")
            device.rate = 0
            time.sleep(0.5)
            expect(page, f"{EPOCH} === {device.epochs - 1}", 30)

        run_on(400)
        early = heap()
        run_on(1600)
        late = heap()
        # 1,600 epochs of 8 curves are about 16 MB of JSON; the heat map fills up meanwhile.
        assert late - early < 2_500_000, f"{early:,} -> {late:,} bytes"
