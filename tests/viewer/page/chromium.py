# SPDX-License-Identifier: Apache-2.0
"""What a person does at the page and looks at, in a browser without a screen; SUREFOOT_PICTURES names a folder for what it looks like."""

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot.evaluation.bench.headless import PROGRAM, SCENE, HeadlessBrowser

__all__ = ["DRAWN", "PROGRAM", "SCENE", "SIZES", "TIDY", "Browser", "until", "within"]

PATIENCE = 60.0
SETTLED = """(async () => {
  const element = document.querySelector(%s);
  if (!element) return null;
  element.scrollIntoView({ block: "center" });
  const middle = () => { const r = element.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
  const before = middle();
  await new Promise((done) => setTimeout(done, 150));
  const after = middle();
  return before.every((value, i) => value === after[i]) && element.contains(document.elementFromPoint(...after)) ? after : null;
})()"""
TIDY = """(() => {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`page is ${document.documentElement.scrollWidth} wide`);
  const boxes = ["header", "#view", "#timeline", "#diagram", "aside"].filter((name) => !document.querySelector(name).hidden)
    .map((name) => [name, document.querySelector(name).getBoundingClientRect()]);
  boxes.forEach(([a, r], i) => {
    if (r.width < 50 || r.height < 30 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1) wrong.push(`${a} does not fit`);
    boxes.slice(i + 1).forEach(([b, s]) => {
      if (r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 1 && s.top < r.bottom - 1) wrong.push(`${a} lies on ${b}`);
    });
  });
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const numbers = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(e).backgroundColor);
      if (a > 0.5) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const speaks = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const texts = [...document.querySelectorAll("header *, aside *, #timeline *, #legend *, #caption *")].filter((e) =>
    e.getClientRects().length && !e.matches("select, option, :disabled") && speaks(e));
  for (const e of texts) {
    const style = getComputedStyle(e), svg = e.closest("svg"), what = e.textContent.slice(0, 30);
    const scale = svg ? Math.min(svg.clientWidth / svg.viewBox.baseVal.width, svg.clientHeight / svg.viewBox.baseVal.height) : 1;
    if (scale * parseFloat(style.fontSize) < 11.9) wrong.push(`small: ${what}`);
    if (!svg && e.scrollWidth > e.clientWidth + 2 && style.display !== "inline") wrong.push(`cut off: ${what}`);
    const levels = [light(numbers(svg ? style.fill : style.color)), light(behind(svg ? svg.parentElement : e))].sort((a, b) => b - a);
    const contrast = (levels[0] + 0.05) / (levels[1] + 0.05);
    if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(1)}: ${what}`);
  }
  for (const place of ["header", "nav", ".tab:not([hidden])", "#playback", "#legend, #caption"]) {
    const inside = texts.filter((e) => e.closest(place)).map((e) => [e, e.getBoundingClientRect()]);
    inside.forEach(([e, r], i) => inside.slice(i + 1).forEach(([f, s]) => {
      const apart = r.left >= s.right - 1 || s.left >= r.right - 1 || r.top >= s.bottom - 1 || s.top >= r.bottom - 1;
      if (!apart && !e.contains(f) && !f.contains(e)) wrong.push(`${e.textContent.slice(0, 30)} lies on ${f.textContent.slice(0, 30)}`);
    }));
  }
  return wrong;
})()"""
"""What of the page does not fit, lies over something else, is small, or has less contrast than is asked of text [WCAG 2.2, 1.4.3]."""
DRAWN = """new Promise((done) => {
  const scene = document.getElementById('scene').contentWindow;
  scene.requestAnimationFrame(() => scene.requestAnimationFrame(() => scene.requestAnimationFrame(() => done(true))));
})"""
"""True once the scene has drawn what came so far."""
CALM = """new Promise((done) => {
  let last = performance.now(), longest = 0;
  const look = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; };
  const timer = setInterval(look, 20);
  setTimeout(() => { clearInterval(timer); look(); done(longest < 200); }, 1500);
})"""
"""True if the page answered at once in the last while: a scene that is being built keeps it from saying that its gamepad is held."""
SIZES = {"wide": (1280, 720), "phone": (390, 844)}


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait until a condition holds; gives its value."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, f"gave up waiting for {what}"
        time.sleep(0.05)
    return value


def within(seconds: float, condition: Callable[[], Any]) -> bool:
    """Whether a condition comes to hold within a time, s; for what is tried again where it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class Browser(HeadlessBrowser):
    """One page in a browser of its own.

    Args:
        folder: for its profile.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, PATIENCE)

    def open(self, address: str, size: str = "wide", touch: bool = False) -> None:
        self.turn_to(size, touch)
        self.go_to(address)
        self.shows("document.readyState === 'complete'", f"{address} to load")

    def turn_to(self, size: str, touch: bool = False) -> None:
        """The page that is open in another size."""
        self.resize(*SIZES[size], phone=size == "phone")
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def text(self, selector: str) -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def middle(self, selector: str) -> tuple[float, float]:
        """Where to point at an element: what has just arrived on the page may still move it, and whoever points waits for that."""
        x, y = self.until(lambda: self.run(SETTLED % json.dumps(selector)), f"{selector} to stand still, in sight")
        return float(x), float(y)

    def mouse(self, kind: str, x: float, y: float, held: bool = True) -> None:
        button = {"button": "left" if held else "none", "buttons": int(held and kind != "mouseReleased"), "clickCount": int(held)}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click(self, selector: str) -> None:
        self._press(*self.middle(selector))

    def clicks(self, selector: str, seconds: float) -> bool:
        """Click if it is there to be clicked within a time, s; whether it was."""
        return within(seconds, lambda: bool(found := self.run(SETTLED % json.dumps(selector))) and self._press(*found))

    def _press(self, x: float, y: float) -> bool:
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)
        return True

    def touch(self, kind: str, *points: tuple[float, float], first: int = 0) -> None:
        """Fingers, counted from the first; those that an end names are lifted, or all where it names none."""
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": first + i} for i, (x, y) in enumerate(points)])

    def key(self, kind: str, key: str) -> None:
        codes = {" ": ("Space", 32), "Shift": ("ShiftLeft", 16), "Escape": ("Escape", 27)}
        code, number = codes.get(key, (f"Key{key.upper()}", ord(key[0].upper())))
        self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number)

    def sees_as(self, sight: str) -> None:
        """Show everything as somebody with deuteranopia, protanopia or tritanopia sees it; none: as it is."""
        self.call("Emulation.setEmulatedVisionDeficiency", type=sight)

    def picture(self, path: Path) -> bytes:
        pixels = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        path.write_bytes(pixels)
        return pixels
