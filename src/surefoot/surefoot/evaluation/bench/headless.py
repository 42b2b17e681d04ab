# SPDX-License-Identifier: Apache-2.0
"""A browser without a screen, driven over its own protocol, so that no other tool is needed."""

import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from websockets.sync.client import connect

from surefoot.errors import SurefootError

PROGRAM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
"""Where it is; empty: there is none on this machine."""
NO_PROGRAM = "no Chromium on this machine; on Debian: sudo apt-get install chromium"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-gpu", "--enable-unsafe-swiftshader", "--hide-scrollbars",
    "--remote-debugging-port=0",
)  # fmt: skip
SCENE = "document.getElementById('scene').contentDocument.querySelectorAll('canvas').length > 1"
"""True in the page once the scene is there."""


class HeadlessBrowser:
    """One page in a browser of its own, drawn in software.

    Args:
        folder: for its profile and its log.
        patience: until something that is waited for counts as never coming, s.

    Raises:
        SurefootError: there is no browser, or it does not answer.
    """

    def __init__(self, folder: Path, patience: float = 60.0) -> None:
        if not PROGRAM:
            raise SurefootError(NO_PROGRAM)
        self.patience = patience
        with (folder / "browser.log").open("w") as log:
            self._process = subprocess.Popen(
                [PROGRAM, *FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
            )  # fmt: skip
        try:
            port_file = folder / "profile" / "DevToolsActivePort"
            self.until(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1, "the browser to start")
            port, path = port_file.read_text().split("\n")[:2]
            self._numbers = itertools.count(1)
            # A browser that is too busy to answer a ping for some seconds is there all the same.
            self._socket = connect(f"ws://127.0.0.1:{port}{path}", max_size=None, proxy=None, ping_interval=None)
            self._session = ""
            target = next(info for info in self.call("Target.getTargets")["targetInfos"] if info["type"] == "page")
            self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
            for domain in ("Page", "Runtime"):
                self.call(f"{domain}.enable")
        except BaseException:
            self._end()
            raise

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol; gives its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": self._session} if self._session else {})
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=self.patience))
            if answer.get("id") == number:
                if "error" in answer:
                    raise SurefootError(f"the browser refuses {method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait until a condition holds; gives its value. Raises SurefootError after the patience."""
        deadline = time.monotonic() + self.patience
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise SurefootError(f"gave up waiting for {what}, after {self.patience:g} s")
            time.sleep(0.05)
        return value

    def resize(self, width: int, height: int, phone: bool = False) -> None:
        """How large the page is, in pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def go_to(self, address: str) -> None:
        """Begin to open an address; nothing of it has to be there yet."""
        # The answer comes before the page that is there goes, which would go on to answer what is asked of the new one.
        self.run("window.isLeft = true")
        self.call("Page.navigate", url=address)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SurefootError(f"in the page, {script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def shows(self, script: str, what: str = "") -> Any:
        """Wait until an expression is true in the page."""
        # Of a page that has not loaded yet, nothing is there.
        soft = f"(() => {{ try {{ return !window.isLeft && !!({script}) }} catch (error) {{ return null }} }})()"
        return self.until(lambda: self.run(soft), what or script)

    def processes(self, kind: str = "") -> list[int]:
        """Its processes, of one kind such as gpu-process or renderer, or all of them."""
        family = psutil.Process(self._process.pid)
        return [one.pid for one in (family, *family.children(recursive=True)) if not kind or f"--type={kind}" in one.cmdline()]

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
