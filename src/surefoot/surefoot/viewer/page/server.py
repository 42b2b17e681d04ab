# SPDX-License-Identifier: Apache-2.0
"""The server of the page: one port for its files, for what goes on, for what is commanded, and for the scene, which it hands through."""

import asyncio
import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from queue import SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from surefoot.errors import ConfigurationError
from surefoot.viewer.page.access import LOCAL, Access
from surefoot.viewer.page.desk import Reply
from surefoot.viewer.page.files import find_file
from surefoot.viewer.page.messages import Draft, Edit, Gone, HoldPad, Move, PadSaid, RequestGait, Stop, Token, read_message
from surefoot.viewer.page.news import json_of

LIVE_PATH, SCENE_SOCKET_PATH = "/live", "/scene-live"
_LONGEST_MESSAGE = 1 << 15
_MOST_WAITING = 1 << 20
"""Bytes that may wait for a slow browser; what comes on top is not sent to it."""
_MOST_BROWSERS = 16
"""On each of the two sockets."""
_AFTER_WRONG_TOKEN = 1.0
"""s until a browser with a wrong token is heard again: at most _MOST_BROWSERS tokens are tried in that time."""
_START_PATIENCE, _END_PATIENCE = 10.0, 2.0
PREFERRED_PORT = 8080
"""Taken where none is asked for and it is free: an address that a person knows by heart."""


@dataclass(frozen=True)
class Heard:
    """What a browser said that may say it: its number, when it came, s of the monotonic clock, and what."""

    browser: int
    time: float
    said: RequestGait | Edit | Draft | HoldPad | PadSaid | Stop | Gone | Move


