# SPDX-License-Identifier: Apache-2.0
"""What goes over the wire: files, rights, refusals, the scene handed through, and a browser that disappears."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from surefoot.errors import ConfigurationError
from surefoot.teleop.gait_values import PARAMETERS
from surefoot.viewer.page.access import access
from surefoot.viewer.page.page import Page
from surefoot.viewer.page.server import PageServer

Make = Callable[..., Page]


def get(page: Page, path: str, **headers: str) -> tuple[int, str, bytes]:
    request = urllib.request.Request(f"http://127.0.0.1:{page.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read()


def talk(page: Page, **more: Any) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{page.port}/live", proxy=None, **more)


def hear(page: Page, socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind, the page going on meanwhile."""
    deadline = time.monotonic() + 20.0
    while time.monotonic() < deadline:
        page.listen()
        page.show(0.0)
        try:
            message = json.loads(socket.recv(timeout=0.05))
        except TimeoutError:
            continue
        if message["kind"] == kind:
            return dict(message)
    raise AssertionError(f"nothing of kind {kind} came")


def test_files_and_nothing_else(make_page: Make) -> None:
    page = make_page()
    for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"), ("/scene", "text/html")):
        status, given, content = get(page, path)
        assert (status, given.split(";")[0]) == (200, kind)
        assert content
    for parameter in PARAMETERS:
        picture = get(page, f"/gaits/{parameter.key.split('.')[0]}.png")
        assert (picture[0], picture[1]) == (200, "image/png"), parameter.key
    for path in ("/../page.py", "/static/page.js", "/gaits/../gaits.md", "/gaits/%2e%2e/gaits.md", "/nothing"):
        assert get(page, path)[0] == 404
    assert get(page, "/", Host="evil.example")[0] == 403


def test_the_first_word_and_what_goes_on(make_page: Make) -> None:
    page = make_page()
    with talk(page) as socket:
        hello = hear(page, socket, "hello")
        assert (hello["robot"], hello["may_command"], hello["has_pad"]) == ("hyq", True, True)
        assert "trot" in hello["gaits"]
        assert hear(page, socket, "state")["mode"] == "walking"
        assert {row["key"] for row in hear(page, socket, "draft")["parameters"]} >= {"period", "duty_factor"}
        socket.send(json.dumps({"kind": "request", "gait": "trot"}))
        assert hear(page, socket, "reply") == {"kind": "reply", "good": True, "words": "asked for trot", "pad": None}
        socket.send("nonsense")
        assert not hear(page, socket, "reply")["good"]


def test_other_pages_cannot_speak_for_a_person(make_page: Make) -> None:
    page = make_page()
    for path in ("live", "scene-live"):
        with pytest.raises(InvalidStatus), connect(f"ws://127.0.0.1:{page.port}/{path}", origin="http://evil.example", proxy=None):  # type: ignore[arg-type]
            pass


def test_who_may_only_look_is_refused_until_the_token_comes(make_page: Make) -> None:
    page = make_page(access("0.0.0.0", commands="on", token="correct horse"))
    with talk(page) as socket:
        assert hear(page, socket, "hello")["may_command"] is False
        socket.send(json.dumps({"kind": "request", "gait": "trot"}))
        assert "token" in hear(page, socket, "reply")["words"]
        socket.send(json.dumps({"kind": "token", "token": "wrong horse"}))
        assert hear(page, socket, "rights")["may_command"] is False
        socket.send(json.dumps({"kind": "token", "token": "correct horse"}))
        assert hear(page, socket, "rights")["may_command"] is True
        socket.send(json.dumps({"kind": "request", "gait": "trot"}))
        assert hear(page, socket, "reply")["good"]
    with talk(page) as another:
        assert hear(page, another, "hello")["may_command"] is False


def test_beyond_this_machine_it_is_for_looking_only(make_page: Make) -> None:
    page = make_page(access("0.0.0.0"))
    with talk(page) as socket:
        socket.send(json.dumps({"kind": "hold", "hold": True}))
        assert hear(page, socket, "reply") == {"kind": "reply", "good": False, "words": "This page is for looking only.", "pad": None}
        assert page.pad_message() is None


def test_a_browser_that_disappears_is_an_operator_lost(make_page: Make) -> None:
    page = make_page()
    with talk(page) as socket:
        socket.send(json.dumps({"kind": "hold", "hold": True}))
        assert hear(page, socket, "reply")["pad"] is True
        socket.send(json.dumps({"kind": "pad", "sent": 1.0, "axes": {"forward": 1.0}, "pressed": ["dead_man"]}))
        deadline = time.monotonic() + 10.0
        while (message := page.pad_message()) is None or not message.axes:
            page.listen()
            assert time.monotonic() < deadline
    deadline = time.monotonic() + 10.0
    while (message := page.pad_message()) is None or message.axes:
        page.listen()
        assert time.monotonic() < deadline
    assert message == ((), ())


def test_the_scene_is_handed_through_without_a_way_to_open_a_tunnel(make_page: Make) -> None:
    import viser

    page = make_page()
    with connect(
        f"ws://127.0.0.1:{page.port}/scene-live", subprotocols=[f"viser-v{viser.__version__}"], proxy=None, max_size=None
    ) as socket:  # type: ignore[list-item]
        assert len(socket.recv(timeout=20)) > 100
    assert not [kind for kind in page._scene._server._websock_server._incoming_handlers if "Share" in kind.__name__]


def test_a_port_that_is_taken_is_said(make_page: Make) -> None:
    page = make_page()
    with pytest.raises(ConfigurationError, match=f"port {page.port}"):
        PageServer(access(port=page.port), 1, {})


@pytest.mark.parametrize("path", ["live", "scene-live"])
def test_there_is_room_for_some_browsers_and_again_once_one_has_gone(make_page: Make, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    import viser

    monkeypatch.setattr("surefoot.viewer.page.server._MOST_BROWSERS", 2)
    page = make_page()

    def look() -> ClientConnection:
        protocol = [f"viser-v{viser.__version__}"] if path == "scene-live" else None
        return connect(f"ws://127.0.0.1:{page.port}/{path}", subprotocols=protocol, proxy=None, max_size=None)  # type: ignore[arg-type]

    first, second = look(), look()
    with pytest.raises(InvalidStatus, match="503"):
        look()
    first.close()
    deadline = time.monotonic() + 10.0
    while True:
        try:
            look().close()
            break
        except InvalidStatus:
            assert time.monotonic() < deadline
    second.close()


def test_tokens_are_not_tried_faster_than_a_person_types_them(make_page: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.viewer.page.server._AFTER_WRONG_TOKEN", 0.4)
    page = make_page(access("0.0.0.0", commands="on", token="correct horse"))
    with talk(page) as socket:
        hear(page, socket, "hello")
        before = time.monotonic()
        for _ in range(3):
            socket.send(json.dumps({"kind": "token", "token": "wrong horse"}))
        for _ in range(3):
            assert hear(page, socket, "rights")["may_command"] is False
        assert time.monotonic() - before >= 3 * 0.4


def test_an_address_of_this_machine_is_served_and_told_as_it_is(make_page: Make) -> None:
    page = make_page(access("127.0.0.2"))
    assert page.address.startswith("http://127.0.0.2:")
    with urllib.request.urlopen(page.address, timeout=10) as answer:
        assert answer.status == 200
