"""Headless Chromium controlled through the WebDriver protocol, with the standard library only."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,1000",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def programs() -> tuple[str, str] | None:
    """The paths of the driver and the browser; None if one of them is missing."""
    driver = shutil.which("chromedriver")
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return (driver, browser) if driver and browser else None


class Browser:
    """One window."""

    def __init__(self, folder: Path) -> None:
        found = programs()
        assert found is not None
        driver, browser = found
        self._process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if port := re.search(r"successfully on port (\d+)", line):
                break
        self._base = f"http://127.0.0.1:{port[1]}/session"
        options = {"binary": browser, "args": [*FLAGS, f"--user-data-dir={folder}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            made = self._call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        except OSError:
            self._stop()
            raise
        self._base += f"/{made['sessionId']}"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, page: Path) -> None:
        self._call("POST", "/url", {"url": page.as_uri()})
        until = time.monotonic() + 10
        while not self.run("return document.hasFocus()") and time.monotonic() < until:
            time.sleep(0.02)  # a busy machine gives the page its focus late, and keys before that are lost

    def run(self, script: str) -> Any:
        """The result of a script."""
        return self._call("POST", "/execute/sync", {"script": script, "args": []})

    def click(self, selector: str) -> None:
        element = self._call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        self._call("POST", f"/element/{element}/click")

    def press(self, *keys: str) -> None:
        """Keys, one after the other, wherever the focus is."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def prefer(self, scheme: str) -> None:
        """Dark or light."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})

    def console(self) -> list[str]:
        """The messages of the console since the last call."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("GET", "/screenshot")))

    def close(self) -> None:
        try:
            self._call("DELETE", "")
        finally:
            self._stop()

    def _stop(self) -> None:
        self._process.terminate()
        self._process.communicate(timeout=20)
