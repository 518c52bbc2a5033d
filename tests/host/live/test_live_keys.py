# SPDX-License-Identifier: BSD-2-Clause
"""Each key of the program, on a device behind a TCP port."""

import asyncio
from pathlib import Path

import pytest
from litemrc.live.app import LiveApp
from textual.widgets import Input, Label

from tests.host.live.live_sessions import WIDE, connected, said, shown, text, until
from tests.host.paced_device import NO_BUDGET, PacedDevice, paced


def run(device: PacedDevice, out: Path, scenario, size=(80, 24)) -> None:
    """Run a scenario(app, pilot) on a device."""

    async def session() -> None:
        with connected(device, out) as connection:
            async with shown(connection, size) as (app, pilot):
                await scenario(app, pilot)

    asyncio.run(session())


async def fill(app: LiveApp, pilot, *values: str) -> None:
    """Fill the lines of the open form, and accept them."""
    await until(lambda: len(app.screen.query(Input)) == len(values), "the form")
    for line, value in zip(app.screen.query(Input), values, strict=True):
        line.value = value
    app.screen.query(Input).first().focus()
    await pilot.press("enter")


def test_tabs_show_curves_contexts_ranks_hot_pages_and_the_heat_map(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await until(lambda: "32 MiB" in text(app) and "≤min+0.01" in text(app), "curves and contexts")
        for key, words in (
            ("2", "≤min+0.01"),
            ("3", "MT41K128M16"),
            ("4", "accesses to 16 pages"),
            ("5", "share of pages"),
        ):
            await pilot.press(key)
            await until(lambda words=words: words in text(app), f"the panel of {key}")
            assert ("miss ratio" in text(app)) == (key == "1")

    with paced(rate=20, hot_on=True) as device:
        run(device, tmp_path, scenario)


def test_a_wide_window_has_all_panels_side_by_side(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        for words in ("miss ratio", "≤min+0.01", "MT41K128M16", "hot pages", "share of pages"):
            await until(lambda words=words: words in text(app), words)
        await pilot.resize_terminal(80, 24)
        await until(lambda: "MT41K128M16" not in text(app) and "≤min+0.01" in text(app), "the narrow window")

    with paced(rate=20, hot_on=True) as device:
        run(device, tmp_path, scenario, WIDE)


def test_dram_traffic_has_a_tab_and_a_panel_of_the_wide_window(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await until(lambda: "B/s read, " in text(app) and "of the peak" in text(app), "the header")
        assert "ACTIVATEs" not in text(app)
        await pilot.press("6")
        await until(lambda: "ACTIVATEs" in text(app) and "8 banks" in text(app), "the panel")
        await pilot.press("1")
        await pilot.resize_terminal(*WIDE)
        await until(lambda: all(words in text(app) for words in ("8 banks", "hot pages")), "the wide window")

    with paced(rate=20, hot_on=True, banks=8) as device:
        run(device, tmp_path, scenario)


def test_e_sets_the_epoch_length_and_refuses_nonsense(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("e")
        await fill(app, pilot, "12 apples")
        wrong = app.screen.query_one("#wrong", Label)
        await until(lambda: "write a number and accesses or cycles" in str(wrong.render()), "the remedy")
        await fill(app, pilot, "20,000 cycles")
        await until(said(app, "epochs have 20,000"), "the answer")

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)
        assert (device.settings["set_epoch"]["length"], device.settings["set_epoch"]["unit"]) == (
            20_000,
            "cycles",
        )


def test_f_freezes_and_a_refusal_is_shown_with_its_reason_and_remedy(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("f")
        await until(said(app, "frozen: stacks are updated"), "the answer")
        device.refused["freeze"] = "a flash is under way"
        await pilot.press("f")
        await until(said(app, "the device refused freeze: busy: a flash is under way"), "the refusal")
        assert said(app, "wait for the running program to end")()
        assert app.messages[-1][1]

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)
        assert device.settings["freeze"]["on"] is True


def test_c_chooses_contexts(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await until(lambda: " 6 context 6" in text(app), "the contexts")
        await pilot.press("c")
        await pilot.press("space", "enter")  # context 0 is chosen first
        await until(lambda: "kernel" not in text(app) and " 6 context 6" in text(app), "the choice")
        assert app.chosen == frozenset(range(1, 8))

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)


def test_p_follows_a_process(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("p")
        await fill(app, pilot, "57", "3")
        await until(said(app, "context 3 follows followed (pid 57)"), "the answer")
        await pilot.press("p")
        await fill(app, pilot, "0", "")
        await until(
            lambda: "give the context" in str(app.screen.query_one("#wrong", Label).render()), "reason"
        )
        await pilot.press("escape")

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)
        assert (device.settings["follow"]["context"], device.settings["follow"]["pid"]) == (3, 57)


def test_p_says_that_bare_metal_has_no_processes(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("p")
        await until(said(app, "no operating system"), "the reason")

    with paced(rate=20, system="") as device:
        run(device, tmp_path, scenario)
        assert "follow" not in device.settings


@pytest.mark.parametrize(("size", "pages"), [("512", 512), ("2M", 512), ("none", NO_BUDGET)])
def test_b_sets_a_budget_in_pages_or_bytes_or_lifts_it(tmp_path: Path, size: str, pages: int) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("b")
        await fill(app, pilot, "2", size)
        answer = "context 2 has no limit" if size == "none" else "context 2 may have 2 MiB; it has 400 KiB"
        await until(said(app, answer), "the answer")

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)
        assert (device.settings["set_budget"]["context"], device.settings["set_budget"]["pages"]) == (
            2,
            pages,
        )


def test_w_sums_windows_in_turn(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        for window in (5, 20, 100, 1):
            await pilot.press("w")
            assert app.window == window
        await pilot.press("w")
        await until(lambda: "window 5 epochs" in text(app) and "sum of 5 epochs" in text(app), "the window")

    with paced(rate=40) as device:
        run(device, tmp_path, scenario)


def test_space_holds_the_display_but_not_the_feed(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("space")
        await until(lambda: "PAUSED" in text(app), "the flag")
        held, arrived = text(app), app._connection.recent.arrived
        await until(lambda: app._connection.recent.arrived >= arrived + 10, "more epochs")
        assert text(app) == held
        await pilot.press("space")
        await until(lambda: "PAUSED" not in text(app) and text(app) != held, "the display")

    with paced(rate=40) as device:
        run(device, tmp_path, scenario)


def test_s_saves_the_screen(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("s")
        await until(said(app, "saved"), "the file")

    with paced(rate=20) as device:
        run(device, tmp_path / "shots", scenario)
    (picture,) = (tmp_path / "shots").glob("live-*.svg")
    assert "LiteMRC" in picture.read_text()


def test_s_says_that_it_cannot_write(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("s")
        await until(said(app, "cannot write"), "the reason")

    (tmp_path / "file").touch()
    with paced(rate=20) as device:
        run(device, tmp_path / "file", scenario)


def test_h_turns_hot_pages_on_only_when_it_is_pressed(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("4")
        await until(lambda: "h turns them on" in text(app), "the hint")
        assert "set_hot" not in device.requests
        await pilot.press("h")
        await until(lambda: "are dropped" in text(app), "the question")
        await pilot.press("escape")
        await until(lambda: "are dropped" not in text(app), "the end of the question")
        assert "set_hot" not in device.requests
        await pilot.press("h")
        await until(lambda: "are dropped" in text(app), "the question")
        await pilot.press("y")
        await until(said(app, "every page was invalidated"), "the answer")
        await until(lambda: "hot pages  " in text(app) and "1,000" in text(app), "hot pages")

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)
        assert device.hot_on and not device.hot_sent, "messages are as before, the explicit setting stays"


def test_an_idle_device_says_so_and_n_starts_a_program(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await until(lambda: "runs no program: n starts one of zipf, loop" in text(app), "the hint")
        await pilot.press("n")
        await fill(app, pilot, "lop")
        await until(said(app, "did you mean loop?"), "the refusal")
        assert "run" not in device.requests
        await pilot.press("n")
        await fill(app, pilot, "loop:3:2")
        await until(said(app, "loop runs"), "the answer")
        device.rate = 20
        await until(lambda: "runs no program" not in text(app) and "epoch " in text(app), "epochs")

    with paced(rate=0, system="") as device:
        run(device, tmp_path, scenario)
        started = device.settings["run"]
        assert (started["workload"], started["context"], started["scale"]) == (1, 3, 2)


def test_question_mark_shows_every_key(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("question_mark")
        await until(lambda: "set the memory budget" in text(app), "the help")
        await pilot.press("escape")
        await until(lambda: "set the memory budget" not in text(app), "the end of the help")

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)


def test_t_changes_to_light_colours(tmp_path: Path) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        await pilot.press("t")
        assert not app.current_theme.dark

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_the_program_ends_and_page_messages_are_as_before(tmp_path: Path, key: str) -> None:
    async def scenario(app: LiveApp, pilot) -> None:
        assert device.accessed_on
        await pilot.press(key)
        await until(lambda: app.return_code is not None or not app.is_running, "the end")

    with paced(rate=20) as device:
        run(device, tmp_path, scenario)
        assert not device.accessed_on and not device.hot_sent
