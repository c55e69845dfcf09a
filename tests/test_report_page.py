"""The HTML report in a real browser: headless Chromium, driven through its debugging protocol."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="the extra [report] is not installed")

import aiohttp  # which lm-eval[api] brings

from tests.report_logs import make_inspect_logs
from treecut_tasks.report.evidence import read_evidence
from treecut_tasks.report.rendering.output import write_report
from treecut_tasks.report.sections import make_document

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SHOWN = 1000

CONTRAST = """
(() => {
  const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const parse = (s) => s.match(/[\\d.]+/g).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  let worst = [99, ""];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.offsetHeight || e.disabled) continue;
    const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < worst[0]) worst = [contrast, e.outerHTML.slice(0, 200)];
  }
  return worst;
})()
"""
"""The lowest contrast between a text and what is behind it (WCAG 2), and where."""


class Browser:
    """A page of Chromium; what it complains about is collected."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.complaints: list[str] = []
        self.requests: list[str] = []

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = json.loads((await self._socket.receive(timeout=600)).data)
            self._note(message)
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                result: dict[str, Any] = message["result"]
                return result

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(str(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.complaints.append(str(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.complaints.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])

    async def run(self, script: str) -> Any:
        answer = await self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def until(self, script: str) -> None:
        end = time.monotonic() + 600
        while not await self.run(script):
            assert time.monotonic() < end, f"never true: {script}"
            await asyncio.sleep(0.05)

    async def press(self, key: str, code: int, text: str = "") -> None:
        key_of = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        await self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **key_of)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **key_of)

    async def tab_until(self, script: str) -> int:
        """Press Tab until something is true of the focused element, `at`; how often."""
        for presses in range(1, 200):
            await self.press("Tab", 9)
            if await self.run(f"((at) => {script})(document.activeElement)"):
                return presses
        raise AssertionError(f"not reached with the Tab key: {script}")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    make_inspect_logs(folder / "logs", "structure", "evil")
    evidence = read_evidence([str(folder / "logs")])
    (path,) = write_report(evidence, make_document(evidence), folder, ["html"], _SHOWN)
    return path