class PageServer:
    """Serves from a thread of its own until it is closed.

    Args:
        access: who may do what.
        scene_port: of viser's server on this machine.
        greeting: what every browser is told first.

    Attributes:
        heard: what was commanded, for whoever carries it out; `reply` answers it.
        port: that it is bound to.

    Raises:
        ConfigurationError: the address cannot be bound to.
    """

    def __init__(self, access: Access, scene_port: int, greeting: dict[str, Any]) -> None:
        self._access, self._scene_port, self._greeting = access, scene_port, greeting
        self.heard: SimpleQueue[Heard] = SimpleQueue()
        self._browsers: dict[int, ServerConnection] = {}
        self._sockets: Counter[str] = Counter()
        self._next_browser = 0
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._failure: OSError | None = None
        self._server: Server | None = None
        self._thread = threading.Thread(target=self._run, name="page server", daemon=True)
        self._thread.start()
        if not self._started.wait(_START_PATIENCE) or self._failure is not None:
            raise ConfigurationError(
                f"the page cannot be served on {access.host} port {access.port}: {self._failure or 'no answer'}; "
                "choose another port, or 0 for a free one"
            )
        assert self._server is not None
        self.port: int = next(iter(self._server.sockets)).getsockname()[1]

    @property
    def watchers(self) -> int:
        """Browsers that are connected."""
        return len(self._browsers)

    @property
    def address(self) -> str:
        """Where a person opens it."""
        host = "localhost" if self._access.host in LOCAL else self._access.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/" + (f"#{self._access.token}" if self._access.token else "")

    def publish(self, news: dict[str, Any]) -> None:
        """Tell every browser; one that is slow misses it."""
        if self._browsers:
            self._soon(self._send_to_all, json_of(news))

    def reply(self, browser: int, reply: Reply) -> None:
        """Tell one browser what became of what it said."""
        self._soon(self._send, browser, json.dumps({"kind": "reply", "good": reply.good, "words": reply.words, "pad": reply.pad}))

    def close(self) -> None:
        """End the thread and every connection."""
        with contextlib.suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        self._thread.join(_END_PATIENCE)

    def _soon(self, call: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *arguments)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._server = self._loop.run_until_complete(self._open())
        except OSError as error:
            self._failure = error
            return
        finally:
            self._started.set()
        self._loop.run_forever()
        self._loop.close()

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._server.wait_closed(), 0.5 * _END_PATIENCE)
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        self._loop.stop()

    async def _open(self) -> Server:
        if self._access.port == 0:
            with contextlib.suppress(OSError):
                return await self._bound(PREFERRED_PORT)
        return await self._bound(self._access.port)

    async def _bound(self, port: int) -> Server:
        return await serve(
            self._connected, self._access.host, port, process_request=self._answer, compression=None,
            select_subprotocol=lambda _, offered: offered[0] if offered else None, max_size=_LONGEST_MESSAGE, ping_interval=5.0,
            ping_timeout=10.0,
        )  # fmt: skip

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        path, headers = urlsplit(request.path).path, request.headers
        try:
            host, origin = headers.get("Host", ""), headers.get("Origin")
        except LookupError:
            return _response(400, "text/plain", b"a header comes twice\n")
        if not self._access.may_connect(host, origin):
            return _response(403, "text/plain", b"this page is not served under that name, or to other pages\n")
        if headers.get("Upgrade", "").lower() == "websocket":
            if path not in (LIVE_PATH, SCENE_SOCKET_PATH):
                return _response(404, "text/plain", b"nothing is told here\n")
            return None if self._sockets[path] < _MOST_BROWSERS else _response(503, "text/plain", b"too many browsers look at this page\n")
        file = find_file(path)
        return _response(404, "text/plain", b"no such page\n") if file is None else _response(200, file.kind, file.content)

    async def _connected(self, connection: ServerConnection) -> None:
        path = urlsplit(connection.request.path).path if connection.request is not None else ""
        # Several may have been let in at once for the last place.
        if self._sockets[path] >= _MOST_BROWSERS:
            await connection.close(1013, "too many browsers look at this page")
            return
        self._sockets[path] += 1
        try:
            await (self._hand_through(connection) if path == SCENE_SOCKET_PATH else self._converse(connection))
        finally:
            self._sockets[path] -= 1

    async def _converse(self, connection: ServerConnection) -> None:
        self._next_browser += 1
        browser = self._next_browser
        allowed = self._access.may_command("")
        await connection.send(json.dumps({**self._greeting, **self._rights(allowed)}))
        self._browsers[browser] = connection
        try:
            async for text in connection:
                allowed = await self._hear(connection, browser, text, allowed)
        except ConnectionClosed:
            pass
        finally:
            del self._browsers[browser]
            self.heard.put(Heard(browser, time.monotonic(), Gone()))

    async def _hear(self, connection: ServerConnection, browser: int, text: str | bytes, allowed: bool) -> bool:
        """Take in one message; whether this browser may command from here on."""
        try:
            said = read_message(text)
        except ConfigurationError as error:
            self.reply(browser, Reply(False, str(error)))
            return allowed
        if isinstance(said, Token):
            allowed = self._access.may_command(said.token)
            if not allowed:
                await asyncio.sleep(_AFTER_WRONG_TOKEN)
            await connection.send(json.dumps({"kind": "rights", **self._rights(allowed)}))
        elif not (allowed or isinstance(said, Move)):
            self.reply(browser, Reply(False, self._refusal()))
        else:
            self.heard.put(Heard(browser, time.monotonic(), said))
        return allowed

    def _rights(self, allowed: bool) -> dict[str, Any]:
        return {"may_command": allowed, "has_pad": self._access.pad, "refusal": "" if allowed else self._refusal()}

    def _refusal(self) -> str:
        if "recording" in self._greeting:
            return "This is a recording: there is nobody to command."
        if not self._access.commands:
            return "This page is for looking only."
        return "To command, open the address with its token, as surefoot view shows it."

    def _send(self, browser: int, text: str) -> None:
        connection = self._browsers.get(browser)
        if connection is not None and connection.transport.get_write_buffer_size() < _MOST_WAITING:
            # What is sent while the connection closes is lost, and nobody waits for it.
            self._loop.create_task(_sent(connection, text))

    def _send_to_all(self, text: str) -> None:
        for browser in list(self._browsers):
            self._send(browser, text)

    async def _hand_through(self, connection: ServerConnection) -> None:
        """Between a browser and viser's server, which only this machine reaches."""
        offered = [] if connection.subprotocol is None else [Subprotocol(connection.subprotocol)]
        try:
            async with connect(
                f"ws://127.0.0.1:{self._scene_port}", subprotocols=offered or None, compression=None, max_size=None, proxy=None
            ) as scene:
                ways = [asyncio.ensure_future(_pump(connection, scene)), asyncio.ensure_future(_pump(scene, connection))]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
        except (OSError, ConnectionClosed):
            await connection.close(1011, "the scene is not there")


async def _pump(source: Any, target: Any) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in source:
            await target.send(message)


async def _sent(connection: ServerConnection, text: str) -> None:
    with contextlib.suppress(ConnectionClosed):
        await connection.send(text)


def _response(status: int, kind: str, content: bytes) -> Response:
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Connection": "close",
            "Cache-Control": "no-store",
            # No other page may frame this one: a person would press its buttons without knowing.
            "Content-Security-Policy": "frame-ancestors 'self'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
    )
    return Response(status, HTTPStatus(status).phrase, headers, content)
