# SPDX-License-Identifier: Apache-2.0
"""The files that a browser may have: those of the page, viser's client, and the pictures of the parameters. Nothing else is served."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import viser

from surefoot.errors import SurefootError
from surefoot.robot.locate import shared_directory

_HERE = Path(__file__).resolve().parent / "static"
_CLIENT = Path(viser.__file__).resolve().parent / "client" / "build" / "index.html"
_TEXTS = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
_KINDS = _TEXTS | {".png": "image/png"}
SCENE_PATH = "/scene"
_ONLY_THE_SCENE = b"<style>body *{visibility:hidden!important}body canvas{visibility:visible!important}</style>"
"""viser's own panel and notices have nothing to say here."""
_WITHOUT_SMOOTHING = b"""<script>
(() => {
  const info = (gl) => gl && gl.getExtension("WEBGL_debug_renderer_info");
  const probe = document.createElement("canvas").getContext("webgl2"), about = info(probe);
  const name = about ? probe.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  if (!/swiftshader|llvmpipe|software|basic render/i.test(name)) return;
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, given) {
    return get.call(this, kind, kind.startsWith("webgl") ? { ...given, antialias: false } : given);
  };
})();
</script>"""
"""Smooth edges cost a renderer without a graphics card about half of each frame; with one they cost nothing."""


class ServedFile(NamedTuple):
    """What a browser gets: the kind of the content, and the content."""

    kind: str
    content: bytes


@lru_cache(maxsize=64)
def find_file(path: str) -> ServedFile | None:
    """The file of a path such as /page.css; None where there is none."""
    if path == SCENE_PATH:
        return ServedFile(_KINDS[".html"], _CLIENT.read_bytes().replace(b"<head>", b"<head>" + _ONLY_THE_SCENE + _WITHOUT_SMOOTHING, 1))
    if path.startswith("/gaits/"):
        return _picture(path.removeprefix("/gaits/"))
    name = "index.html" if path == "/" else path.removeprefix("/")
    known = {file.name: file for file in _HERE.iterdir() if file.suffix in _KINDS}
    return ServedFile(_KINDS[known[name].suffix], known[name].read_bytes()) if name in known else None


def _picture(name: str) -> ServedFile | None:
    try:
        folder = shared_directory() / "docs" / "gaits"
    except SurefootError:
        return None
    known = {file.name: file for file in folder.glob("*.png")}
    return ServedFile(_KINDS[".png"], known[name].read_bytes()) if name in known else None