def in_browser(page: Path, check: Callable[[Browser], Coroutine[Any, Any, None]]) -> None:
    """Open the page, check it, and make sure that nothing was complained about or loaded."""
    name = next(filter(None, map(shutil.which, _NAMES)), None)
    if name is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")

    async def drive(profile: Path) -> None:
        port_file = profile / "DevToolsActivePort"
        end = time.monotonic() + 600
        while not port_file.exists() or len(port_file.read_text("utf-8").splitlines()) < 2:
            assert time.monotonic() < end, "Chromium does not start"
            await asyncio.sleep(0.05)
        port = port_file.read_text("utf-8").splitlines()[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                targets = await answer.json()
            address = next(each for each in targets if each["type"] == "page")
            async with session.ws_connect(
                address["webSocketDebuggerUrl"], max_msg_size=0
            ) as socket:
                browser = Browser(socket)
                for domain in ("Runtime", "Log", "Network", "Page"):
                    await browser.send(f"{domain}.enable")
                await browser.send("Page.navigate", url=page.as_uri())
                await browser.until(
                    "location.protocol === 'file:' && document.readyState === 'complete'"
                )
                await check(browser)
                assert browser.complaints == []
                loaded = {url for url in browser.requests if not url.startswith("data:")}
                assert loaded == {page.as_uri()}

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                name,
                "--headless",
                # Tests may run as root in a container.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            asyncio.run(drive(Path(profile)))
        finally:
            process.terminate()
            process.wait(timeout=30)


def test_everything_is_visible_and_described(page: Path) -> None:
    async def check(browser: Browser) -> None:
        assert await browser.run("document.title") == "TreeCut report"
        assert await browser.run(
            "[...document.querySelectorAll('main table')].every("
            "(t) => t.offsetHeight > 20 && t.parentElement.ariaLabel)"
        )
        images = "[...document.images]"
        assert await browser.run(f"{images}.length") >= 4
        assert await browser.run(
            f"{images}.every((i) => i.complete && i.naturalWidth > 100 && i.offsetHeight > 50)"
        )
        assert await browser.run(f"{images}.every((i) => i.alt.length > 30)")
        assert await browser.run(
            "[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.hash))"
        )
        assert await browser.run("document.querySelectorAll('main script, main b').length") == 0
        assert await browser.run("document.documentElement.scrollWidth <= innerWidth")

    in_browser(page, check)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_in_light_and_dark(page: Path, scheme: str) -> None:
    async def check(browser: Browser) -> None:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        await browser.send("Emulation.setEmulatedMedia", features=[feature])
        inverted = (
            "[...document.images].every((i) => getComputedStyle(i).filter.includes('invert'))"
        )
        await browser.until(inverted if scheme == "dark" else f"!{inverted}")
        contrast, element = await browser.run(CONTRAST)
        assert contrast >= 4.5, element

    in_browser(page, check)


@pytest.mark.parametrize(
    ("width", "position"), [(1280, "sticky"), (1000, "sticky"), (500, "static")]
)
def test_the_navigation_hides_no_heading(page: Path, width: int, position: str) -> None:
    async def check(browser: Browser) -> None:
        await browser.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=800, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        found = "getComputedStyle(document.querySelector('nav')).position"
        assert await browser.run(found) == position
        for anchor in await browser.run(
            "[...document.querySelectorAll('nav a')].map((a) => a.hash)"
        ):
            await browser.run(f"document.querySelector({anchor!r}).scrollIntoView()")
            assert await browser.run(
                f"document.querySelector({anchor!r}).getBoundingClientRect().top >= "
                "document.querySelector('nav').getBoundingClientRect().bottom"
            )

    in_browser(page, check)


def test_it_can_be_used_with_the_keyboard_alone(page: Path) -> None:
    async def check(browser: Browser) -> None:
        assert await browser.tab_until("at.className === 'skip'") == 1
        await browser.tab_until("at.matches('nav a')")
        await browser.tab_until("at.matches('.scroll')")
        await browser.tab_until("at.matches('#filters select')")
        await browser.tab_until("at.matches('#list thead button')")
        await browser.press("Enter", 13, "\r")
        assert await browser.run("document.querySelector('th[aria-sort]').ariaSort") == "ascending"
        await browser.tab_until("at.matches('#list tbody button')")
        await browser.press("Enter", 13, "\r")
        assert await browser.run("document.getElementById('reader').open")
        assert "Solve the following maths word problem." in await browser.run(
            "document.getElementById('reader-prompt').textContent"
        )
        assert await browser.run("document.getElementById('reader-response').textContent")
        assert await browser.run("document.getElementById('reader-problem').textContent")
        assert "paper's rule" in await browser.run(
            "document.getElementById('reader-facts').textContent"
        )
        await browser.tab_until("at.id === 'newer'")
        await browser.press("Enter", 13, "\r")
        title = await browser.run("document.getElementById('reader-title').textContent")
        assert title.startswith("Response 2 of ")
        await browser.press("Escape", 27)
        assert not await browser.run("document.getElementById('reader').open")
        assert await browser.run("document.activeElement.matches('#list tbody button')")

    in_browser(page, check)


def test_responses_are_sorted_filtered_and_read(page: Path) -> None:
    async def check(browser: Browser) -> None:
        count = "document.getElementById('count').textContent"
        total = 3 * 20 + 3 * 2
        assert await browser.run(count) == f"{total} of {total} responses"
        column = (
            "[...document.querySelectorAll('#list tbody tr')].map((r) => +r.cells[2].textContent)"
        )
        head = "document.querySelectorAll('#list thead button')[2].click()"
        await browser.run(head)
        ascending = await browser.run(column)
        assert len(ascending) == 50
        await browser.run(head)
        descending = await browser.run(column)
        assert ascending == sorted(ascending) and descending == sorted(descending, reverse=True)
        assert ascending[0] < descending[0]

        choose = (
            "(() => { const s = [...document.querySelectorAll('#filters label')]"
            ".find((l) => l.textContent.startsWith('model')).querySelector('select');"
            "s.value = [...s.options].find((o) => o.text.includes('evil')).value;"
            "s.dispatchEvent(new Event('input')); })()"
        )
        await browser.run(choose)
        assert (await browser.run(count)).startswith(f"6 of {total} ")
        await browser.run("document.querySelector('#list tbody button').click()")
        # The response that tries to be markup is shown as the text that it is.
        response = await browser.run("document.getElementById('reader-response').textContent")
        assert "<script>alert('x')</script>" in response and "\x1b" not in response
        marked = await browser.run("document.querySelector('#reader-response mark').textContent")
        assert "The price of <i>x</i> is missing" in marked
        assert await browser.run("document.querySelectorAll('main i').length") == 0
        await browser.run("document.getElementById('close').click()")

        search = (
            "(() => { const s = document.querySelector('#filters input');"
            "s.value = 'no such words'; s.dispatchEvent(new Event('input')); })()"
        )
        await browser.run(search)
        assert (await browser.run(count)).startswith(f"0 of {total} ")

    in_browser(page, check)
