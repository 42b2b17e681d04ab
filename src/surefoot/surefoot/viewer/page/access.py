# SPDX-License-Identifier: Apache-2.0
"""Who may look and who may command: decided by where the page is bound, by a token, and by which page a browser speaks for."""

import hmac
import ipaddress
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from surefoot.errors import ConfigurationError

LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Access:
    """What is allowed.

    Attributes:
        host: to bind to.
        port: 1 to 65535; 0: the preferred one of the page or, where that is taken, a free one.
        commands: whether anything may be commanded from the page at all.
        pad: whether the on-screen gamepad may be, too.
        token: that a browser must show to command; empty: none is needed, which is so on this machine only.
    """

    host: str
    port: int
    commands: bool
    pad: bool
    token: str

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_local(self.host)

    def may_connect(self, host: str, origin: str | None) -> bool:
        """Whether a browser may connect: it must have been sent here by this very page.

        Args:
            host: header Host. On this machine only its own name and addresses will do: another name was made to point here.
            origin: header Origin of a WebSocket; None where there is none, as from programs, which no foreign page can make speak.
        """
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if self.is_local and not is_local(name):
            return False
        return origin is None or urlsplit(origin).netloc.lower() == host.lower()

    def may_command(self, token: str) -> bool:
        """Whether who shows this token may command."""
        return self.commands and (not self.token or hmac.compare_digest(token.encode(), self.token.encode()))


def is_local(host: str) -> bool:
    """Whether an address is of this machine only."""
    try:
        return host in LOCAL or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def access(host: str = "127.0.0.1", port: int = 0, commands: str = "auto", pad: bool = True, token: str = "") -> Access:
    """What is allowed by default: everything on this machine; beyond it nothing but looking, unless commands are asked for.

    Args:
        host: to bind to.
        port: 0 to 65535.
        commands: "on", "off", or "auto": on where only this machine can reach the page, off elsewhere.
        pad: whether there is an on-screen gamepad.
        token: to be shown before commanding; empty: one is made up where the page is bound beyond this machine.

    Raises:
        ConfigurationError: a value is out of range, with what would be right.
    """
    if not 0 <= port <= 65535:
        raise ConfigurationError(f"port: {port} is none; use 1 to 65535, or 0 for 8080 or a free one")
    if commands not in ("auto", "on", "off"):
        raise ConfigurationError(f"commands: '{commands}' is neither auto, on nor off")
    if not host:
        raise ConfigurationError("host: is empty; use 127.0.0.1 for this machine only, or 0.0.0.0 for every network")
    if token and len(token) < 8:
        raise ConfigurationError(f"token: {len(token)} characters are soon guessed; use 8 or more, or none to have one made up")
    local = is_local(host)
    allowed = commands == "on" or (commands == "auto" and local)
    if allowed and not local and not token:
        token = secrets.token_urlsafe(12)
    return Access(host, port, allowed, allowed and pad, token if allowed else "")
